package io.terrace.channel.transport;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One connection: control messages both ways, and the ranges of the other side.
 *
 * <p>Sending and attaching are thread-safe; receiving belongs to one thread at a time, and so does polling. Closing, or
 * the end of the other side, fails everything outstanding.
 */
public interface Link extends Closeable {
    /**
     * Sends a message of at most {@code MessageCodec.MAX_FRAME_BYTES}.
     *
     * @throws IOException when it is not all sent in time; the link is of no more use then
     */
    void send(ByteBuffer message, long timeoutNs) throws IOException;

    /**
     * The next message; null when none came in time or {@link #wakeup} was called.
     *
     * @throws java.io.EOFException when the other side is gone
     */
    @Nullable
    ByteBuffer receive(long timeoutNs) throws IOException;

    /** Lets a waiting {@link #receive} return. */
    void wakeup();

    /** Operating system user on the other side as the kernel knows it; null where the medium cannot tell. */
    @Nullable
    String peerUser();

    /**
     * Reaches for a registered range.
     *
     * @throws ChannelException with NO_ACCESS when the key is void or lies about the range
     */
    WritableExtent attach(RegionKey key) throws IOException;

    /**
     * Takes completions of operations posted on this link's regions.
     *
     * @return how many were taken, at most {@code most}
     */
    int poll(Consumer<Completion> taker, int most);
}
