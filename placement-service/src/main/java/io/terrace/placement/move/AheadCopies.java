package io.terrace.placement.move;

import io.terrace.placement.state.DataNodeState;
import io.terrace.placement.state.Move;
import io.terrace.placement.state.Move.Cause;
import io.terrace.placement.state.ResidentBlocks.Held;
import io.terrace.protocol.StampedBlock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Copies that are wanted before a read of their blocks, from the wish until the read came or was given up: what waits
 * to be ordered, is on its way, or is there and unread. So many wishes at once are all seen by whoever bounds their bytes.
 * Owned by the loop's thread.
 */
final class AheadCopies {

    /** Is told how long it took until a copy for a reader was there. */
    interface CopyTimes {
        void copied(long nowMs, long tookMs);
    }

    /** What became of a copy. */
    enum End {
        /** It was never made. */
        NOT_MADE,
        /** Its order was not sent yet, and its reader is gone. */
        NOT_WANTED,
        /** It is there, and nobody waits for its read any more. */
        OVER,
        /** It left memory before its read. */
        GONE
    }

    /**
     * The end of a copy on a DataNode.
     *
     * @param missed its block was read on another DataNode before it was there
     */
    record Ended(StampedBlock block, Cause cause, DataNodeState node, End end, boolean missed) {}

    private final Map<Long, Ahead> copies = new HashMap<>();
    private final CopyTimes copyTimes;
    private long bytes;

    private static final class Ahead {
        private final StampedBlock block;
        private final Cause cause;
        private final long sinceMs;
        /** Null until it is ordered. */
        private @Nullable DataNodeState node;

        private boolean made;
        private boolean missed;

        Ahead(StampedBlock block, Cause cause, long sinceMs) {
            this.block = block;
            this.cause = cause;
            this.sinceMs = sinceMs;
        }

        /** Orders wait while moves are paused. */
        private boolean isReadersAndUnsent(DataNodeState at) {
            Move open = cause == Cause.READ_AHEAD ? at.moveQueue().open(block.id()) : null;
            return open != null && open.isPromotion() && !open.isSent();
        }

        private Ended ended(DataNodeState at, End end) {
            return new Ended(block, cause, at, end, missed);
        }
    }

    AheadCopies(CopyTimes copyTimes) {
        this.copyTimes = copyTimes;
    }

    /** Of all that is wanted, on its way or unread. */
    long bytes() {
        return bytes;
    }

    boolean contains(long blockId) {
        return copies.containsKey(blockId);
    }

    void want(long nowMs, StampedBlock block, Cause cause) {
        copies.put(block.id(), new Ahead(block, cause, nowMs));
        bytes += block.lengthBytes();
    }

    /** The copy was ordered on a DataNode; null if it was not. */
    void ordered(StampedBlock block, @Nullable DataNodeState node) {
        Ahead ahead = copies.get(block.id());
        if (ahead != null && node != null) {
            ahead.node = node;
        } else {
            remove(block.id());
        }
    }

    /**
     * A copy whose block was read.
     *
     * @param found whether it was read where the copy is
     */
    record Read(StampedBlock block, DataNodeState node, Cause cause, boolean isThere, boolean found) {}

    /**
     * Takes out a copy whose block was read if it is there; null if none is ordered.
     *
     * @param reporter served the read
     */
    @Nullable
    Read read(long blockId, DataNodeState reporter) {
        Ahead ahead = copies.get(blockId);
        DataNodeState node = ahead == null ? null : ahead.node;
        if (ahead == null || node == null) {
            return null;
        }
        Held held = held(node, blockId);
        boolean found = reporter == node;
        if (held == null || held.arrivedMs() < 0) {
            ahead.missed |= !found;
            return new Read(ahead.block, node, ahead.cause, false, found);
        }
        made(ahead, held);
        remove(blockId);
        return new Read(ahead.block, node, ahead.cause, true, found);
    }

    private void made(Ahead ahead, Held held) {
        if (!ahead.made && ahead.cause == Cause.READ_AHEAD) {
            copyTimes.copied(held.arrivedMs(), Math.max(0, held.arrivedMs() - ahead.sinceMs));
        }
        ahead.made = true;
    }

    /** Takes out those that ended other than by a read, as far as is known now. */
    List<Ended> ended(Predicate<DataNodeState> isKnown, BiPredicate<StampedBlock, Cause> isAwaited) {
        List<Ended> ended = new ArrayList<>();
        for (Ahead ahead : copies.values()) {
            DataNodeState node = ahead.node;
            if (node == null) {
                continue;
            }
            Held held = isKnown.test(node) ? held(node, ahead.block.id()) : null;
            if (held != null && held.arrivedMs() >= 0) {
                made(ahead, held);
            }
            if (held == null) {
                ended.add(ahead.ended(node, ahead.made ? End.GONE : End.NOT_MADE));
            } else if (ahead.isReadersAndUnsent(node) && !isAwaited.test(ahead.block, ahead.cause)) {
                ended.add(ahead.ended(node, End.NOT_WANTED));
            } else if (ahead.made && !isAwaited.test(ahead.block, ahead.cause)) {
                ended.add(ahead.ended(node, End.OVER));
            }
        }
        ended.forEach(end -> remove(end.block.id()));
        return ended;
    }

    private static @Nullable Held held(DataNodeState node, long blockId) {
        Held held = node.residents().findHeld(blockId);
        return held != null && held.by().isAhead() ? held : null;
    }

    private void remove(long blockId) {
        Ahead gone = copies.remove(blockId);
        bytes -= gone == null ? 0 : gone.block.lengthBytes();
    }
}
