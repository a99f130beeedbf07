package io.terrace.placement.move;

import io.terrace.placement.state.DataNodeState;
import io.terrace.placement.state.Move.Cause;
import io.terrace.placement.state.ResidentBlocks.Held;
import io.terrace.protocol.StampedBlock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Copies that are wanted before the first read of their blocks, from the wish until the read came or was given up: what waits
 * to be ordered, is on its way, or is there and unread. So many wishes at once are all seen by whoever bounds their bytes.
 * Owned by the loop's thread.
 */
final class AheadCopies {

    /** What became of a copy. */
    enum End {
        /** It was never made. */
        NOT_MADE,
        /** It is there, and nobody waits for its read any more. */
        OVER,
        /** It left memory before its read. */
        GONE
    }

    /** The end of a copy on a DataNode. */
    record Ended(StampedBlock block, DataNodeState node, End end) {}

    private final Map<Long, Ahead> copies = new HashMap<>();
    private long bytes;

    private static final class Ahead {
        private final StampedBlock block;
        /** Null until it is ordered. */
        private @Nullable DataNodeState node;

        private boolean made;

        Ahead(StampedBlock block) {
            this.block = block;
        }
    }

    /** Of all that is wanted, on its way or unread. */
    long bytes() {
        return bytes;
    }

    boolean contains(long blockId) {
        return copies.containsKey(blockId);
    }

    void want(StampedBlock block) {
        copies.put(block.id(), new Ahead(block));
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

    /** Takes out a copy whose block was read; the DataNode that holds it, null if it is not there yet. */
    @Nullable
    DataNodeState read(long blockId) {
        Ahead ahead = copies.get(blockId);
        DataNodeState node = ahead == null ? null : ahead.node;
        Held held = node == null ? null : held(node, blockId);
        if (held == null || held.arrivedMs() < 0) {
            return null;
        }
        remove(blockId);
        return node;
    }

    /** Takes out those that ended other than by a read, as far as is known now. */
    List<Ended> ended(Predicate<DataNodeState> isKnown, Predicate<StampedBlock> isAwaited) {
        List<Ended> ended = new ArrayList<>();
        for (Ahead ahead : copies.values()) {
            DataNodeState node = ahead.node;
            if (node == null) {
                continue;
            }
            Held held = isKnown.test(node) ? held(node, ahead.block.id()) : null;
            ahead.made |= held != null && held.arrivedMs() >= 0;
            if (held == null) {
                ended.add(new Ended(ahead.block, node, ahead.made ? End.GONE : End.NOT_MADE));
            } else if (ahead.made && !isAwaited.test(ahead.block)) {
                ended.add(new Ended(ahead.block, node, End.OVER));
            }
        }
        ended.forEach(end -> remove(end.block.id()));
        return ended;
    }

    private static @Nullable Held held(DataNodeState node, long blockId) {
        Held held = node.residents().findHeld(blockId);
        return held != null && held.by() == Cause.FIRST_READ ? held : null;
    }

    private void remove(long blockId) {
        Ahead gone = copies.remove(blockId);
        bytes -= gone == null ? 0 : gone.block.lengthBytes();
    }
}
