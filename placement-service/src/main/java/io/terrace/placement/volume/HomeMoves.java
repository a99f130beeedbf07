package io.terrace.placement.volume;

import io.terrace.common.StorageTier;
import io.terrace.metrics.Metric;
import io.terrace.placement.state.ClusterState;
import io.terrace.placement.state.DataNodeState;
import io.terrace.placement.state.Move;
import io.terrace.placement.state.Move.Cause;
import io.terrace.placement.state.Move.Volumes;
import io.terrace.placement.state.NamespaceView.Home;
import io.terrace.placement.state.NamespaceView.PlacedReplica;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Moves replicas that are off their storage policy back to its tiers, each within its DataNode, as an operator orders or
 * a rule says ({@link PolicySatisfier}). Where it stays is as with the Mover: replicas that are on a type that the policy wants do not move. Owned by the engine's
 * thread.
 */
public final class HomeMoves {

    /**
     * What became of a block.
     *
     * @param off replicas that are off the policy
     * @param open moves that bring some of them back, new or old
     * @param refusals why others stay where they are, one for each of them
     */
    public record Outcome(int off, List<Move> open, List<String> refusals) {

        /** No replica is off, or the block is deleted. */
        public static final Outcome NONE_OFF = new Outcome(0, List.of(), List.of());

        public Outcome {
            open = List.copyOf(open);
            refusals = List.copyOf(refusals);
        }

        /** Which replicas are off is not asked. */
        private static Outcome refused(String why) {
            return new Outcome(0, List.of(), List.of(why));
        }

        /** So many are off, and all stay for the same reason. */
        private static Outcome kept(int off, String why) {
            return new Outcome(off, List.of(), Collections.nCopies(off, why));
        }

        /** The same replicas are off, and nothing moves them for this reason. */
        public Outcome stopped(String why) {
            return off == 0 ? this : kept(off, why);
        }
    }

    /**
     * Who wants it.
     *
     * @param why to be followed by the name of the storage policy
     * @param dryRun says what would be moved, and changes nothing
     */
    private record Request(Cause cause, String why, boolean dryRun) {}

    private final ClusterState clusterState;
    private final KnownReplicas known;
    private final TierSpace space;

    HomeMoves(ClusterState clusterState, KnownReplicas known, TierSpace space) {
        this.clusterState = clusterState;
        this.known = known;
        this.space = space;
    }

    Outcome release(long nowMs, Home home, boolean dryRun) {
        if (!dryRun && mayGo(home)) {
            known.released(nowMs, home.placed().block().id());
        }
        String why = "an operator released it to storage policy ";
        return close(nowMs, home, new Request(Cause.OPERATOR, why, dryRun));
    }

    /** @param why the moves are made, to be followed by the name of the storage policy */
    Outcome satisfy(long nowMs, Home home, String why) {
        return close(nowMs, home, new Request(Cause.RULE, why, false));
    }

    private static boolean mayGo(Home home) {
        return home.placed().obstacle() == null && !home.tiers().isEmpty();
    }

    private Outcome close(long nowMs, Home home, Request request) {
        String obstacle = home.placed().obstacle();
        if (home.tiers().isEmpty()) {
            return Outcome.refused(
                    obstacle == null
                            ? "storage policy " + home.policy() + " keeps replicas where Terrace moves none"
                            : obstacle);
        }
        List<StorageTier> free = new ArrayList<>(home.tiers());
        List<PlacedReplica> off = new ArrayList<>();
        for (PlacedReplica replica : home.placed().replicas()) {
            if (!free.remove(replica.tier())) {
                off.add(replica);
            }
        }
        if (off.isEmpty()) {
            return Outcome.NONE_OFF;
        }
        // A replica that cannot be moved now is off all the same, or who waits would take the block for moved back.
        return obstacle == null
                ? close(nowMs, home, off, free, request)
                : Outcome.kept(off.size(), obstacle + ": ask again");
    }

    private Outcome close(long nowMs, Home home, List<PlacedReplica> off, List<StorageTier> free, Request request) {
        int[] takenBy = new int[free.size()];
        Arrays.fill(takenBy, -1);
        List<String> refusals = new ArrayList<>();
        for (int i = 0; i < off.size(); i++) {
            String obstacle = obstacle(nowMs, home, off.get(i));
            if (obstacle == null && !assign(nowMs, home, off, i, free, takenBy, new boolean[free.size()])) {
                obstacle = free.size() < off.size()
                                && home.tiers().size()
                                        < home.placed().replicas().size()
                        ? "the block has more replicas than its file asks for, until HDFS removes one: ask again"
                        : "it has no other volume with room of a type that storage policy " + home.policy() + " wants";
            }
            if (obstacle != null) {
                refusals.add(name(off.get(i)) + ": " + obstacle);
            }
        }
        List<Move> open = new ArrayList<>();
        for (int i = 0; i < takenBy.length && !request.dryRun; i++) {
            if (takenBy[i] >= 0) {
                open.add(order(nowMs, home, off.get(takenBy[i]), free.get(i), request));
            }
        }
        return new Outcome(off.size(), open, refusals);
    }

    /** Finds a free tier for a replica; lets others that took one look for another, so that as many as can go home. */
    private boolean assign(
            long nowMs,
            Home home,
            List<PlacedReplica> off,
            int replica,
            List<StorageTier> free,
            int[] takenBy,
            boolean[] tried) {
        for (int i = 0; i < takenBy.length; i++) {
            if (tried[i] || !canGo(nowMs, home, off.get(replica), free.get(i))) {
                continue;
            }
            tried[i] = true;
            if (takenBy[i] < 0 || assign(nowMs, home, off, takenBy[i], free, takenBy, tried)) {
                takenBy[i] = replica;
                return true;
            }
        }
        return false;
    }

    private boolean canGo(long nowMs, Home home, PlacedReplica replica, StorageTier to) {
        DataNodeState node = clusterState.nodes().get(replica.node());
        if (node == null) {
            return false;
        }
        Move open = node.volumeMoves().open(home.placed().block().id());
        return open == null
                ? space.fits(nowMs, node, to, home.placed().block().lengthBytes())
                : open.volumes() != null && open.volumes().to() == to;
    }

    private @Nullable String obstacle(long nowMs, Home home, PlacedReplica replica) {
        DataNodeState node = clusterState.nodes().get(replica.node());
        if (replica.obstacle() != null) {
            return replica.obstacle();
        }
        if (node == null) {
            return "Terrace does not run there";
        }
        if (!node.takesVolumeMoves()) {
            return "the DataNode takes no moves between volumes";
        }
        Move open = node.volumeMoves().open(home.placed().block().id());
        if (open != null) {
            boolean goesHome = open.volumes() != null
                    && home.tiers().contains(open.volumes().to());
            return goesHome ? null : "a move of it to another tier is open: ask again";
        }
        if (node.volumeMoves().isFull()) {
            return "too many moves wait there: ask again";
        }
        boolean heldBack =
                node.volumeBackoff().holdsBack(nowMs, home.placed().block().id());
        return heldBack ? "its last move failed: ask again" : null;
    }

    private Move order(long nowMs, Home home, PlacedReplica replica, StorageTier to, Request request) {
        DataNodeState node = clusterState.nodes().get(replica.node());
        StorageTier from = replica.tier();
        if (node == null || from == null) {
            throw new IllegalStateException("no move for " + replica);
        }
        Move open = node.volumeMoves().open(home.placed().block().id());
        if (open != null) {
            return open;
        }
        Volumes volumes = new Volumes(from, to);
        clusterState.metricRegistry().increment(Metric.PLACEMENT_VOLUME_MOVES_WISHED);
        Move move = clusterState
                .moveTracker()
                .between(nowMs, node, volumes, home.placed().block(), request.cause, request.why + home.policy());
        space.take(nowMs, node, volumes, home.placed().block().lengthBytes());
        known.movesChanged(node.uuid(), home.placed().block().id());
        return move;
    }

    private String name(PlacedReplica replica) {
        DataNodeState node = clusterState.nodes().get(replica.node());
        return node == null ? replica.node() : node.name();
    }
}
