package io.terrace.channel.tcp;

import io.terrace.channel.transport.ExtentPiece;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A small part of an extent that is being read into one buffer. */
final class BufferedPiece implements ExtentPiece {
    final TcpRequest tcpRequest;

    /** Checksums, then the whole chunks. */
    final ByteBuffer buffer;

    final int sumBytes;
    private final TcpExtent region;
    private final int skipBytes;
    private final int lengthBytes;
    private boolean closed;

    BufferedPiece(
            TcpExtent region, TcpRequest tcpRequest, ByteBuffer buffer, int sumBytes, int skipBytes, int lengthBytes) {
        this.region = region;
        this.tcpRequest = tcpRequest;
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
