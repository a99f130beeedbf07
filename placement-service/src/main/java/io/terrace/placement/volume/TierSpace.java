package io.terrace.placement.volume;

import io.terrace.common.StorageTier;
import io.terrace.placement.state.DataNodeState;
import io.terrace.placement.state.Move;
import io.terrace.placement.state.Move.Volumes;
import io.terrace.placement.state.NamespaceView;
import io.terrace.placement.state.NamespaceView.VolumeSpace;
import java.util.ArrayDeque;
import java.util.Deque;
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

    /** By then what a DataNode reported shows a move that ended, where it is not known when it reported. */
    private static final long REPORTED_MS = 2 * VALID_MS + 1_000;

    /** A report that arrives so long after the result of a move was made after the move. */
    private static final long REPORTING_MS = 1_000;

    private final NamespaceView view;
    private final double highWater;
    private final PoolBytes known;
    private final Map<DataNodeState, Space> nodes = new HashMap<>();
    private final Map<DataNodeState, Deque<Moved>> moved = new HashMap<>();

    private record Moved(long atMs, Volumes volumes, long bytes) {}

    private static final class Space {
        private Map<StorageTier, VolumeSpace> volumes = Map.of();
        private final Map<StorageTier, Long> comingBytes = new EnumMap<>(StorageTier.class);
        private final Map<StorageTier, Long> leavingBytes = new EnumMap<>(StorageTier.class);
        /** Of moves that ended lately: the report may show them or not. */
        private final Map<StorageTier, Long> cameBytes = new EnumMap<>(StorageTier.class);

        private final Map<StorageTier, Long> leftBytes = new EnumMap<>(StorageTier.class);
        private final Map<StorageTier, Long> strangersAtLeast = new EnumMap<>(StorageTier.class);
        private final Map<StorageTier, Long> strangersAtMost = new EnumMap<>(StorageTier.class);
        private long askedMs;
    }

    TierSpace(NamespaceView view, double highWater, PoolBytes known) {
        this.view = view;
        this.highWater = highWater;
        this.known = known;
    }

    private Space of(long nowMs, DataNodeState node) {
        Space space = nodes.get(node);
        if (space == null || nowMs - space.askedMs >= VALID_MS) {
            space = new Space();
            space.askedMs = nowMs;
            // First, so that a report that comes in between is not taken for the one that is read.
            long shownMs = shownMs(nowMs, node);
            space.volumes = view.volumes(node.uuid());
            for (Move move : node.volumeMoves().all()) {
                count(space, move.volumes(), move.block().lengthBytes());
            }
            Deque<Moved> lately = moved.getOrDefault(node, new ArrayDeque<>());
            while (!lately.isEmpty() && lately.peek().atMs <= shownMs) {
                lately.poll();
            }
            for (Moved each : lately) {
                space.cameBytes.merge(each.volumes.to(), each.bytes, Long::sum);
                space.leftBytes.merge(each.volumes.from(), each.bytes, Long::sum);
            }
            findStrangers(node, space);
            nodes.put(node, space);
        }
        return space;
    }

    /** Moves that had ended by then are in what the DataNode reported. */
    private long shownMs(long nowMs, DataNodeState node) {
        long ageMs = view.volumesAgeMs(node.uuid());
        return nowMs - (ageMs == Long.MAX_VALUE ? REPORTED_MS : ageMs + REPORTING_MS);
    }

    /** Compares the report with what is known now: it may show moves that are open here, and not those that just ended. */
    private void findStrangers(DataNodeState node, Space space) {
        space.volumes.forEach((tier, volumes) -> {
            long hereBytes = 0;
            long comingBytes = 0;
            long bookedBytes = 0;
            for (int slot = 0; slot < PoolBytes.SLOTS; slot++) {
                hereBytes += known.here(node.uuid(), tier, slot);
                comingBytes += known.coming(node.uuid(), tier, slot);
                bookedBytes += known.booked(node.uuid(), tier, slot);
            }
            long leavingBytes = hereBytes + comingBytes - bookedBytes;
            long usedBytes = volumes.capacityBytes() - volumes.remainingBytes();
            long cameBytes = space.cameBytes.getOrDefault(tier, 0L);
            space.strangersAtLeast.put(tier, Math.max(0, usedBytes - hereBytes - comingBytes));
            space.strangersAtMost.put(tier, Math.max(0, usedBytes - hereBytes + leavingBytes + cameBytes));
        });
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
        moved.keySet().removeIf(node -> known.get(node.uuid()) != node);
    }

    /** A move was made; {@link Space} counts it as open until it is asked again, and as made lately then. */
    void moved(long nowMs, DataNodeState node, Volumes volumes, long bytes) {
        moved.computeIfAbsent(node, any -> new ArrayDeque<>()).add(new Moved(nowMs, volumes, bytes));
    }

    /** A move is open from now on. */
    void take(long nowMs, DataNodeState node, Volumes volumes, long bytes) {
        count(of(nowMs, node), volumes, bytes);
    }

    boolean fits(long nowMs, DataNodeState node, StorageTier tier, long bytes) {
        Space space = of(nowMs, node);
        VolumeSpace volumes = space.volumes.get(tier);
        return volumes != null && volumes.remainingBytes() - comingBytes(space, tier) >= bytes;
    }

    boolean has(long nowMs, DataNodeState node, StorageTier tier) {
        return of(nowMs, node).volumes.containsKey(tier);
    }

    /** Whether it fits and the tier stays below its high-water mark. */
    boolean fitsBelowHighWater(long nowMs, DataNodeState node, StorageTier tier, long bytes) {
        return fits(nowMs, node, tier, bytes) && aboveHighWaterBytes(nowMs, node, tier, false) + bytes <= 0;
    }

    /**
     * Bytes above the high-water mark; negative below it. What is reported may show open moves and may not show those that
     * ended, so each of the two who ask has the answer that moves less.
     *
     * @param drained for who makes room: what leaves counts as gone, and what comes does not count. Else the other way round
     */
    long aboveHighWaterBytes(long nowMs, DataNodeState node, StorageTier tier, boolean drained) {
        Space space = of(nowMs, node);
        VolumeSpace volumes = space.volumes.get(tier);
        if (volumes == null) {
            return 0;
        }
        long usedBytes = volumes.capacityBytes() - volumes.remainingBytes();
        long movedBytes = drained
                ? -space.leavingBytes.getOrDefault(tier, 0L) - space.leftBytes.getOrDefault(tier, 0L)
                : comingBytes(space, tier);
        return usedBytes + movedBytes - (long) (highWater * volumes.capacityBytes());
    }

    private static long comingBytes(Space space, StorageTier tier) {
        return space.comingBytes.getOrDefault(tier, 0L) + space.cameBytes.getOrDefault(tier, 0L);
    }

    /** What replicas take of the tier that Terrace does not know, at least. */
    long strangersAtLeast(long nowMs, DataNodeState node, StorageTier tier) {
        return of(nowMs, node).strangersAtLeast.getOrDefault(tier, 0L);
    }

    /** The same, at most. */
    long strangersAtMost(long nowMs, DataNodeState node, StorageTier tier) {
        return of(nowMs, node).strangersAtMost.getOrDefault(tier, 0L);
    }

    /** The high-water mark of the tier. */
    long highWaterBytes(long nowMs, DataNodeState node, StorageTier tier) {
        VolumeSpace volumes = of(nowMs, node).volumes.get(tier);
        return volumes == null ? 0 : (long) (highWater * volumes.capacityBytes());
    }
}
