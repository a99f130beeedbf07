package io.terrace.channel.transport;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A range of another process, within reach. Thread-safe; a buffer belongs to its operation until that completes.
 *
 * <p>{@link #read} and {@link #write} are for callers that wait; {@link #postRead} and {@link #postWrite} tell their end
 * through {@link Link#poll}.
 */
public interface WritableExtent extends Closeable {
    long lengthBytes();

    /**
     * Fills the target from an offset in the range.
     *
     * @throws ChannelException when not all of the target was filled; its content is then undefined
     */
    void read(long offset, ByteBuffer target, long timeoutNs) throws IOException;

    /** Writes all of the source at an offset in the range. */
    void write(long offset, ByteBuffer source, long timeoutNs) throws IOException;

    /**
     * Starts a read.
     *
     * @return the operation's number in its {@link Completion}
     * @throws ChannelException with FAILED when too many operations wait to be polled
     */
    long postRead(long offset, ByteBuffer target, long timeoutNs) throws IOException;

    /** Starts a write. */
    long postWrite(long offset, ByteBuffer source, long timeoutNs) throws IOException;
}
