package io.terrace.channel.tcp;

import io.terrace.channel.transport.ExtentPiece;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A large part of an extent, which its reader uses while the rest of it is still coming. */
final class StreamedPiece implements ExtentPiece {
    final TcpRequest tcpRequest;
    final SegmentSink landing;
    private final TcpExtent region;
    private final int lengthBytes;

    /** Where the bytes that were asked for begin and end in the whole chunks that come, and where the next segment is. */
    private final int firstByte;

    private final int endByte;
    private int segmentAt;
    private @Nullable ByteBuffer using;
    private boolean closed;

    StreamedPiece(TcpExtent region, TcpRequest tcpRequest, SegmentSink landing, int skipBytes, int lengthBytes) {
        this.region = region;
        this.tcpRequest = tcpRequest;
        this.landing = landing;
        this.lengthBytes = lengthBytes;
        this.firstByte = skipBytes;
        this.endByte = skipBytes + lengthBytes;
    }

    @Override
    public int lengthBytes() {
        return lengthBytes;
    }

    @Override
    public ByteBuffer next(long timeoutNs) throws IOException {
        giveBack();
        ByteBuffer segment = region.awaitSegment(this, timeoutNs);
        using = segment;
        region.verify(segment, landing.sums(), segmentAt);
        int from = Math.max(0, firstByte - segmentAt);
        int to = Math.min(segment.limit(), endByte - segmentAt);
        segmentAt += segment.limit();
        return segment.slice(from, to - from);
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            region.end(tcpRequest);
            giveBack();
            landing.close();
        }
    }

    private void giveBack() {
        if (using != null) {
            landing.giveBack(using);
            using = null;
        }
    }
}
