package io.terrace.channel.tcp;

import io.terrace.channel.ChannelException;
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
    private static final long CLOSE_NS = TimeUnit.MILLISECONDS.toNanos(50);

    private final Exchange exchange;
    private final BufferPool buffers;
    private final RegionKey key;
    private final int handle;
    private final ChecksumKind kind;
    private final int chunkBytes;
    private final int maxPieceBytes;

    TcpRegion(Exchange exchange, BufferPool buffers, RegionKey key, int handle, ChecksumKind kind, int chunkBytes) {
        this.exchange = exchange;
        this.buffers = buffers;
        this.key = key;
        this.handle = handle;
        this.kind = kind;
        this.chunkBytes = chunkBytes;
        // Whole chunks that fit a buffer together with their checksums.
        int chunks = BufferPool.MAX_BYTES / (chunkBytes + Checksums.SUM_BYTES);
        int most = Math.min(Wire.MAX_READ_BYTES, chunks * chunkBytes);
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
    public Piece begin(long offset, int bytes, long timeoutNs) throws IOException {
        requireInside(offset, bytes);
        if (bytes > maxPieceBytes()) {
            throw new IllegalArgumentException("a piece of " + bytes + " bytes");
        }
        long deadlineNs = System.nanoTime() + timeoutNs;
        if (kind == ChecksumKind.NONE) {
            ByteBuffer buffer = buffers.take(bytes);
            return new Piece(this, begin(offset, bytes, buffer, false, deadlineNs), buffer, 0, 0, bytes);
        }
        long start = offset / chunkBytes * chunkBytes;
        long end = Math.min(key.lengthBytes(), (offset + bytes + chunkBytes - 1) / chunkBytes * chunkBytes);
        int dataBytes = (int) (end - start);
        int sumBytes = (dataBytes + chunkBytes - 1) / chunkBytes * Checksums.SUM_BYTES;
        ByteBuffer buffer = buffers.take(sumBytes + dataBytes);
        Operation operation = begin(start, dataBytes, buffer, false, deadlineNs);
        return new Piece(this, operation, buffer, sumBytes, (int) (offset - start), bytes);
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
        if (kind != ChecksumKind.NONE) {
            ByteBuffer data = piece.buffer.duplicate().position(piece.sumBytes);
            int wrong = Checksums.firstWrong(
                    kind, chunkBytes, data, piece.buffer.duplicate().position(0));
            if (wrong >= 0) {
                throw new CorruptBytesException("bytes do not match their checksum, " + wrong + " bytes into a read");
            }
        }
    }

    /** Takes a piece's buffer back. */
    void release(Piece piece) {
        exchange.end(piece.operation);
        buffers.give(piece.buffer);
    }

    private Operation begin(long offset, int bytes, ByteBuffer target, boolean posted, long deadlineNs)
            throws IOException {
        ByteBuffer body = ByteBuffer.allocate(Wire.READ_BYTES);
        body.putInt(handle).putLong(offset).putInt(bytes).flip();
        return exchange.begin(Wire.READ, body, target, posted, deadlineNs);
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
