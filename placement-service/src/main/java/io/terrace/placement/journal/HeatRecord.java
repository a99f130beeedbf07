package io.terrace.placement.journal;

import io.terrace.placement.state.BlockHeat;
import io.terrace.placement.state.DataNodeState;
import io.terrace.protocol.StampedBlock;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The heat of a block, as the journal keeps it: with the ids of DataNodes, and on the wall clock.
 *
 * @param lastMs when it was last read, milliseconds since 1970
 * @param reads in all
 * @param bytesFromMemory the part of {@code bytesRead} that was served from memory
 * @param home UUID of the DataNode where its accesses count
 */
record HeatRecord(
        StampedBlock block,
        long lastMs,
        long reads,
        long bytesRead,
        long bytesFromMemory,
        @Nullable String home,
        List<Share> shares)
        implements JournalEntry {

    /**
     * The reads of one DataNode.
     *
     * @param node its UUID
     * @param reads decayed as of {@link #lastMs}
     */
    record Share(String node, float reads) {}

    /** @param lastMs when it was last read, on the wall clock */
    static HeatRecord of(BlockHeat heat, long lastMs) {
        List<Share> shares = new ArrayList<>(heat.nodeCount());
        for (int i = 0; i < heat.nodeCount(); i++) {
            shares.add(new Share(heat.node(i).uuid(), heat.share(i)));
        }
        DataNodeState home = heat.home();
        return new HeatRecord(
                heat.block(),
                lastMs,
                heat.reads(),
                heat.bytesRead(),
                heat.bytesFromMemory(),
                home == null ? null : home.uuid(),
                shares);
    }

    /** Decayed reads as of {@link #lastMs} on all DataNodes. */
    float heat() {
        float sum = 0;
        for (Share share : shares) {
            sum += share.reads;
        }
        return sum;
    }

    @Override
    public int heapBytes() {
        return 160 + 24 * shares.size();
    }
}
