package io.terrace.channel.tcp;

import io.terrace.channel.CheckedPiece;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A small part of a region on its way here, into one buffer. */
final class Piece implements CheckedPiece {
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

    @Override
    public int lengthBytes() {
        return lengthBytes;
    }

    @Override
    public ByteBuffer next(long timeoutNs) throws IOException {
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
