package io.terrace.channel;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A part of a region on its way here. Used by one thread; closed by whoever asked for it, in whatever state it is. */
public interface CheckedPiece extends Closeable {
    int lengthBytes();

    /**
     * Waits for the bytes and verifies them; call it once. They may have been asked for long ago: the time counts from
     * here.
     *
     * @return those asked for, valid until {@link #close}
     */
    ByteBuffer bytes(long timeoutNs) throws IOException;

    @Override
    void close();
}
