package io.terrace.placement.policy;

import io.terrace.common.StorageTier;
import io.terrace.placement.state.BlockHeat;
import io.terrace.placement.state.ClusterState;
import io.terrace.placement.state.DataNodeState;
import io.terrace.placement.state.Move;
import io.terrace.placement.state.Move.Cause;
import io.terrace.placement.state.MoveRequest;
import io.terrace.placement.state.MoveTracker;
import io.terrace.placement.state.ResidentBlocks.Resident;
import io.terrace.policy.api.Access;
import io.terrace.policy.api.MoveRequests;
import io.terrace.policy.api.PlacementPolicy;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.StampedBlock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Puts another policy in the place of the one in force, on every DataNode or on none. The new instances learn what is
 * resident and, from the heat of the {@value #REPLAYED_BLOCKS} blocks read last, what is hot: each block once, at the
 * time of its last read, as a burst of as many reads as its heat. What they request meanwhile is answered with the
 * truth, so the act of switching moves nothing. Orders that were sent remain; those that wait are withdrawn. Where more is
 * resident than a DataNode has room for, its policy learns that last, and what it then asks to leave leaves.
 *
 * <p>About a microsecond a block. Owned by the loop's thread.
 */
public final class PolicySwitch {

    public static final int REPLAYED_BLOCKS = 50_000;

    /** Requests that one block's replay may lead to; what a policy goes on to request is planned with the next access. */
    private static final int MOST_REQUESTS = 10_000;

    private final ClusterState clusterState;
    private final MoveTracker moveTracker;
    private final ActivePolicy activePolicy;
    private final Access access = new Access();
    private final ArrayDeque<MoveRequest> requests = new ArrayDeque<>();

    public PolicySwitch(ClusterState clusterState, ActivePolicy activePolicy) {
        this.clusterState = clusterState;
        this.moveTracker = clusterState.moveTracker();
        this.activePolicy = activePolicy;
    }

    /** @return null, or why the policy stays as it is */
    @Nullable
    public String to(long nowMs, PolicyChoice wanted) {
        Map<DataNodeState, PlacementPolicy> made = new LinkedHashMap<>();
        for (DataNodeState node : clusterState.nodes().values()) {
            PlacementPolicy policy = activePolicy.tryOut(wanted);
            if (policy == null) {
                return activePolicy.problem();
            }
            made.put(node, policy);
        }
        if (made.isEmpty() && activePolicy.tryOut(wanted) == null) {
            return activePolicy.problem();
        }
        activePolicy.enter(wanted);
        for (DataNodeState node : made.keySet()) {
            retract(nowMs, node);
        }
        return installOrFallBack(nowMs, made);
    }

    /** New instances of the policy in force learn what is known, as an epoch begins. */
    public void relearn(long nowMs) {
        Map<DataNodeState, PlacementPolicy> made = new LinkedHashMap<>();
        clusterState.nodes().values().forEach(node -> made.put(node, activePolicy.make()));
        installOrFallBack(nowMs, made);
    }

    /** @return null, or why another policy had to take the place of the one in force */
    private @Nullable String installOrFallBack(long nowMs, Map<DataNodeState, PlacementPolicy> made) {
        try {
            install(nowMs, made);
            return null;
        } catch (RuntimeException | LinkageError e) {
            activePolicy.failed(e);
            requests.clear();
            made.replaceAll((node, policy) -> activePolicy.make());
            install(nowMs, made);
            return activePolicy.problem();
        }
    }

    private void install(long nowMs, Map<DataNodeState, PlacementPolicy> made) {
        List<BlockHeat> latest = clusterState.heat().latest(REPLAYED_BLOCKS);
        long sinceMs = latest.stream().mapToLong(BlockHeat::lastMs).min().orElse(nowMs);
        made.forEach((node, policy) -> node.policy(sinceMs, policy));
        List<DataNodeState> beyondRoom = adopt(sinceMs, made.keySet());
        if (activePolicy.spec().pools().isEmpty()) {
            // With pools the heat cannot be replayed: a block's pool is not known before its path is looked up.
            latest.forEach(heat -> replay(heat.lastMs(), heat));
        }
        beyondRoom.forEach(node -> room(nowMs, node, node.roomBytes(), node::request));
    }

    private static void room(long nowMs, DataNodeState node, long bytes, MoveRequests moveRequests) {
        node.policy().resize(nowMs, node.layout().indexOf(StorageTier.MEMORY), bytes, moveRequests);
    }

    private void retract(long nowMs, DataNodeState node) {
        for (Move move : node.moveQueue().all()) {
            if (move.isSent()) {
                move.overtaken(false);
            } else if (move.outcome() == null && move.cause() == Cause.POLICY) {
                moveTracker.withdraw(nowMs, node, move, MoveOutcome.CANCELLED, "another policy is in force", false);
            }
        }
    }

    /**
     * Tells the new policies what is in memory, the block read longest ago first. They have room for all of it: a policy that
     * had not would ask for another block to leave whenever it is told that one stays.
     *
     * @return the DataNodes where that is more than there is room for
     */
    private List<DataNodeState> adopt(long sinceMs, Collection<DataNodeState> nodes) {
        Map<DataNodeState, Map<Long, Resident>> byRecency = new LinkedHashMap<>();
        for (DataNodeState node : nodes) {
            Map<Long, Resident> residents = new LinkedHashMap<>();
            for (Resident resident : node.residents().all()) {
                long id = resident.block.id();
                if (!node.residents().isPinned(id) && stays(node, id)) {
                    residents.put(id, resident);
                }
            }
            byRecency.put(node, residents);
        }
        for (BlockHeat heat : clusterState.heat().all()) {
            for (int i = 0; i < heat.nodeCount(); i++) {
                Map<Long, Resident> residents = byRecency.getOrDefault(heat.node(i), Map.of());
                Resident resident = residents.remove(heat.block().id());
                if (resident != null) {
                    residents.put(heat.block().id(), resident);
                }
            }
        }
        List<DataNodeState> beyondRoom = new ArrayList<>();
        byRecency.forEach((node, residents) -> {
            long bytes = residents.values().stream()
                    .mapToLong(resident -> resident.block.lengthBytes())
                    .sum();
            if (bytes > node.roomBytes()) {
                beyondRoom.add(node);
                room(sinceMs, node, bytes, this::note);
            }
            for (Resident resident : residents.values()) {
                StampedBlock block = resident.block;
                node.policy().moved(sinceMs, block.id(), block.lengthBytes(), node.tierOf(block.id()), this::note);
                answer(sinceMs, node);
            }
        });
        return beyondRoom;
    }

    private static boolean stays(DataNodeState node, long blockId) {
        Move open = node.moveQueue().open(blockId);
        return open == null || open.isPromotion();
    }

    /** Where a block is once the moves that are open are made. */
    private static int tier(DataNodeState node, long blockId) {
        return stays(node, blockId) ? node.tierOf(blockId) : node.layout().base();
    }

    private void replay(long atMs, BlockHeat heat) {
        DataNodeState home = heat.home();
        StampedBlock block = heat.block();
        if (home == null
                || heat.reads() == 0
                || heat.excluded() != null
                || home.residents().isPinned(block.id())) {
            return;
        }
        double warmth = heat.heat(atMs, clusterState.heatSettings().halfLifeMs());
        int reads = (int) Math.min(Integer.MAX_VALUE, Math.max(1, Math.round(warmth)));
        long bytes = Math.round((double) heat.bytesRead() / heat.reads() * reads);
        int tier = tier(home, block.id());
        access.read(atMs, block.id(), block.lengthBytes(), bytes, tier).burst(reads);
        home.policy().access(access, this::note);
        answer(atMs, home);
    }

    /** Tells the policy of a block's home, as one burst of reads now, of heat that it does not know. It moves nothing. */
    public void learn(long nowMs, BlockHeat heat) {
        if (activePolicy.spec().pools().isEmpty()) {
            replay(nowMs, heat);
        }
    }

    private void note(long blockId, long sizeBytes, int from, int to) {
        requests.add(new MoveRequest(blockId, sizeBytes, from, to));
    }

    private void answer(long nowMs, DataNodeState node) {
        for (int i = 0; i < MOST_REQUESTS && !requests.isEmpty(); i++) {
            MoveRequest request = requests.remove();
            long id = request.blockId();
            node.policy().moveFailed(nowMs, id, request.sizeBytes(), tier(node, id), this::note);
        }
        node.requests().addAll(requests);
        requests.clear();
    }
}
