package io.terrace.datanode.hdfs.dataset;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.function.LongConsumer;

/**
 * A file stream that says at its end how many bytes were read through it, by whatever way.
 *
 * <p>BlockSender takes its fast path only for a FileInputStream and then reads through {@link #getChannel}, so both are
 * counted. Shares the descriptor of the stream it was made of and closes that. Not thread-safe, as any stream.
 */
final class CountedStream extends FileInputStream {

    private final FileInputStream stream;
    private final LongConsumer closed;
    private final CountedChannel channel;
    private boolean isClosed;
    private long bytes;

    /**
     * Counts what is read from the stream.
     *
     * @param closed told once, the number of bytes
     */
    static CountedStream of(FileInputStream stream, LongConsumer closed) throws IOException {
        return new CountedStream(stream, stream.getFD(), closed);
    }

    private CountedStream(FileInputStream stream, FileDescriptor fd, LongConsumer closed) {
        super(fd);
        this.stream = stream;
        this.closed = closed;
        this.channel = new CountedChannel(stream.getChannel(), read -> bytes += read);
    }

    @Override
    public int read() throws IOException {
        int value = stream.read();
        if (value >= 0) {
            bytes++;
        }
        return value;
    }

    @Override
    public int read(byte[] into) throws IOException {
        return read(into, 0, into.length);
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        int read = stream.read(into, offset, length);
        bytes += Math.max(0, read);
        return read;
    }

    @Override
    public long skip(long count) throws IOException {
        return stream.skip(count);
    }

    @Override
    public int available() throws IOException {
        return stream.available();
    }

    @Override
    public FileChannel getChannel() {
        return channel;
    }

    @Override
    public void close() throws IOException {
        if (!isClosed) {
            isClosed = true;
            try {
                stream.close();
            } finally {
                closed.accept(bytes);
            }
        }
    }
}
