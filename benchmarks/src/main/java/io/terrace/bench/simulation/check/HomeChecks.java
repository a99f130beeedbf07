package io.terrace.bench.simulation.check;

import io.terrace.bench.simulation.cluster.SimulatedNameNode;
import io.terrace.bench.simulation.kernel.Invariant;
import io.terrace.bench.simulation.kernel.Violation;
import io.terrace.placement.heartbeat.Heartbeat;
import io.terrace.placement.heartbeat.HeartbeatAnswer;
import io.terrace.placement.report.ReplicaReport;
import io.terrace.placement.state.BlockHeat;
import io.terrace.placement.state.ClusterState;
import io.terrace.placement.state.DataNodeState;
import io.terrace.placement.state.HomeChoice;
import io.terrace.placement.state.HomeSelector;
import io.terrace.placement.state.Move;
import io.terrace.placement.state.Move.Cause;
import io.terrace.protocol.MoveOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Whether a block has one copy, at its home, and whether a copy changes its home for the sake of readers alone. */
final class HomeChecks {

    /**
     * Reads that a DataNode reports before a copy comes to it from another one, since a copy left it. The rule asks for 4 reads more
     * than it loses; of those before the last change, a part may count again.
     */
    static final long LEAST_READS = 3;

    private record Place(String dataNode, long blockId) {}

    /** A copy is to leave one DataNode for another. */
    private record Hop(long blockId, String from, String to) {}

    /** What one process of a NameNode did. */
    private static final class Seen {
        private final List<Hop> hops = new ArrayList<>();
        private final Map<Place, Long> readsWhenLeft = new HashMap<>();
        private final Map<String, HeartbeatAnswer> answers = new HashMap<>();
    }

    private final Map<SimulatedNameNode, Seen> seen = new HashMap<>();
    /** Reads that DataNodes told each NameNode of; a journal brings them to its next process. */
    private final Map<String, Map<Place, Long>> told = new HashMap<>();

    private Seen seen(SimulatedNameNode nameNode) {
        return seen.computeIfAbsent(nameNode, first -> new Seen());
    }

    /** Watches how a service chooses homes. */
    HomeChoice.Factory watch(SimulatedNameNode nameNode, HomeChoice.Factory homes) {
        List<Hop> hops = seen(nameNode).hops;
        return clusterState -> new WatchedHomes(clusterState, homes.make(clusterState), hops);
    }

    /** Tells of the choices by which a copy moves, though it could stay. */
    private record WatchedHomes(HomeSelector selector, HomeChoice homes, List<Hop> hops) implements HomeChoice {

        WatchedHomes(ClusterState clusterState, HomeChoice homes, List<Hop> hops) {
            this(new HomeSelector(clusterState), homes, hops);
        }

        @Override
        public @Nullable DataNodeState choose(long nowMs, BlockHeat heat, int pool) {
            DataNodeState before = heat.home();
            long id = heat.block().id();
            boolean couldStay = before != null
                    && before.residents().holds(id)
                    && before.moveQueue().open(id) == null
                    && selector.fits(nowMs, before, id, heat.block().lengthBytes());
            DataNodeState chosen = homes.choose(nowMs, heat, pool);
            if (couldStay && before != null && chosen != null && chosen != before) {
                hops.add(new Hop(id, before.uuid(), chosen.uuid()));
            }
            return chosen;
        }

        @Override
        public boolean isElsewhere(DataNodeState node, long blockId) {
            return homes.isElsewhere(node, blockId);
        }
    }

    /** A service answers a heartbeat, unless it gives the same answer once more: an older heartbeat may come between, and be refused. */
    void answered(SimulatedNameNode nameNode, Heartbeat heartbeat, HeartbeatAnswer answer) {
        Seen before = seen(nameNode);
        if (answer.active() && answer == before.answers.put(heartbeat.node(), answer)) {
            return;
        }
        Map<Place, Long> reads = told.computeIfAbsent(nameNode.process().name(), first -> new HashMap<>());
        heartbeat
                .heat()
                .forEach(heat ->
                        reads.merge(new Place(heartbeat.node(), heat.block().id()), heat.reads(), Long::sum));
        for (Hop hop : before.hops) {
            check(nameNode, hop, before.readsWhenLeft, reads);
        }
        before.hops.clear();
        for (MoveOrder order : answer.orders()) {
            if (order.isPromotion()) {
                checkHome(nameNode, heartbeat.node(), order);
            }
        }
    }

    private static void check(
            SimulatedNameNode nameNode, Hop hop, Map<Place, Long> readsWhenLeft, Map<Place, Long> reads) {
        Place to = new Place(hop.to(), hop.blockId());
        long since = reads.getOrDefault(to, 0L) - readsWhenLeft.getOrDefault(to, 0L);
        nameNode.process().say("moves the copy of block %d from %s to %s", hop.blockId(), hop.from(), hop.to());
        Violation.unless(
                since >= LEAST_READS,
                Invariant.COPY_FOLLOWS_READERS,
                "%s moves the copy of block %d from %s to %s, which reported %d reads of it since it had it last",
                nameNode.process().name(),
                hop.blockId(),
                hop.from(),
                hop.to(),
                since);
        Place from = new Place(hop.from(), hop.blockId());
        readsWhenLeft.put(from, reads.getOrDefault(from, 0L));
    }

    /** What a policy wants is ordered of the home alone, so that one copy is made. Operators, pins and rules may want it anywhere. */
    private static void checkHome(SimulatedNameNode nameNode, String dataNode, MoveOrder order) {
        for (Move move : nameNode.placement().reports().moves(Set.of(order.moveId()))) {
            if (move.cause() != Cause.POLICY || !move.node().equals(dataNode)) {
                continue;
            }
            long id = order.block().id();
            for (ReplicaReport replica : nameNode.placement()
                    .reports()
                    .block(nameNode.nowMs(), id, 0)
                    .replicas()) {
                Violation.unless(
                        !replica.home() || replica.node().equals(dataNode),
                        Invariant.COPY_AT_HOME,
                        "%s orders %s of %s, while %s is its home",
                        nameNode.process().name(),
                        order,
                        dataNode,
                        replica.node());
            }
        }
    }
}
