package io.terrace.placement.move;

import io.terrace.metrics.Metric;
import io.terrace.placement.state.BlockHeat;
import io.terrace.placement.state.ClusterState;
import io.terrace.placement.state.DataNodeState;
import io.terrace.placement.state.Move.Cause;
import io.terrace.placement.state.NamespaceView;
import io.terrace.placement.state.NamespaceView.Asker;
import io.terrace.placement.state.NamespaceView.Placed;
import io.terrace.placement.state.NamespaceView.PlacedReplica;
import io.terrace.placement.state.ResidentBlocks.Held;
import io.terrace.placement.state.ResidentBlocks.Resident;
import io.terrace.protocol.StampedBlock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The memory copies of DataNodes that are decommissioned or enter maintenance. What only such a DataNode has in memory is
 * promoted on another one that holds the block, the hottest first. A copy that nobody read of late goes only where memory is
 * free. The old copy stays and is read as long as its DataNode is there. Blocks without another holder are looked at again,
 * as HDFS makes their replicas meanwhile.
 *
 * <p>At each turn it looks at no more blocks than one hold of the NameNode's lock may. Owned by the loop's thread.
 */
public final class LeavingCopies {

    /** All copies of a DataNode are looked at again so often. */
    static final long ROUND_MS = 5_000;

    /** Reads of late for which other copies have to give way. */
    private static final double WARM_READS = 1;

    private final ClusterState clusterState;
    private final NamespaceView view;
    private final Map<String, Round> rounds = new HashMap<>();
    private final Set<DataNodeState> leaving = new LinkedHashSet<>();

    /** Copies of one DataNode that are to be looked at. */
    private record Round(long sinceMs, Deque<StampedBlock> left) {}

    public LeavingCopies(ClusterState clusterState, NamespaceView view) {
        this.clusterState = clusterState;
        this.view = view.askedBy(Asker.ORDERS);
    }

    /** Asks the NameNode which of these DataNodes leave. */
    public void look(Iterable<DataNodeState> nodes) {
        for (DataNodeState node : nodes) {
            node.leaving(view.leaving(node.uuid()));
            if (isLeaving(node)) {
                leaving.add(node);
            }
        }
        leaving.removeIf(node -> !isLeaving(node) || clusterState.nodes().get(node.uuid()) != node);
        rounds.keySet().removeIf(uuid -> !isLeaving(clusterState.nodes().get(uuid)));
    }

    private static boolean isLeaving(@Nullable DataNodeState node) {
        return node != null && node.leaving() != null;
    }

    /** Orders copies elsewhere, with at most one look at the NameNode's maps. */
    public void turn(long nowMs, MovePlanner planner) {
        for (DataNodeState node : leaving) {
            if (node.residents().size() > 0) {
                List<StampedBlock> next = next(nowMs, node);
                if (!next.isEmpty()) {
                    // The others have their turn first, next time.
                    leaving.remove(node);
                    leaving.add(node);
                    order(nowMs, next, new HeldPromotion(clusterState, planner));
                    return;
                }
            }
        }
    }

    private List<StampedBlock> next(long nowMs, DataNodeState node) {
        Round round = rounds.get(node.uuid());
        if (round == null || (round.left.isEmpty() && nowMs - round.sinceMs >= ROUND_MS)) {
            round = new Round(nowMs, new ArrayDeque<>(hottestFirst(nowMs, node)));
            rounds.put(node.uuid(), round);
        }
        List<StampedBlock> next = new ArrayList<>();
        while (next.size() < view.lockBlocks() && !round.left.isEmpty()) {
            StampedBlock block = round.left.poll();
            if (!isKnownElsewhere(block.id())) {
                next.add(block);
            }
        }
        return next;
    }

    private record Copy(StampedBlock block, double reads) {}

    private List<StampedBlock> hottestFirst(long nowMs, DataNodeState node) {
        List<Copy> copies = new ArrayList<>();
        for (Resident resident : node.residents().all()) {
            copies.add(new Copy(resident.block, reads(nowMs, resident.block)));
        }
        copies.sort(Comparator.comparingDouble(Copy::reads).reversed());
        return copies.stream().map(Copy::block).toList();
    }

    private double reads(long nowMs, StampedBlock block) {
        BlockHeat heat = clusterState.heat().peek(block.id());
        return heat == null ? 0 : heat.heat(nowMs, clusterState.heatSettings().halfLifeMs());
    }

    /**
     * Whether the block's home, or another DataNode that serves it, stays and has a copy or is about to. What others have is
     * found out with the replicas: to ask each DataNode about each copy would take seconds.
     */
    private boolean isKnownElsewhere(long blockId) {
        BlockHeat heat = clusterState.heat().peek(blockId);
        if (heat == null) {
            return false;
        }
        for (int i = 0; i < heat.nodeCount(); i++) {
            if (staysWith(heat.node(i), blockId)) {
                return true;
            }
        }
        return staysWith(heat.home(), blockId);
    }

    private boolean isElsewhere(Placed placed) {
        for (PlacedReplica replica : placed.replicas()) {
            if (staysWith(
                    clusterState.nodes().get(replica.node()), placed.block().id())) {
                return true;
            }
        }
        return false;
    }

    /** Whether a DataNode that stays has a copy, or is about to. */
    private static boolean staysWith(@Nullable DataNodeState node, long blockId) {
        return node != null
                && node.isLive()
                && node.leaving() == null
                && (node.residents().holds(blockId) || node.moveQueue().open(blockId) != null);
    }

    private void order(long nowMs, List<StampedBlock> blocks, HeldPromotion promotion) {
        List<@Nullable Placed> placed =
                view.placed(blocks.stream().map(StampedBlock::id).toList());
        Map<DataNodeState, Long> free = new HashMap<>();
        for (int i = 0; i < placed.size(); i++) {
            Placed block = placed.get(i);
            if (block != null
                    && block.obstacle() == null
                    && block.block().sameContent(blocks.get(i))
                    && !isElsewhere(block)) {
                DataNodeState holder = holder(nowMs, block, free);
                if (holder != null) {
                    String why = "the DataNode that has the only copy in memory leaves";
                    free.merge(holder, -block.block().lengthBytes(), Long::sum);
                    promotion.order(nowMs, holder, block.block(), Cause.LEAVING, why, "");
                    clusterState.metricRegistry().increment(Metric.PLACEMENT_LEAVING_ORDERED);
                }
            }
        }
    }

    /** The DataNode with the most room among those that hold the block and stay; null if none can take it. */
    private @Nullable DataNodeState holder(long nowMs, Placed placed, Map<DataNodeState, Long> free) {
        long needed = placed.block().lengthBytes();
        long id = placed.block().id();
        boolean warm = reads(nowMs, placed.block()) >= WARM_READS;
        DataNodeState best = null;
        long mostFree = 0;
        for (PlacedReplica replica : placed.replicas()) {
            DataNodeState node = clusterState.nodes().get(replica.node());
            if (node == null) {
                continue;
            }
            long freeThere = free.computeIfAbsent(node, LeavingCopies::freeBytes);
            if (node.canHold(needed)
                    && HeldPromotion.room(node) >= needed
                    && (warm || freeThere >= needed)
                    && !node.moveQueue().isFullForPromotions()
                    && !node.backoffTable().holdsBack(nowMs, id)
                    && (best == null || freeThere > mostFree)) {
                best = node;
                mostFree = freeThere;
            }
        }
        return best;
    }

    /** Memory that nothing is in or is about to come into, as far as a promotion like these brings it. */
    private static long freeBytes(DataNodeState node) {
        long coming = 0;
        for (Held held : node.residents().held()) {
            coming += held.arrivedMs() < 0 ? held.block().lengthBytes() : 0;
        }
        return node.memory().freeBytes() - coming;
    }
}
