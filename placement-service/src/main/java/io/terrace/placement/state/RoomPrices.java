package io.terrace.placement.state;

import io.terrace.policy.api.PlacementPolicy;
import java.util.ArrayList;
import java.util.List;

/**
 * What room in the memory of one DataNode costs, for each pool: the decayed reads, for each byte, of what its policy would let
 * go next. One such block says little, so a price is a mean in which the latest counts a sixteenth. Owned by the engine's thread.
 */
final class RoomPrices {

    private static final long SAMPLED_EVERY_MS = 250;
    private static final double SHARE_OF_LATEST = 1.0 / 16;
    private static final double NONE_YET = -1;

    private final List<Price> prices = new ArrayList<>(1);

    private static final class Price {
        private double readsPerByte = NONE_YET;
        private long sampledMs;
    }

    /** Decayed reads of a byte that would leave for one of the pool; 0 while that is not known. */
    double readsPerByte(long nowMs, DataNodeState node, int pool, ClusterState clusterState) {
        while (prices.size() <= pool) {
            prices.add(new Price());
        }
        Price price = prices.get(pool);
        if (price.readsPerByte == NONE_YET || nowMs - price.sampledMs >= SAMPLED_EVERY_MS) {
            long next = node.nextToLeave(pool);
            if (next != PlacementPolicy.NO_OBJECT) {
                double latest = readsPerByte(nowMs, clusterState, next);
                price.readsPerByte = price.readsPerByte == NONE_YET
                        ? latest
                        : price.readsPerByte + SHARE_OF_LATEST * (latest - price.readsPerByte);
                price.sampledMs = nowMs;
            }
        }
        return Math.max(0, price.readsPerByte);
    }

    private static double readsPerByte(long nowMs, ClusterState clusterState, long blockId) {
        BlockHeat heat = clusterState.heat().peek(blockId);
        return heat == null
                ? 0
                : heat.heat(nowMs, clusterState.heatSettings().halfLifeMs())
                        / Math.max(1, heat.block().lengthBytes());
    }
}
