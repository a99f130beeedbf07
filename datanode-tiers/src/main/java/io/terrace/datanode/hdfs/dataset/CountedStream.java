package io.terrace.datanode.hdfs.dataset;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.function.LongSupplier;

/**
 * A file stream that says at its end how many bytes were read through it, by whatever way, and for how long it read. Sending
 * to a socket that cannot take more is not part of that: whoever sends waits outside.
 *
 * <p>BlockSender takes its fast path only for a FileInputStream and then reads through {@link #getChannel}, so both are
 * counted. Shares the descriptor of the stream it was made of and closes that. Not thread-safe, as any stream.
 */
final class CountedStream extends FileInputStream {

    /** Told once, as the stream is closed. */
    interface Closed {
        void accept(long bytes, long readNs);
    }

    private final FileInputStream stream;
    private final LongSupplier nanoClock;
    private final Closed closed;
    private final CountedChannel channel;
    private boolean isClosed;
    private long bytes;
    private long readNs;

    /** Counts what is read from the stream. */
    static CountedStream of(FileInputStream stream, LongSupplier nanoClock, Closed closed) throws IOException {
        return new CountedStream(stream, stream.getFD(), nanoClock, closed);
    }

    private CountedStream(FileInputStream stream, FileDescriptor fd, LongSupplier nanoClock, Closed closed) {
        super(fd);
        this.stream = stream;
        this.nanoClock = nanoClock;
        this.closed = closed;
        this.channel = new CountedChannel(stream.getChannel(), nanoClock, this::count);
    }

    private void count(long read, long tookNs) {
        bytes += Math.max(0, read);
        readNs += tookNs;
    }

    @Override
    public int read() throws IOException {
        long beganNs = nanoClock.getAsLong();
        int value = stream.read();
        count(value >= 0 ? 1 : 0, nanoClock.getAsLong() - beganNs);
        return value;
    }

    @Override
    public int read(byte[] into) throws IOException {
        return read(into, 0, into.length);
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        long beganNs = nanoClock.getAsLong();
        int read = stream.read(into, offset, length);
        count(read, nanoClock.getAsLong() - beganNs);
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
                closed.accept(bytes, readNs);
            }
        }
    }
}
