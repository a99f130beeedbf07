package io.terrace.channel.verbs;

import io.terrace.channel.transport.Access;
import io.terrace.channel.transport.ChannelException;
import io.terrace.channel.transport.ChecksumMismatchException;
import io.terrace.channel.transport.ChecksumType;
import io.terrace.channel.transport.ChunkVerifier;
import io.terrace.channel.transport.RegionKey;
import io.terrace.channel.transport.RemoteExtent;
import io.terrace.channel.transport.TransferStatus;
import io.terrace.channel.verbs.device.RegisteredBuffers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.zip.Checksum;
import org.jspecify.annotations.Nullable;

/**
 * A range of another host that its network card reads and writes, with nothing of the owner's CPU. Small reads cost one
 * post and one completion and register nothing. Thread-safe.
 */
public final class VerbsExtent implements RemoteExtent {
    /** Nobody waits longer for a piece with checksums, though its READ may be under way still. */
    private static final long LONGEST_WAIT_NS = TimeUnit.SECONDS.toNanos(1);

    /**
     * What an owner waits after the last grant before it takes a range from the device. A READ that was posted is done or has
     * failed by then, whether or not somebody waits for it: a card sends a lost packet again for 2.2 s.
     */
    public static final long LONGEST_READ_NS = TimeUnit.SECONDS.toNanos(3);

    /** One buffer less than there are: a piece may cross from one registration to the next. */
    private static final int MAX_PIECE_BYTES = OneSidedRequest.MAX_BYTES - RegisteredBuffers.LARGE_BYTES;

    /** A reader that finds no free buffer for so long takes another way. */
    private static final long ROOM_NS = TimeUnit.MILLISECONDS.toNanos(2);

    private final VerbsLink link;
    private final RegionKey key;
    private final Attachment range;

    VerbsExtent(VerbsLink link, RegionKey key, Attachment range) {
        this.link = link;
        this.key = key;
        this.range = range;
    }

    @Override
    public long lengthBytes() {
        return key.lengthBytes();
    }

    @Override
    public void read(long offset, ByteBuffer target, long timeoutNs) throws IOException {
        requireInside(offset, target.remaining());
        long deadlineNs = System.nanoTime() + timeoutNs;
        requireUsable(timeoutNs);
        if (range.sumsKind() != ChecksumType.NONE) {
            if (target.hasRemaining() && target.remaining() <= maxPieceBytes()) {
                readPiece(offset, target, deadlineNs);
            } else {
                readPieces(offset, target, deadlineNs);
            }
            return;
        }
        OneSidedRequest current = null;
        long at = offset;
        long end = offset + target.remaining();
        try {
            // The next piece is on its way while one is copied.
            while (current != null || at < end) {
                OneSidedRequest next = at < end ? begin(at, piece(at, end), null, deadlineNs) : null;
                at += next == null ? 0 : next.bytes;
                OneSidedRequest arrived = current;
                current = next;
                if (arrived != null) {
                    take(arrived, target, deadlineNs);
                }
            }
        } finally {
            if (current != null) {
                link.transfers().release(current);
            }
        }
    }

    @Override
    public int maxPieceBytes() {
        return range.maxPieceBytes();
    }

    @Override
    public VerbsPiece begin(long offset, int bytes, long timeoutNs) throws IOException {
        return new VerbsPiece(this, beginChecked(offset, bytes, timeoutNs), skipBytes(offset), bytes);
    }

    /** What fits one piece, with nothing allocated. */
    private void readPiece(long offset, ByteBuffer target, long deadlineNs) throws IOException {
        int bytes = target.remaining();
        OneSidedRequest operation = beginChecked(offset, bytes, deadlineNs - System.nanoTime());
        try {
            ByteBuffer data = arrived(operation, deadlineNs - System.nanoTime());
            int position = target.position();
            target.put(position, data, skipBytes(offset), bytes).position(position + bytes);
        } finally {
            release(operation);
        }
    }

    /** Bytes of an offset's chunk before it: chunks are read whole. */
    private int skipBytes(long offset) {
        return (int) (offset % range.chunkBytes());
    }

    private OneSidedRequest beginChecked(long offset, int bytes, long timeoutNs) throws IOException {
        requireInside(offset, bytes);
        requireUsable(timeoutNs);
        if (bytes > maxPieceBytes()) {
            throw new ChannelException(TransferStatus.FAILED, "a piece of " + bytes + " bytes and its checksums", null);
        }
        int chunk = range.chunkBytes();
        long start = offset - skipBytes(offset);
        long end = Math.min(key.lengthBytes(), (offset + bytes + chunk - 1) / chunk * chunk);
        if (start / Attachment.SEGMENT_BYTES != (end - 1) / Attachment.SEGMENT_BYTES) {
            throw new ChannelException(TransferStatus.FAILED, "a piece that spans two registrations", null);
        }
        int wide = (int) (end - start);
        int sumBytes = range.sumBytes(wide);
        long roomNs = System.nanoTime() + Math.min(timeoutNs, ROOM_NS);
        return link.transfers()
                .begin(
                        range,
                        start,
                        wide,
                        RegisteredBuffers.LARGE_BYTES,
                        null,
                        start / chunk * Attachment.SUM_BYTES,
                        sumBytes,
                        roomNs);
    }

    /** Writes all of the source at an offset in the range. */
    void write(long offset, ByteBuffer source, long timeoutNs) throws IOException {
        requireWritable(offset, source.remaining());
        long deadlineNs = System.nanoTime() + timeoutNs;
        requireUsable(timeoutNs);
        long at = offset;
        long end = offset + source.remaining();
        while (at < end) {
            int bytes = piece(at, end);
            OneSidedRequest operation = begin(at, bytes, source, deadlineNs);
            take(operation, null, deadlineNs);
            source.position(source.position() + bytes);
            at += bytes;
        }
    }

    /** Whether it can be read at all: chunks fit a buffer, and the connection is there. */
    @Override
    public boolean isUsable() {
        return !link.hasEnded() && maxPieceBytes() > 0;
    }

    /** Waits for a piece and checks it; the bytes are the operation's, until it is released. */
    ByteBuffer arrived(OneSidedRequest operation, long timeoutNs) throws IOException {
        link.transfers().await(operation, System.nanoTime() + Math.min(timeoutNs, LONGEST_WAIT_NS));
        ByteBuffer data = link.buffers().view(operation.buffers[0]).limit(operation.bytes);
        if (operation.sums >= 0) {
            ByteBuffer sums = link.buffers().view(operation.sums);
            Checksum checksum = operation.checksum(range.sumsKind());
            int wrong = ChunkVerifier.firstWrong(checksum, range.chunkBytes(), data, sums);
            if (wrong >= 0) {
                throw new ChecksumMismatchException(
                        "bytes do not match their checksum, " + wrong + " bytes into a read");
            }
        }
        return data.position(0).limit(operation.bytes);
    }

    void release(OneSidedRequest operation) {
        link.transfers().release(operation);
    }

    /** Where the range is. */
    Attachment attachment() {
        return range;
    }

    /** Nothing is held at the owner for an attachment. */
    @Override
    public void close() {}

    private OneSidedRequest begin(long at, int bytes, @Nullable ByteBuffer source, long deadlineNs) throws IOException {
        return link.transfers().begin(range, at, bytes, RegisteredBuffers.LARGE_BYTES, source, 0, 0, deadlineNs);
    }

    private void take(OneSidedRequest operation, @Nullable ByteBuffer target, long deadlineNs) throws IOException {
        try {
            link.transfers().await(operation, deadlineNs);
            if (target != null) {
                operation.copyTo(target, target.position(), link.buffers());
            }
        } finally {
            link.transfers().release(operation);
        }
    }

    private static int piece(long at, long end) {
        return (int) Math.min(MAX_PIECE_BYTES, end - at);
    }

    private boolean isInside(long offset, int bytes) {
        return offset >= 0 && offset <= key.lengthBytes() - bytes;
    }

    private void requireInside(long offset, int bytes) throws ChannelException {
        if (!isInside(offset, bytes)) {
            throw new ChannelException(TransferStatus.NO_ACCESS, "beyond the range", null);
        }
    }

    private void requireWritable(long offset, int bytes) throws ChannelException {
        requireInside(offset, bytes);
        if (key.access() == Access.READ) {
            throw new ChannelException(TransferStatus.NO_ACCESS, "the key is for reading", null);
        }
    }

    private void requireUsable(long timeoutNs) throws ChannelException {
        if (link.hasEnded()) {
            throw new ChannelException(TransferStatus.DISCONNECTED, "the link has ended", null);
        }
        if (timeoutNs <= 0) {
            throw new ChannelException(TransferStatus.DEADLINE, "no time is left", null);
        }
    }
}
