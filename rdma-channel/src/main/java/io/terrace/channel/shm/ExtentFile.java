package io.terrace.channel.shm;

import io.terrace.channel.transport.ChannelException;
import io.terrace.channel.transport.TransferStatus;
import io.terrace.common.CloseAll;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Set;

/**
 * An extent of another process on this host, open: positional reads of its file. Stays readable when the link
 * it was opened by is removed. Thread-safe.
 */
public final class ExtentFile implements Closeable {
    private final FileChannel file;
    private final long lengthBytes;

    private ExtentFile(FileChannel file, long lengthBytes) {
        this.file = file;
        this.lengthBytes = lengthBytes;
    }

    /**
     * Opens an extent by the link that a grant names.
     *
     * @throws ChannelException with NO_ACCESS when it is not there, is no plain file or has another length
     */
    public static ExtentFile open(Path link, long lengthBytes) throws IOException {
        Set<OpenOption> options = Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
        try {
            // Opening a pipe would wait for its other end, so look first.
            if (!Files.readAttributes(link, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                    .isRegularFile()) {
                throw new ChannelException(TransferStatus.NO_ACCESS, "the granted link is no plain file", null);
            }
            FileChannel file = FileChannel.open(link, options);
            try {
                if (file.size() != lengthBytes) {
                    throw new ChannelException(
                            TransferStatus.NO_ACCESS, "the extent has another length than granted", null);
                }
            } catch (IOException | RuntimeException | Error e) {
                // Also a device that does not even tell the size: it would be asked again and again.
                CloseAll.after(e, List.of(file));
                throw e;
            }
            return new ExtentFile(file, lengthBytes);
        } catch (NoSuchFileException | AccessDeniedException e) {
            throw new ChannelException(TransferStatus.NO_ACCESS, "the granted link cannot be opened here", e);
        }
    }

    public long lengthBytes() {
        return lengthBytes;
    }

    /**
     * Fills the target from an offset.
     *
     * @return bytes read; less than the target has room for only where the file ends or was cut
     */
    public int read(long offset, ByteBuffer target) throws IOException {
        int total = 0;
        while (target.hasRemaining()) {
            int got = file.read(target, offset + total);
            if (got < 0) {
                break;
            }
            total += got;
        }
        return total;
    }

    /** Maps a part of the extent for reading. The caller bounds what is mapped and unmaps it. */
    public MappedByteBuffer map(long offset, long windowBytes) throws IOException {
        return file.map(FileChannel.MapMode.READ_ONLY, offset, windowBytes);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
