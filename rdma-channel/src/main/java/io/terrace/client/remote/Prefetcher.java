package io.terrace.client.remote;

import io.terrace.channel.transport.ExtentPiece;
import io.terrace.channel.transport.RemoteExtent;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a remote extent ahead of a sequential reader. The first piece is small, since many readers stop early; later
 * pieces grow to a megabyte, and the next ones are asked for while one is used. A seek starts again with a small
 * piece. Used by one thread at a time.
 */
final class Prefetcher implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(Prefetcher.class);
    private static final int FIRST_BYTES = 64 * 1024;
    private static final int GROWTH = 4;
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    /** Pieces asked for beyond the one in use; more gained nothing on loopback. */
    private static final int DEPTH = 2;

    private final RemoteDataNodes memory;
    private final Range range;
    private final long endOffset;
    private final Deque<ExtentPiece> coming = new ArrayDeque<>(DEPTH);
    private int pieceBytes = FIRST_BYTES;
    private long askedTo;
    private @Nullable ExtentPiece using;

    /** Bytes of the piece in use that are yet to be asked of it. */
    private int usingLeft;

    private ByteBuffer bytes = NOTHING;
    private long position = -1;
    private boolean sequential;

    /** As it was granted last. */
    private @Nullable RemoteExtent granted;

    /** Where the range is read now: pieces that follow one another come the same way. */
    private @Nullable RemoteExtent region;

    /** What is read, as it is granted at the time of a piece. */
    @FunctionalInterface
    interface Range {
        RemoteExtent granted() throws IOException;
    }

    Prefetcher(RemoteDataNodes memory, Range range, long endOffset) {
        this.memory = memory;
        this.range = range;
        this.endOffset = endOffset;
    }

    /** Some bytes from an offset, at least one. */
    int read(long offset, ByteBuffer target) throws IOException {
        int count = ready(offset, target.remaining());
        target.put(target.position(), bytes, bytes.position(), count);
        target.position(target.position() + count);
        used(count);
        return count;
    }

    /** Some bytes from an offset, at least one: for readers of a few bytes at a time, without a buffer around each. */
    int read(long offset, byte[] target, int at, int length) throws IOException {
        int count = ready(offset, length);
        bytes.get(bytes.position(), target, at, count);
        used(count);
        return count;
    }

    private int ready(long offset, int wanted) throws IOException {
        if (offset != position) {
            jump(offset);
        }
        if (!bytes.hasRemaining()) {
            if (usingLeft == 0) {
                nextPiece(wanted);
            }
            nextBytes();
        }
        return Math.min(wanted, bytes.remaining());
    }

    private void used(int count) {
        bytes.position(bytes.position() + count);
        position += count;
    }

    @Override
    public void close() {
        drop();
        for (ExtentPiece piece = coming.poll(); piece != null; piece = coming.poll()) {
            memory.usedAhead(piece.lengthBytes());
            piece.close();
        }
    }

    private void jump(long offset) {
        long skip = offset - position;
        if (position >= 0 && skip > 0 && skip <= bytes.remaining()) {
            bytes.position(bytes.position() + (int) skip);
        } else {
            close();
            askedTo = offset;
            pieceBytes = FIRST_BYTES;
            sequential = false;
        }
        position = offset;
    }

    /** Goes on to the next piece, and asks for those after it once it is clear that they are wanted. */
    private void nextPiece(int wantedBytes) throws IOException {
        drop();
        long timeoutNs = memory.settings().timeoutNs();
        ExtentPiece piece = coming.poll();
        if (piece == null) {
            RemoteExtent from = region(true);
            piece = from.begin(askedTo, lengthBytes(from, Math.max(pieceBytes, wantedBytes)), timeoutNs);
            askedTo += piece.lengthBytes();
        } else {
            memory.usedAhead(piece.lengthBytes());
        }
        using = piece;
        usingLeft = piece.lengthBytes();
        if (sequential) {
            askAhead(timeoutNs);
        }
        sequential = true;
    }

    private void nextBytes() throws IOException {
        ExtentPiece piece = Objects.requireNonNull(using);
        bytes = piece.next(memory.settings().timeoutNs(usingLeft));
        usingLeft -= bytes.remaining();
    }

    /** @param anew whether the way may be another than before */
    private RemoteExtent region(boolean anew) throws IOException {
        RemoteExtent now = range.granted();
        RemoteExtent known = region;
        if (known == null || anew || now != granted) {
            granted = now;
            known = now.leastBusy();
            region = known;
        }
        return known;
    }

    /** Waits for nothing, and fails nobody: what is wrong shows again when a piece is needed that was not asked for. */
    private void askAhead(long timeoutNs) {
        try {
            while (coming.size() < DEPTH && askedTo < endOffset) {
                RemoteExtent from = region(false);
                pieceBytes = Math.min(from.maxPieceBytes(), pieceBytes * GROWTH);
                int length = lengthBytes(from, pieceBytes);
                if (!memory.mayAskAhead(length)) {
                    return;
                }
                ExtentPiece piece = null;
                try {
                    piece = from.beginIfRoom(askedTo, length, timeoutNs);
                } finally {
                    if (piece == null) {
                        memory.usedAhead(length);
                    }
                }
                if (piece == null) {
                    return;
                }
                coming.add(piece);
                askedTo += length;
            }
        } catch (IOException e) {
            LOG.debug("Nothing is asked for ahead", e);
        }
    }

    private int lengthBytes(RemoteExtent from, int wished) {
        return (int) Math.min(Math.min(wished, from.maxPieceBytes()), endOffset - askedTo);
    }

    private void drop() {
        bytes = NOTHING;
        usingLeft = 0;
        if (using != null) {
            using.close();
            using = null;
        }
    }
}
