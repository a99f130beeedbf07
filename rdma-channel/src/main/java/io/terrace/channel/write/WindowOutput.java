package io.terrace.channel.write;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** The client's end of a {@link LandingWindow}. Used by one thread at a time, but for {@link #close}. */
public interface WindowOutput extends Closeable {
    /** Bytes of the window. */
    int bytes();

    /**
     * Writes what remains of a buffer into the window, whose position stays, and announces it. The bytes are copied first, so
     * the buffer is free at once. Nothing is registered and nothing is waited for.
     *
     * @param at offset in the window
     * @return false when that cannot be done now: too much is under way
     * @throws IOException when the connection has ended
     */
    boolean write(int at, ByteBuffer data) throws IOException;

    /** Whether nothing can be written any more: what was written and is not acknowledged may not have landed. */
    boolean hasEnded();
}
