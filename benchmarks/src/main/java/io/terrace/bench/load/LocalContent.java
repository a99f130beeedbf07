package io.terrace.bench.load;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The user's own files, which are never written: only version 0 exists. They must not change while they are used. */
public final class LocalContent implements Content, Closeable {
    private static final int MAX_OPEN = 64;

    private final List<Path> files;
    private final Map<Integer, FileChannel> open = new LinkedHashMap<>(MAX_OPEN, 0.75f, true);

    public LocalContent(List<Path> files) {
        this.files = List.copyOf(files);
    }

    @Override
    public void fill(int file, int version, long position, byte[] target, int length) throws IOException {
        if (version != 0) {
            throw new IllegalArgumentException("the user's files are not written, version " + version + " is unknown");
        }
        FileChannel channel = channel(file);
        ByteBuffer buffer = ByteBuffer.wrap(target, 0, length);
        while (buffer.hasRemaining()) {
            if (channel.read(buffer, position + buffer.position()) < 0) {
                throw new EOFException(files.get(file) + " became shorter than it was");
            }
        }
    }

    private FileChannel channel(int file) throws IOException {
        FileChannel known = open.get(file);
        if (known != null) {
            return known;
        }
        if (open.size() >= MAX_OPEN) {
            Iterator<FileChannel> oldest = open.values().iterator();
            oldest.next().close();
            oldest.remove();
        }
        FileChannel channel = FileChannel.open(files.get(file), StandardOpenOption.READ);
        open.put(file, channel);
        return channel;
    }

    @Override
    public void close() throws IOException {
        for (FileChannel channel : open.values()) {
            channel.close();
        }
        open.clear();
    }
}
