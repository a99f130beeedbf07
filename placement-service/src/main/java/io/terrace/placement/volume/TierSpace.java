package io.terrace.placement.volume;

import io.terrace.common.StorageTier;
import io.terrace.placement.state.DataNodeState;
import io.terrace.placement.state.Move;
import io.terrace.placement.state.Move.Volumes;
import io.terrace.placement.state.NamespaceView;
import io.terrace.placement.state.NamespaceView.VolumeSpace;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Room in the tiers of each DataNode: what it reported last to the NameNode, less what open moves will take. Asked again
 * every {@value #VALID_MS} ms. Owned by the engine's thread.
 */
final class TierSpace {

    /** DataNodes report their volumes to the NameNode that often. */
    static final long VALID_MS = 3_000;

    private final NamespaceView view;
    private final double highWater;
    private final Map<DataNodeState, Space> nodes = new HashMap<>();

    private static final class Space {
        private Map<StorageTier, VolumeSpace> volumes = Map.of();
        private final Map<StorageTier, Long> comingBytes = new EnumMap<>(StorageTier.class);
        private final Map<StorageTier, Long> leavingBytes = new EnumMap<>(StorageTier.class);
        private long askedMs;
    }

    TierSpace(NamespaceView view, double highWater) {
        this.view = view;
        this.highWater = highWater;
    }

    private Space of(long nowMs, DataNodeState node) {
        Space space = nodes.get(node);
        if (space == null || nowMs - space.askedMs >= VALID_MS) {
            space = new Space();
            space.askedMs = nowMs;
            space.volumes = view.volumes(node.uuid());
            for (Move move : node.volumeMoves().all()) {
                count(space, move.volumes(), move.block().lengthBytes());
            }
            nodes.put(node, space);
        }
        return space;
    }

    private static void count(Space space, @Nullable Volumes volumes, long bytes) {
        if (volumes != null) {
            space.comingBytes.merge(volumes.to(), bytes, Long::sum);
            space.leavingBytes.merge(volumes.from(), bytes, Long::sum);
        }
    }

    /** DataNodes that are not known any more take no room here. */
    void retain(Map<String, DataNodeState> known) {
        nodes.keySet().removeIf(node -> known.get(node.uuid()) != node);
    }

    /** A move is open from now on. */
    void take(long nowMs, DataNodeState node, Volumes volumes, long bytes) {
        count(of(nowMs, node), volumes, bytes);
    }

    boolean fits(long nowMs, DataNodeState node, StorageTier tier, long bytes) {
        Space space = of(nowMs, node);
        VolumeSpace volumes = space.volumes.get(tier);
        return volumes != null && volumes.remainingBytes() - space.comingBytes.getOrDefault(tier, 0L) >= bytes;
    }

    boolean has(long nowMs, DataNodeState node, StorageTier tier) {
        return of(nowMs, node).volumes.containsKey(tier);
    }

    /** Whether it fits and the tier stays below its high-water mark. */
    boolean fitsBelowHighWater(long nowMs, DataNodeState node, StorageTier tier, long bytes) {
        return fits(nowMs, node, tier, bytes) && aboveHighWaterBytes(nowMs, node, tier, false) + bytes <= 0;
    }

    /**
     * Bytes above the high-water mark once what is coming has come; negative below it.
     *
     * @param drained count what is leaving as gone
     */
    long aboveHighWaterBytes(long nowMs, DataNodeState node, StorageTier tier, boolean drained) {
        Space space = of(nowMs, node);
        VolumeSpace volumes = space.volumes.get(tier);
        if (volumes == null) {
            return 0;
        }
        long usedBytes = volumes.capacityBytes() - volumes.remainingBytes() + space.comingBytes.getOrDefault(tier, 0L);
        long leavingBytes = drained ? space.leavingBytes.getOrDefault(tier, 0L) : 0;
        return usedBytes - leavingBytes - (long) (highWater * volumes.capacityBytes());
    }
}
