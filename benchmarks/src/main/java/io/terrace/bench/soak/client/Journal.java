package io.terrace.bench.soak.client;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The journal of one writer, a file that outlives its process: {@link #write} before a call says what may happen, after it what
 * has. For one writing instance; others read along. Not thread-safe.
 */
final class Journal implements Closeable {
    private final FileChannel channel;
    private final JournalState state = new JournalState();
    private final ByteBuffer buffer = ByteBuffer.allocate(64 << 10);
    private long taken;
    private String rest = "";

    private Journal(FileChannel channel) {
        this.channel = channel;
    }

    /** For the writer, which goes on where an earlier process ended. */
    static Journal toWrite(Path file) throws IOException {
        Journal journal = new Journal(
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE));
        journal.catchUp();
        if (!journal.rest.isEmpty()) {
            // The process ended within a line: before the call that it announced.
            journal.taken -= journal.rest.getBytes(StandardCharsets.UTF_8).length;
            journal.channel.truncate(journal.taken);
            journal.rest = "";
        }
        return journal;
    }

    static Journal toRead(Path file) throws IOException {
        return new Journal(FileChannel.open(file, StandardOpenOption.READ));
    }

    /** Adds a line, and takes it in. */
    void write(Object... words) {
        StringBuilder line = new StringBuilder();
        for (Object word : words) {
            line.append(line.isEmpty() ? "" : " ").append(word);
        }
        ByteBuffer bytes = ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.UTF_8));
        try {
            while (bytes.hasRemaining()) {
                taken += channel.write(bytes, taken);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the journal cannot be written", e);
        }
        state.apply(line.toString());
    }

    /** Takes in what the writer has added. */
    JournalState catchUp() throws IOException {
        while (channel.size() > taken) {
            buffer.clear();
            int got = channel.read(buffer, taken);
            if (got <= 0) {
                break;
            }
            taken += got;
            String text = rest + new String(buffer.array(), 0, got, StandardCharsets.UTF_8);
            int end = text.lastIndexOf('\n') + 1;
            rest = text.substring(end);
            text.substring(0, end).lines().forEach(state::apply);
        }
        return state;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
