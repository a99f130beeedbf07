package io.terrace.placement.journal;

import io.terrace.placement.journal.HeatRecord.Share;
import io.terrace.placement.state.BlockHeat;
import io.terrace.placement.state.ClusterState;
import io.terrace.placement.state.DataNodeState;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Heat that the journal had, until the DataNodes that it names report: a part of a block's heat becomes known with each of
 * them. What waits is bounded, by records and in time. Owned by the engine's thread.
 */
final class RestoredHeat {

    /** After this long a DataNode is not waited for any more. */
    static final long MOST_WAIT_MS = 600_000;

    /** Shares that become known in one turn. */
    private static final int SHARES_PER_TURN = 8_192;

    private final int mostRecords;
    private final Map<String, ArrayDeque<Waiting>> byNode = new HashMap<>();
    private int records;
    private long latestMs = Long.MIN_VALUE;

    private static final class Waiting {
        final HeatRecord heat;
        final long lastMs;
        /** The engine asked as it got to know the block. */
        final boolean asked;

        int open;
        boolean begun;

        Waiting(HeatRecord heat, long lastMs, boolean asked) {
            this.heat = heat;
            this.lastMs = lastMs;
            this.asked = asked;
        }
    }

    RestoredHeat(int mostRecords) {
        this.mostRecords = mostRecords;
    }

    /** Records that wait for DataNodes. */
    int size() {
        return records;
    }

    boolean hasRoom() {
        return records < mostRecords;
    }

    /** @param lastMs when the block was last read, on the engine's clock */
    void add(long nowMs, HeatRecord heat, long lastMs, boolean asked) {
        Set<String> nodes = new LinkedHashSet<>();
        heat.shares().forEach(share -> nodes.add(share.node()));
        if (heat.home() != null) {
            nodes.add(heat.home());
        }
        Waiting waiting = new Waiting(heat, lastMs, asked);
        waiting.open = nodes.size();
        nodes.forEach(
                node -> byNode.computeIfAbsent(node, uuid -> new ArrayDeque<>()).add(waiting));
        records += nodes.isEmpty() ? 0 : 1;
        latestMs = nowMs;
    }

    /**
     * Makes known what DataNodes that report bring.
     *
     * @param learned told of each block whose home became known
     */
    void turn(long nowMs, ClusterState state, Consumer<BlockHeat> learned) {
        if (records > 0 && nowMs - latestMs > MOST_WAIT_MS) {
            byNode.clear();
            records = 0;
        }
        int left = SHARES_PER_TURN;
        Iterator<Map.Entry<String, ArrayDeque<Waiting>>> nodes =
                byNode.entrySet().iterator();
        while (nodes.hasNext() && left > 0) {
            Map.Entry<String, ArrayDeque<Waiting>> entry = nodes.next();
            DataNodeState node = state.nodes().get(entry.getKey());
            if (node == null) {
                continue;
            }
            ArrayDeque<Waiting> queue = entry.getValue();
            for (; left > 0 && !queue.isEmpty(); left--) {
                Waiting waiting = queue.remove();
                known(state, node, waiting, learned);
                waiting.open--;
                records -= waiting.open == 0 ? 1 : 0;
            }
            if (queue.isEmpty()) {
                nodes.remove();
            }
        }
    }

    private static void known(ClusterState state, DataNodeState node, Waiting waiting, Consumer<BlockHeat> learned) {
        HeatRecord record = waiting.heat;
        BlockHeat heat = begin(state, waiting);
        if (heat == null) {
            return;
        }
        for (Share share : record.shares()) {
            if (share.node().equals(node.uuid())) {
                heat.remember(
                        node,
                        share.reads(),
                        waiting.lastMs,
                        state.heatSettings().halfLifeMs());
            }
        }
        if (node.uuid().equals(record.home())) {
            if (heat.home() == null) {
                heat.home(node);
            }
            learned.accept(heat);
        }
    }

    /** The heat to add to; null where the block is known otherwise, has changed, or found no room. */
    private static @Nullable BlockHeat begin(ClusterState state, Waiting waiting) {
        HeatRecord record = waiting.heat;
        BlockHeat known = state.heat().peek(record.block().id());
        if (!waiting.begun && !waiting.asked && known != null) {
            // It was read meanwhile, so its heat was asked for and comes by that way.
            return null;
        }
        if (known == null && waiting.asked) {
            return null;
        }
        BlockHeat heat = state.heat().restore(waiting.lastMs, record.block());
        if (heat != null && !waiting.begun) {
            if (!heat.remember(record.reads(), record.bytesRead(), record.bytesFromMemory())) {
                return null;
            }
            waiting.begun = true;
        }
        return heat;
    }
}
