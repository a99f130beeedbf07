package io.terrace.channel.tcp;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A part of a region on its way here. Used by one thread; closed by whoever asked for it, in whatever state it is. */
public final class Piece implements Closeable {
    final Operation operation;

    /** Checksums, then the whole chunks. */
    final ByteBuffer buffer;

    final int sumBytes;
    private final TcpRegion region;
    private final int skipBytes;
    private final int lengthBytes;
    private boolean closed;

    Piece(TcpRegion region, Operation operation, ByteBuffer buffer, int sumBytes, int skipBytes, int lengthBytes) {
        this.region = region;
        this.operation = operation;
        this.buffer = buffer;
        this.sumBytes = sumBytes;
        this.skipBytes = skipBytes;
        this.lengthBytes = lengthBytes;
    }

    public int lengthBytes() {
        return lengthBytes;
    }

    /**
     * Waits for the bytes and verifies them; call it once. They may have been asked for long ago: the time counts from
     * here.
     *
     * @return those asked for, valid until {@link #close}
     */
    public ByteBuffer bytes(long timeoutNs) throws IOException {
        region.await(this, timeoutNs);
        return buffer.slice(sumBytes + skipBytes, lengthBytes);
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            region.release(this);
        }
    }
}
