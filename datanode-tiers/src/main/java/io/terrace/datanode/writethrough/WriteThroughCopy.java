package io.terrace.datanode.writethrough;

import io.terrace.common.BlockVersion;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The copy of one block that is being written: takes every byte that is written to the replica, at the same place and in the
 * same order where places overlap.
 *
 * <p>A large piece is received into a buffer of this copy, and another thread writes it while the next ones are received into
 * others. There are several, since that thread may not get a processor at once. Used by the thread that writes the replica. A copy that fails is given up, and the block goes on.
 */
public final class WriteThroughCopy implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(WriteThroughCopy.class);

    /** Below this a piece is written at once: another thread costs more. */
    private static final int LARGE_BYTES = 64 << 10;

    private static final long STEP_BYTES = 1L << 20;
    private static final int MOST_PIECES = 8;

    private final WriteThroughCopies copies;
    private final String pool;
    /** For the log. */
    private final Object blockForLog;

    private final long blockBytes;
    /** The one that was used last is the last. */
    private final List<Piece> pieces = new ArrayList<>(MOST_PIECES);

    /** What the next bytes are received in; null when that is no buffer of this copy. */
    private @Nullable Piece lent;

    private DraftFiles.@Nullable Draft draft;
    private long heldBytes;
    private long lengthBytes;
    private boolean ended;

    /** A buffer, and the write that reads from it. */
    private static final class Piece {
        private final ByteBuffer buffer;
        private @Nullable FutureTask<@Nullable Void> writing;

        Piece(ByteBuffer buffer) {
            this.buffer = buffer;
        }

        boolean isFree() {
            return writing == null || writing.isDone();
        }
    }

    /** @param blockBytes that the block may get */
    WriteThroughCopy(WriteThroughCopies copies, String pool, Object block, long blockBytes) {
        this.copies = copies;
        this.pool = pool;
        this.blockForLog = block;
        this.blockBytes = blockBytes;
    }

    /**
     * Where the next piece is to be received.
     *
     * @param own a buffer of the caller's, for a piece that is written at once
     * @param bytes of the piece
     */
    public ByteBuffer pieceBuffer(ByteBuffer own, int bytes) {
        lent = null;
        if (ended || bytes < LARGE_BYTES || bytes > PieceBuffers.BYTES) {
            return own;
        }
        Piece next = nextPiece();
        if (next == null || !await(next)) {
            return own;
        }
        lent = next;
        return next.buffer;
    }

    /** One that nobody reads from, or another as long as there may be more, or else the oldest. */
    private @Nullable Piece nextPiece() {
        boolean free = !pieces.isEmpty() && pieces.get(0).isFree();
        ByteBuffer more =
                free || pieces.size() == MOST_PIECES ? null : copies.buffers().take();
        Piece next = more != null ? new Piece(more) : pieces.isEmpty() ? null : pieces.remove(0);
        if (next != null) {
            pieces.add(next);
        }
        return next;
    }

    /**
     * Takes in bytes that are verified and in the replica.
     *
     * @param data direct, from its position to its limit, which stay: the piece that was received last, or a part of it
     */
    public void write(long offset, ByteBuffer data) {
        Piece piece = lent;
        lent = null;
        if (ended) {
            return;
        }
        if (offset > lengthBytes) {
            drop(new IOException("a gap of " + (offset - lengthBytes) + " bytes"));
            return;
        }
        // The last chunk comes again when it has grown: it must not be overtaken by what it was.
        if (offset < lengthBytes && !awaitAll()) {
            return;
        }
        long end = offset + data.remaining();
        FileChannel file = room(end);
        if (file == null) {
            return;
        }
        lengthBytes = Math.max(lengthBytes, end);
        ByteBuffer bytes = data.duplicate();
        if (piece == null) {
            try {
                writeAll(file, bytes, offset);
            } catch (IOException | OutOfMemoryError e) {
                drop(e);
            }
        } else {
            FutureTask<@Nullable Void> task = new FutureTask<>(() -> {
                writeAll(file, bytes, offset);
                return null;
            });
            piece.writing = task;
            execute(task);
        }
    }

    /** Whoever waits for a task that no thread took runs it. */
    private void execute(FutureTask<@Nullable Void> task) {
        try {
            copies.writers().execute(task);
        } catch (OutOfMemoryError e) {
            LOG.debug("No thread can be started for the copy of {}", blockForLog, e);
        }
    }

    /** The file, with room up to there; null when there is none. */
    private @Nullable FileChannel room(long end) {
        if (end > heldBytes) {
            long step = (end + STEP_BYTES - 1) / STEP_BYTES * STEP_BYTES;
            long more = Math.max(end, Math.min(step, blockBytes)) - heldBytes;
            if (!copies.grow(pool, more)) {
                end();
                return null;
            }
            heldBytes += more;
        }
        try {
            if (draft == null) {
                draft = copies.files().create();
            }
            return draft.file();
        } catch (IOException | OutOfMemoryError e) {
            drop(e);
            return null;
        }
    }

    private static void writeAll(FileChannel file, ByteBuffer from, long offset) throws IOException {
        long at = offset;
        while (from.hasRemaining()) {
            at += file.write(from, at);
        }
    }

    private boolean awaitAll() {
        for (Piece piece : pieces) {
            if (!await(piece)) {
                return false;
            }
        }
        return true;
    }

    /** Whether the write from this buffer, if there was one, has succeeded; gives the copy up otherwise. */
    private boolean await(Piece piece) {
        Throwable fault = settle(piece);
        if (fault != null) {
            drop(fault);
        }
        return fault == null;
    }

    /** Waits until nobody reads from this buffer; what went wrong. Without end, since a write to memory does not wait. */
    private static @Nullable Throwable settle(Piece piece) {
        FutureTask<@Nullable Void> task = piece.writing;
        piece.writing = null;
        if (task == null) {
            return null;
        }
        // Unless another thread has begun.
        task.run();
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    task.get();
                    return null;
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (ExecutionException e) {
                    return e.getCause();
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The replica is finalised: makes the copy live, if it is all of that. */
    public void publish(BlockVersion block) {
        if (ended || !awaitAll()) {
            return;
        }
        DraftFiles.Draft whole = draft;
        if (whole == null || block.lengthBytes() != lengthBytes) {
            drop(null);
            return;
        }
        long held = heldBytes;
        draft = null;
        heldBytes = 0;
        end();
        copies.publish(block, whole, held);
    }

    private void drop(@Nullable Throwable why) {
        if (!ended) {
            copies.dropped(blockForLog, why);
            end();
        }
    }

    private void end() {
        ended = true;
        for (Piece piece : pieces) {
            Throwable unused = settle(piece);
        }
        copies.drop(draft, heldBytes);
        draft = null;
        heldBytes = 0;
    }

    /** Gives the copy up, unless it was published. Nobody reads what was received last any more. */
    @Override
    public void close() {
        drop(null);
        pieces.forEach(piece -> copies.buffers().give(piece.buffer));
        pieces.clear();
    }
}
