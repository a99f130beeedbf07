package io.terrace.channel.tcp;

import io.terrace.channel.transport.ChannelException;
import io.terrace.channel.transport.ChecksumMismatchException;
import io.terrace.channel.transport.ChecksumType;
import io.terrace.channel.transport.ChunkChecksums;
import io.terrace.channel.transport.ChunkVerifier;
import io.terrace.channel.transport.ExtentPiece;
import io.terrace.channel.transport.RegionKey;
import io.terrace.channel.transport.RemoteExtent;
import io.terrace.channel.transport.TransferStatus;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Reads a range of another host. Where the range has checksums, every byte is verified against them before a caller
 * sees it. Thread-safe.
 */
public final class TcpExtent implements RemoteExtent {
    /** Fits a processor's second-level cache beside the reader's own buffer. */
    private static final int SEGMENT_BYTES = 128 * 1024;

    private static final long CLOSE_NS = TimeUnit.MILLISECONDS.toNanos(50);

    private final RequestMultiplexer requestMultiplexer;
    private final DirectBufferPool buffers;
    private final RegionKey key;
    private final int handle;
    private final ChecksumType kind;
    private final int chunkBytes;
    private final int maxPieceBytes;
    private final int segmentBytes;
    private final ChunkVerifier verifier;

    TcpExtent(
            RequestMultiplexer requestMultiplexer,
            DirectBufferPool buffers,
            RegionKey key,
            int handle,
            ChecksumType kind,
            int chunkBytes,
            ChunkVerifier verifier) {
        this.requestMultiplexer = requestMultiplexer;
        this.buffers = buffers;
        this.key = key;
        this.handle = handle;
        this.kind = kind;
        this.chunkBytes = chunkBytes;
        // Whole chunks that fit a buffer together with their checksums.
        int chunks = DirectBufferPool.MAX_BYTES / (chunkBytes + ChunkChecksums.SUM_BYTES);
        int most = Math.min(TcpFrame.MAX_READ_BYTES, chunks * chunkBytes);
        this.verifier = verifier;
        this.segmentBytes = Math.max(chunkBytes, SEGMENT_BYTES / chunkBytes * chunkBytes);
        this.maxPieceBytes = kind == ChecksumType.NONE ? TcpFrame.MAX_READ_BYTES : most / chunkBytes * chunkBytes;
    }

    @Override
    public long lengthBytes() {
        return key.lengthBytes();
    }

    /** Whether a read fits a buffer, wherever it begins: chunks are read whole, and up to two more than were asked for. */
    @Override
    public boolean isUsable() {
        return maxPieceBytes() > 0;
    }

    @Override
    public int maxPieceBytes() {
        return kind == ChecksumType.NONE ? maxPieceBytes : maxPieceBytes - 2 * chunkBytes;
    }

    @Override
    public ExtentPiece begin(long offset, int bytes, long timeoutNs) throws IOException {
        return Objects.requireNonNull(begin(offset, bytes, timeoutNs, true));
    }

    @Override
    public @Nullable ExtentPiece beginIfRoom(long offset, int bytes, long timeoutNs) throws IOException {
        return begin(offset, bytes, timeoutNs, false);
    }

    /** @param wait for room; null where there is none and it does not */
    private @Nullable ExtentPiece begin(long offset, int bytes, long timeoutNs, boolean wait) throws IOException {
        requireInside(offset, bytes);
        if (bytes > maxPieceBytes()) {
            throw new IllegalArgumentException("a piece of " + bytes + " bytes");
        }
        long deadlineNs = System.nanoTime() + timeoutNs;
        long start = offset / chunkBytes * chunkBytes;
        long end = Math.min(key.lengthBytes(), (offset + bytes + chunkBytes - 1) / chunkBytes * chunkBytes);
        int dataBytes = (int) (end - start);
        int sumBytes =
                kind == ChecksumType.NONE ? 0 : (dataBytes + chunkBytes - 1) / chunkBytes * ChunkChecksums.SUM_BYTES;
        int skipBytes = (int) (offset - start);
        if (dataBytes > segmentBytes) {
            SegmentSink landing = new SegmentSink(buffers, sumBytes, dataBytes, segmentBytes);
            try {
                TcpRequest tcpRequest = begin(readRequest(start, dataBytes), landing, deadlineNs, wait);
                if (tcpRequest == null) {
                    landing.close();
                    return null;
                }
                return new StreamedPiece(this, tcpRequest, landing, skipBytes, bytes);
            } catch (IOException | RuntimeException e) {
                landing.close();
                throw e;
            }
        }
        ByteBuffer buffer = buffers.take(sumBytes + dataBytes);
        try {
            TcpRequest tcpRequest = begin(readRequest(start, dataBytes), new BufferSink(buffer), deadlineNs, wait);
            if (tcpRequest == null) {
                buffers.give(buffer);
                return null;
            }
            return new BufferedPiece(this, tcpRequest, buffer, sumBytes, skipBytes, bytes);
        } catch (IOException e) {
            // No request has it any more.
            buffers.give(buffer);
            throw e;
        }
    }

    private @Nullable TcpRequest begin(ByteBuffer body, ResponseSink landing, long deadlineNs, boolean wait)
            throws IOException {
        return wait
                ? requestMultiplexer.begin(TcpFrame.READ, body, landing, deadlineNs)
                : requestMultiplexer.beginIfRoom(TcpFrame.READ, body, landing, deadlineNs);
    }

    @Override
    public void read(long offset, ByteBuffer target, long timeoutNs) throws IOException {
        requireInside(offset, target.remaining());
        readPieces(offset, target, System.nanoTime() + timeoutNs);
    }

    @Override
    public void close() {
        if (requestMultiplexer.failure() == null) {
            ByteBuffer body =
                    ByteBuffer.allocate(TcpFrame.DETACH_BYTES).putInt(handle).flip();
            try {
                requestMultiplexer.tell(TcpFrame.DETACH, body, System.nanoTime() + CLOSE_NS);
            } catch (IOException e) {
                // The exchange has ended, and everything attached with it.
                return;
            }
        }
    }

    /** Waits for a piece and checks it. */
    void await(BufferedPiece piece, long timeoutNs) throws IOException {
        requestMultiplexer.await(piece.tcpRequest, System.nanoTime() + timeoutNs);
        verify(piece.buffer.duplicate().position(piece.sumBytes), piece.buffer, 0);
    }

    /** Waits for the next part of a piece; it is not checked yet. */
    ByteBuffer awaitSegment(StreamedPiece piece, long timeoutNs) throws IOException {
        requestMultiplexer.awaitPart(piece.tcpRequest, piece.landing::isReady, System.nanoTime() + timeoutNs);
        ByteBuffer segment = piece.landing.take();
        if (segment == null) {
            throw new ChannelException(TransferStatus.SHORT, "nothing is left of a piece", null);
        }
        return segment;
    }

    /**
     * Checks whole chunks.
     *
     * @param data from its position to its limit; not moved
     * @param sums from byte 0 on
     * @param dataAt where the data is in what the checksums are of
     */
    void verify(ByteBuffer data, ByteBuffer sums, int dataAt) throws ChecksumMismatchException {
        if (kind != ChecksumType.NONE) {
            int sumsAt = dataAt / chunkBytes * ChunkChecksums.SUM_BYTES;
            int wrong = verifier.firstWrong(data, sums.duplicate().position(sumsAt));
            if (wrong >= 0) {
                throw new ChecksumMismatchException(
                        "bytes do not match their checksum, " + (dataAt + wrong) + " bytes into a read");
            }
        }
    }

    /** Nothing of it lands any more. */
    void end(TcpRequest tcpRequest) {
        requestMultiplexer.end(tcpRequest);
    }

    /** Takes a piece's buffer back. */
    void release(BufferedPiece piece) {
        requestMultiplexer.end(piece.tcpRequest);
        buffers.give(piece.buffer);
    }

    private ByteBuffer readRequest(long offset, int bytes) {
        ByteBuffer body = ByteBuffer.allocate(TcpFrame.READ_BYTES);
        return body.putInt(handle).putLong(offset).putInt(bytes).flip();
    }

    private void requireInside(long offset, int bytes) throws ChannelException {
        if (offset < 0 || offset > key.lengthBytes() - bytes) {
            throw new ChannelException(TransferStatus.NO_ACCESS, "beyond the range", null);
        }
    }
}
