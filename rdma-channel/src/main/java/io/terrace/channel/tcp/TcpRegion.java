package io.terrace.channel.tcp;

import io.terrace.channel.ChannelException;
import io.terrace.channel.CheckedPiece;
import io.terrace.channel.CheckedRegion;
import io.terrace.channel.Completion.Status;
import io.terrace.channel.RegionKey;
import io.terrace.channel.RemoteRegion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

/**
 * A range of another host, within reach. Where the range has checksums, every byte is verified against them before a
 * caller sees it. Thread-safe.
 */
public final class TcpRegion implements RemoteRegion, CheckedRegion {
    /** Fits a processor's second-level cache beside the reader's own buffer. */
    private static final int SEGMENT_BYTES = 128 * 1024;

    private static final long CLOSE_NS = TimeUnit.MILLISECONDS.toNanos(50);

    private final Exchange exchange;
    private final BufferPool buffers;
    private final RegionKey key;
    private final int handle;
    private final ChecksumKind kind;
    private final int chunkBytes;
    private final int maxPieceBytes;
    private final int segmentBytes;
    private final ChunkVerifier verifier;

    TcpRegion(
            Exchange exchange,
            BufferPool buffers,
            RegionKey key,
            int handle,
            ChecksumKind kind,
            int chunkBytes,
            ChunkVerifier verifier) {
        this.exchange = exchange;
        this.buffers = buffers;
        this.key = key;
        this.handle = handle;
        this.kind = kind;
        this.chunkBytes = chunkBytes;
        // Whole chunks that fit a buffer together with their checksums.
        int chunks = BufferPool.MAX_BYTES / (chunkBytes + Checksums.SUM_BYTES);
        int most = Math.min(Wire.MAX_READ_BYTES, chunks * chunkBytes);
        this.verifier = verifier;
        this.segmentBytes = Math.max(chunkBytes, SEGMENT_BYTES / chunkBytes * chunkBytes);
        this.maxPieceBytes = kind == ChecksumKind.NONE ? Wire.MAX_READ_BYTES : most / chunkBytes * chunkBytes;
    }

    @Override
    public long lengthBytes() {
        return key.lengthBytes();
    }

    @Override
    public int maxPieceBytes() {
        return kind == ChecksumKind.NONE ? maxPieceBytes : maxPieceBytes - 2 * chunkBytes;
    }

    @Override
    public CheckedPiece begin(long offset, int bytes, long timeoutNs) throws IOException {
        requireInside(offset, bytes);
        if (bytes > maxPieceBytes()) {
            throw new IllegalArgumentException("a piece of " + bytes + " bytes");
        }
        long deadlineNs = System.nanoTime() + timeoutNs;
        long start = offset / chunkBytes * chunkBytes;
        long end = Math.min(key.lengthBytes(), (offset + bytes + chunkBytes - 1) / chunkBytes * chunkBytes);
        int dataBytes = (int) (end - start);
        int sumBytes = kind == ChecksumKind.NONE ? 0 : (dataBytes + chunkBytes - 1) / chunkBytes * Checksums.SUM_BYTES;
        int skipBytes = (int) (offset - start);
        if (dataBytes > segmentBytes) {
            SegmentLanding landing = new SegmentLanding(buffers, sumBytes, dataBytes, segmentBytes);
            try {
                Operation operation =
                        exchange.begin(Wire.READ, readRequest(start, dataBytes), landing, false, deadlineNs);
                return new StreamedPiece(this, operation, landing, skipBytes, bytes);
            } catch (IOException | RuntimeException e) {
                landing.close();
                throw e;
            }
        }
        ByteBuffer buffer = buffers.take(sumBytes + dataBytes);
        Operation operation = begin(start, dataBytes, buffer, false, deadlineNs);
        return new Piece(this, operation, buffer, sumBytes, skipBytes, bytes);
    }

    @Override
    public void read(long offset, ByteBuffer target, long timeoutNs) throws IOException {
        requireInside(offset, target.remaining());
        readPieces(offset, target, System.nanoTime() + timeoutNs);
    }

    @Override
    public void write(long offset, ByteBuffer source, long timeoutNs) throws IOException {
        requireInside(offset, source.remaining());
        long deadlineNs = System.nanoTime() + timeoutNs;
        long at = offset;
        while (source.hasRemaining()) {
            int bytes = Math.min(Wire.MAX_WRITE_BYTES, source.remaining());
            exchange.await(beginWrite(at, source, bytes, false, deadlineNs), deadlineNs);
            at += bytes;
        }
    }

    /** For ranges without checksums the read goes on after this returns; others are whole and verified by then. */
    @Override
    public long postRead(long offset, ByteBuffer target, long timeoutNs) throws IOException {
        int bytes = target.remaining();
        long deadlineNs = System.nanoTime() + timeoutNs;
        boolean inside = offset >= 0 && bytes <= key.lengthBytes() && offset <= key.lengthBytes() - bytes;
        if (inside && kind == ChecksumKind.NONE && bytes <= Wire.MAX_READ_BYTES) {
            return -begin(offset, bytes, target, true, deadlineNs).number;
        }
        return exchange.completions().run(bytes, () -> read(offset, target, deadlineNs - System.nanoTime()));
    }

    @Override
    public long postWrite(long offset, ByteBuffer source, long timeoutNs) throws IOException {
        return exchange.completions().run(source.remaining(), () -> write(offset, source, timeoutNs));
    }

    @Override
    public void close() {
        if (exchange.failure() == null) {
            ByteBuffer body =
                    ByteBuffer.allocate(Wire.DETACH_BYTES).putInt(handle).flip();
            try {
                exchange.tell(Wire.DETACH, body, System.nanoTime() + CLOSE_NS);
            } catch (IOException e) {
                // The exchange has ended, and everything attached with it.
                return;
            }
        }
    }

    /** Waits for a piece and checks it. */
    void await(Piece piece, long timeoutNs) throws IOException {
        exchange.await(piece.operation, System.nanoTime() + timeoutNs);
        verify(piece.buffer.duplicate().position(piece.sumBytes), piece.buffer, 0);
    }

    /** Waits for the next part of a piece; it is not checked yet. */
    ByteBuffer awaitSegment(StreamedPiece piece, long timeoutNs) throws IOException {
        exchange.awaitPart(piece.operation, piece.landing::isReady, System.nanoTime() + timeoutNs);
        ByteBuffer segment = piece.landing.take();
        if (segment == null) {
            throw new ChannelException(Status.SHORT, "nothing is left of a piece", null);
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
    void verify(ByteBuffer data, ByteBuffer sums, int dataAt) throws CorruptBytesException {
        if (kind != ChecksumKind.NONE) {
            int sumsAt = dataAt / chunkBytes * Checksums.SUM_BYTES;
            int wrong = verifier.firstWrong(data, sums.duplicate().position(sumsAt));
            if (wrong >= 0) {
                throw new CorruptBytesException(
                        "bytes do not match their checksum, " + (dataAt + wrong) + " bytes into a read");
            }
        }
    }

    /** Nothing of it lands any more. */
    void end(Operation operation) {
        exchange.end(operation);
    }

    /** Takes a piece's buffer back. */
    void release(Piece piece) {
        exchange.end(piece.operation);
        buffers.give(piece.buffer);
    }

    private Operation begin(long offset, int bytes, ByteBuffer target, boolean posted, long deadlineNs)
            throws IOException {
        return exchange.begin(Wire.READ, readRequest(offset, bytes), target, posted, deadlineNs);
    }

    private ByteBuffer readRequest(long offset, int bytes) {
        ByteBuffer body = ByteBuffer.allocate(Wire.READ_BYTES);
        return body.putInt(handle).putLong(offset).putInt(bytes).flip();
    }

    private Operation beginWrite(long offset, ByteBuffer source, int bytes, boolean posted, long deadlineNs)
            throws IOException {
        ByteBuffer body = ByteBuffer.allocate(Wire.WRITE_HEADER_BYTES + bytes);
        body.putInt(handle).putLong(offset);
        body.put(source.duplicate().limit(source.position() + bytes)).flip();
        Operation operation = exchange.begin(Wire.WRITE, body, ByteBuffer.allocate(0), posted, deadlineNs);
        source.position(source.position() + bytes);
        return operation;
    }

    private void requireInside(long offset, int bytes) throws ChannelException {
        if (offset < 0 || offset > key.lengthBytes() - bytes) {
            throw new ChannelException(Status.NO_ACCESS, "beyond the range", null);
        }
    }
}
