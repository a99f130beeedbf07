package io.terrace.channel.transport;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A part of a region on its way here. Used by one thread; closed by whoever asked for it, in whatever state it is. */
public interface ExtentPiece extends Closeable {
    int lengthBytes();

    /**
     * Waits for the next bytes and verifies them; call it until {@link #lengthBytes} were given. They may have been asked
     * for long ago: the time counts from here.
     *
     * @return at least one byte, valid until the next call or {@link #close}
     */
    ByteBuffer next(long timeoutNs) throws IOException;

    @Override
    void close();
}
