package io.terrace.channel.verbs;

import io.terrace.channel.transport.ExtentPiece;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A part of a region on its way into one registered buffer, and its checksums into another. */
final class VerbsPiece implements ExtentPiece {
    private final VerbsExtent region;
    private final OneSidedRequest operation;
    private final int skipBytes;
    private final int lengthBytes;
    private boolean closed;

    VerbsPiece(VerbsExtent region, OneSidedRequest operation, int skipBytes, int lengthBytes) {
        this.region = region;
        this.operation = operation;
        this.skipBytes = skipBytes;
        this.lengthBytes = lengthBytes;
    }

    @Override
    public int lengthBytes() {
        return lengthBytes;
    }

    @Override
    public ByteBuffer next(long timeoutNs) throws IOException {
        return region.arrived(operation, timeoutNs).slice(skipBytes, lengthBytes);
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            region.release(operation);
        }
    }
}
