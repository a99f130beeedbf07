package io.terrace.bench.simulation.check;

import io.terrace.bench.simulation.cluster.ClusterHooks;
import io.terrace.bench.simulation.cluster.ClusterObserver;
import io.terrace.bench.simulation.cluster.GrantServerDriver;
import io.terrace.bench.simulation.cluster.SimulatedClient;
import io.terrace.bench.simulation.cluster.SimulatedDataNode;
import io.terrace.bench.simulation.cluster.SimulatedNameNode;
import io.terrace.bench.simulation.kernel.Invariant;
import io.terrace.bench.simulation.kernel.Scheduler;
import io.terrace.bench.simulation.kernel.Violation;
import io.terrace.channel.Grant;
import io.terrace.channel.server.Peer;
import io.terrace.metrics.Metric;
import io.terrace.placement.heartbeat.Heartbeat;
import io.terrace.placement.heartbeat.HeartbeatAnswer;
import io.terrace.placement.policy.PolicyFactory;
import io.terrace.placement.state.HomeChoice;
import io.terrace.placement.state.Move;
import io.terrace.placement.state.NamespaceView;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.proto.DataNodeProtos.BlockProto;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatRequestProto;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatResponseProto;
import io.terrace.protocol.proto.DataNodeProtos.OrderProto;
import io.terrace.protocol.proto.DataNodeProtos.OutcomeProto;
import io.terrace.protocol.proto.DataNodeProtos.ResultProto;
import io.terrace.protocol.proto.DataNodeProtos.VolumeMoveProto;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The history of the whole cluster, and the invariants that concern more than one DataNode's tier. */
public final class ClusterChecks implements ClusterObserver {

    private record ReportedResult(String dataNode, long epoch, long moveId, long blockId, long stamp, String outcome) {}

    /** An order that must not be carried out; move ids begin anew with each epoch. */
    private record Fenced(SimulatedDataNode dataNode, int nameNode, long epoch, long moveId, long blockId) {}

    /** Outcomes that only a DataNode reports; the others are the service's own. */
    private static final Set<MoveOutcome> TOLD = EnumSet.of(
            MoveOutcome.DONE,
            MoveOutcome.NO_ROOM,
            MoveOutcome.NOT_HERE,
            MoveOutcome.CHANGED,
            MoveOutcome.CORRUPT,
            MoveOutcome.PINNED,
            MoveOutcome.REFUSED,
            MoveOutcome.FAILED);

    /** The failures of copies and moves that the simulation causes. Any other failure comes from a bug. */
    private static final List<String> PLANNED_FAILURES = List.of(
            "another order copies ",
            "java.io.IOException: Input/output error",
            "java.io.FileNotFoundException: no finalised replica of ",
            "Input/output error",
            "cannot write volume");

    /** What moves between volumes say of one that is taken out. */
    private static final String VOLUME_REMOVED = " is being removed";

    private final Scheduler scheduler;
    private final ClusterHooks hooks;
    private final Map<SimulatedDataNode, TierChecks> watches = new LinkedHashMap<>();
    private final Map<SimulatedDataNode, Long> epochsHeard = new HashMap<>();
    private final Set<Fenced> fenced = new HashSet<>();
    private final Set<ReportedResult> reportedResults = new HashSet<>();
    private final Set<Move> movesSeen = new HashSet<>();
    private final BudgetChecks budgets = new BudgetChecks();
    private final ServiceHeatChecks serviceHeatChecks = new ServiceHeatChecks();
    private final PoolChecks poolChecks = new PoolChecks();
    private final PriceChecks priceChecks = new PriceChecks();
    private final PolicyRoomChecks policyRoomChecks = new PolicyRoomChecks();
    private final HomeChecks homeChecks = new HomeChecks();
    private final AheadChecks aheadChecks = new AheadChecks();
    private final VolumeChecks volumeChecks;
    private long readsOfStoppedNodes;

    public ClusterChecks(Scheduler scheduler, ClusterHooks hooks) {
        this.scheduler = scheduler;
        this.hooks = hooks;
        this.volumeChecks = new VolumeChecks(scheduler);
    }

    @Override
    public TierChecks watch(SimulatedDataNode dataNode) {
        return watches.computeIfAbsent(dataNode, TierChecks::new);
    }

    @Override
    public void died(SimulatedDataNode dataNode) {
        watches.remove(dataNode);
        readsOfStoppedNodes += reads(dataNode);
    }

    @Override
    public void granted(SimulatedDataNode dataNode, Peer peer, Grant grant) {
        watch(dataNode).granted(peer.session(), grant.grantId());
    }

    @Override
    public void leased(SimulatedClient client, SimulatedDataNode dataNode, Grant grant, byte[] token, long askedNs) {
        long endsNs = inSimulationTime(client, askedNs) + grant.leaseMs() * 1_000_000;
        dataNode.process().say("gave %s grant %d", client.process().name(), grant.grantId());
        if (watches.containsKey(dataNode)) {
            watch(dataNode).leased(client, grant, endsNs, GrantServerDriver.endsNs(token));
        }
    }

    @Override
    public void renewed(SimulatedClient client, SimulatedDataNode dataNode, long grantId, long endsNs) {
        if (watches.containsKey(dataNode)) {
            watch(dataNode).leaseChecks().renew(grantId, inSimulationTime(client, endsNs));
        }
    }

    @Override
    public void ended(SimulatedDataNode dataNode, long grantId) {
        if (watches.containsKey(dataNode)) {
            watch(dataNode).leaseChecks().end(grantId);
        }
    }

    private long inSimulationTime(SimulatedClient client, long processNs) {
        return scheduler.nowNs() + (processNs - client.process().nanoTime());
    }

    @Override
    public void used(SimulatedClient client, SimulatedDataNode dataNode, long grantId) {
        if (watches.containsKey(dataNode)) {
            long endsNs = watch(dataNode).leaseChecks().endsNs(grantId);
            Violation.unless(
                    scheduler.nowNs() <= endsNs,
                    Invariant.READ_WITHIN_LEASE,
                    "%s uses what it read through grant %d of %s, %.3f ms after its end",
                    client.process().name(),
                    grantId,
                    dataNode,
                    (scheduler.nowNs() - endsNs) / 1e6);
        }
    }

    /** Records the results that the DataNode reports for its orders. */
    @Override
    public void composed(SimulatedDataNode dataNode, int nameNode, HeartbeatRequestProto request) {
        watch(dataNode).heatChecks().composed(nameNode, request);
        serviceHeatChecks.composed(
                dataNode,
                dataNode.simulatedCluster().nameNode(nameNode).process().name(),
                request);
        for (ResultProto result : request.getResultsList()) {
            dataNode.process()
                    .say(
                            "move %d of epoch %d, %d_%d: %s %s",
                            result.getMoveId(),
                            result.getEpoch(),
                            result.getBlock().getBlockId(),
                            result.getBlock().getGenerationStamp(),
                            result.getOutcome(),
                            result.getMessage());
            Violation.unless(
                    result.getOutcome() != OutcomeProto.FAILED || isPlanned(result.getMessage()),
                    Invariant.FAILURES_PLANNED,
                    "%s: %s",
                    dataNode,
                    result.getMessage());
            Violation.unless(
                    result.getOutcome() == OutcomeProto.REFUSED
                            || !fenced.contains(new Fenced(
                                    dataNode,
                                    nameNode,
                                    result.getEpoch(),
                                    result.getMoveId(),
                                    result.getBlock().getBlockId())),
                    Invariant.EPOCH_FENCED,
                    "%s carried out move %d of nn%d, whose epoch was over",
                    dataNode,
                    result.getMoveId(),
                    nameNode);
            reportedResults.add(new ReportedResult(
                    dataNode.host().name,
                    result.getEpoch(),
                    result.getMoveId(),
                    result.getBlock().getBlockId(),
                    result.getBlock().getGenerationStamp(),
                    result.getOutcome().name()));
        }
    }

    private static boolean isPlanned(String failure) {
        return PLANNED_FAILURES.stream().anyMatch(failure::startsWith) || failure.endsWith(VOLUME_REMOVED);
    }

    @Override
    public HeartbeatResponseProto answered(SimulatedDataNode dataNode, int nameNode, HeartbeatResponseProto response) {
        if (!response.getActive()) {
            return response;
        }
        long highest = epochsHeard.getOrDefault(dataNode, 0L);
        HeartbeatResponseProto obeyed = hooks.answer(response, highest);
        for (OrderProto order : response.getOrdersList()) {
            ordered(dataNode, nameNode, response, obeyed, order.getMoveId(), order.getBlock(), order.getKind());
        }
        for (VolumeMoveProto move : response.getVolumeMovesList()) {
            ordered(dataNode, nameNode, response, obeyed, move.getMoveId(), move.getBlock(), move.getTo());
        }
        epochsHeard.merge(dataNode, response.getEpoch(), Math::max);
        return obeyed;
    }

    private void ordered(
            SimulatedDataNode dataNode,
            int nameNode,
            HeartbeatResponseProto response,
            HeartbeatResponseProto obeyed,
            long moveId,
            BlockProto block,
            Enum<?> what) {
        dataNode.process()
                .say(
                        "is ordered by nn%d in epoch %d: %s %d_%d as move %d",
                        nameNode, response.getEpoch(), what, block.getBlockId(), block.getGenerationStamp(), moveId);
        Fenced id = new Fenced(dataNode, nameNode, obeyed.getEpoch(), moveId, block.getBlockId());
        if (response.getEpoch() < epochsHeard.getOrDefault(dataNode, 0L)) {
            fenced.add(id);
        } else {
            fenced.remove(id);
        }
    }

    @Override
    public NamespaceView view(SimulatedNameNode nameNode, NamespaceView view) {
        return nameNode.simulatedCluster().policy().hasPools()
                ? new CheckedView(view, () -> poolChecks.decided(nameNode))
                : view;
    }

    @Override
    public PolicyFactory policies(SimulatedNameNode nameNode, PolicyFactory maker) {
        return policyRoomChecks.watch(priceChecks.watch(nameNode, maker));
    }

    @Override
    public HomeChoice.Factory homes(SimulatedNameNode nameNode, HomeChoice.Factory homes) {
        return homeChecks.watch(nameNode, homes);
    }

    PoolChecks poolChecks() {
        return poolChecks;
    }

    PolicyRoomChecks policyRoomChecks() {
        return policyRoomChecks;
    }

    /** Checks the moves that ended since the last call. */
    @Override
    public void movesEnded(SimulatedNameNode nameNode) {
        // The service goes on with another policy, and everything else may hold.
        Violation.unless(
                nameNode.value(Metric.PLACEMENT_POLICY_REFUSED) == 0,
                Invariant.NOTHING_THROWN,
                "%s goes on without the policy %s: %s",
                nameNode.process().name(),
                nameNode.simulatedCluster().policy().spec().policy(),
                nameNode.placement().engineStatus());
        if (!nameNode.placement().isActive()) {
            return;
        }
        if (nameNode.simulatedCluster().policy().hasPools()) {
            poolChecks.decided(nameNode);
        }
        for (Move move : nameNode.placement().reports().latestMoves(32)) {
            MoveOutcome outcome = move.outcome();
            if (movesSeen.add(move) && outcome != null && TOLD.contains(outcome)) {
                ReportedResult wanted = new ReportedResult(
                        move.node(),
                        nameNode.placement().epoch(),
                        move.id(),
                        move.block().id(),
                        move.block().stamp(),
                        outcome.name());
                Violation.unless(
                        reportedResults.contains(wanted),
                        Invariant.RESULT_OF_THIS_ORDER,
                        "%s ended %s in epoch %d",
                        nameNode.process().name(),
                        move,
                        nameNode.placement().epoch());
            }
        }
    }

    @Override
    public void answered(SimulatedNameNode nameNode, Heartbeat heartbeat, HeartbeatAnswer answer) {
        movesEnded(nameNode);
        budgets.answered(nameNode, heartbeat, answer);
        ControlChecks.answered(nameNode, answer);
        priceChecks.answered(nameNode, heartbeat);
        homeChecks.answered(nameNode, heartbeat, answer);
        aheadChecks.answered(nameNode, heartbeat, answer);
        long counted = nameNode.readsCounted();
        Violation.unless(
                counted <= reads(),
                Invariant.HEAT_COUNTED_ONCE,
                "%s counts %d reads, of which there were %d",
                nameNode.process().name(),
                counted,
                reads());
        serviceHeatChecks.answered(nameNode, heartbeat, answer);
    }

    private long reads() {
        long reads = readsOfStoppedNodes;
        for (SimulatedDataNode dataNode : watches.keySet()) {
            reads += reads(dataNode);
        }
        return reads;
    }

    private static long reads(SimulatedDataNode dataNode) {
        return dataNode.metricRegistry().value(Metric.READS_GRANTED)
                + dataNode.metricRegistry().value(Metric.READS_STOCK_MEMORY)
                + dataNode.metricRegistry().value(Metric.READS_STOCK_REPLICA)
                + dataNode.metricRegistry().value(Metric.READS_DESCRIPTORS_MEMORY)
                + dataNode.metricRegistry().value(Metric.READS_DESCRIPTORS_REPLICA);
    }

    /** Runs after every event. */
    public void check() {
        watches.values().forEach(TierChecks::check);
        volumeChecks.check(watches.keySet());
    }
}
