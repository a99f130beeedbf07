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

    /** Where the next line begins: what is not a whole line may go again. */
    private long taken;

    private Journal(FileChannel channel) {
        this.channel = channel;
    }

    /** For the writer, which goes on where an earlier process ended. */
    static Journal toWrite(Path file) throws IOException {
        Journal journal = new Journal(
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE));
        journal.catchUp();
        // The process may have ended within a line: before the call that it announced.
        journal.channel.truncate(journal.taken);
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
            int end = got;
            while (end > 0 && buffer.get(end - 1) != '\n') {
                end--;
            }
            if (end <= 0) {
                break;
            }
            taken += end;
            new String(buffer.array(), 0, end, StandardCharsets.UTF_8).lines().forEach(state::apply);
        }
        return state;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
