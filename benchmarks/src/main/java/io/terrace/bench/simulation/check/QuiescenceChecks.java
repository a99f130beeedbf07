package io.terrace.bench.simulation.check;

import io.terrace.bench.simulation.cluster.Host;
import io.terrace.bench.simulation.cluster.Replica;
import io.terrace.bench.simulation.cluster.SimulatedBlock;
import io.terrace.bench.simulation.cluster.SimulatedCluster;
import io.terrace.bench.simulation.cluster.SimulatedDataNode;
import io.terrace.bench.simulation.cluster.SimulatedNameNode;
import io.terrace.bench.simulation.cluster.SimulatedNamespace;
import io.terrace.bench.simulation.cluster.SimulatedTmpfs;
import io.terrace.bench.simulation.kernel.Invariant;
import io.terrace.bench.simulation.kernel.Violation;
import io.terrace.channel.server.Principal;
import io.terrace.datanode.extent.Extent;
import io.terrace.datanode.extent.GrantAttempt;
import io.terrace.datanode.extent.LocalTier;
import io.terrace.placement.policyfile.PathRule;
import io.terrace.placement.report.EngineStatus;
import io.terrace.placement.report.NodeReport;
import io.terrace.placement.report.ReplicaReport;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The checks at quiescence, long after the last fault: nobody reads or waits, and the service knows every copy. */
public final class QuiescenceChecks {

    /** Paths of files that are looked at, more than have different rules. */
    private static final int PATHS = 12;

    private final SimulatedCluster simulatedCluster;
    private final ClusterChecks checks;
    private final SimulatedNameNode active;

    public QuiescenceChecks(SimulatedCluster simulatedCluster, ClusterChecks checks) {
        this.simulatedCluster = simulatedCluster;
        this.checks = checks;
        this.active = simulatedCluster.nameNode(simulatedCluster.activeIndex());
    }

    public void check() {
        for (Host host : simulatedCluster.hosts()) {
            SimulatedDataNode dataNode = host.dataNode;
            if (dataNode != null) {
                checkNothingLeft(dataNode);
                checks.watch(dataNode).heatChecks().checkQuiescent(dataNode);
                checkKnown(host);
                checkResidency(dataNode);
                checkRules(dataNode);
            }
        }
        checkMoves();
        simulatedCluster.namespace().all().forEach(this::checkReplicas);
        checks.poolChecks().checkQuiescent(active);
        checkPins();
        new OfferChecks(simulatedCluster, active).checkQuiescent();
        checks.policyRoomChecks().checkQuiescent(active);
        for (Host host : simulatedCluster.hosts()) {
            SimulatedDataNode dataNode = host.dataNode;
            if (dataNode != null) {
                checkGrantable(dataNode);
                checkEmptied(dataNode);
            }
        }
    }

    /** What was wanted in memory was done or given up. Between volumes blocks go on to drift with their heat. */
    private void checkMoves() {
        EngineStatus status = active.placement().engineStatus();
        Violation.unless(
                status.inFlight() == 0,
                Invariant.SETTLES,
                "%s still has orders in flight: %s",
                active.process().name(),
                status);
        Violation.unless(
                status.waiting() == 0,
                Invariant.MOVES_END,
                "%s still has moves that wait: %s",
                active.process().name(),
                status);
    }

    private void checkReplicas(SimulatedBlock block) {
        Set<String> counted = new TreeSet<>(block.holders);
        Set<String> durable = new TreeSet<>();
        for (Host host : simulatedCluster.hosts()) {
            if (host.simulatedVolumes.finalised(block.id, block.stamp) != null) {
                durable.add(host.name);
            }
            Violation.unless(
                    host.simulatedVolumes.wrong(block.id) == null,
                    Invariant.REPLICAS_RIGHT,
                    "%s has other bytes in %s, of which no bit flipped",
                    host,
                    host.simulatedVolumes.wrong(block.id));
        }
        Violation.unless(
                counted.equals(durable),
                Invariant.REPLICAS_COUNTED_ONCE,
                "the NameNode counts %s of %s, and there are %s",
                counted,
                block,
                durable);
    }

    private void checkNothingLeft(SimulatedDataNode dataNode) {
        LocalTier.Usage usage = dataNode.tier().usage();
        SimulatedTmpfs simulatedTmpfs = dataNode.host().simulatedTmpfs;
        int live = dataNode.tier().liveExtents().size();
        Violation.unless(
                usage.retiringBytes() == 0
                        && usage.extents() == live
                        && simulatedTmpfs.files() == live
                        && simulatedTmpfs.links() == 0
                        && usage.grants() == 0,
                Invariant.SETTLES,
                "%s still counts %s with %d live, %d files and %d links",
                dataNode,
                usage,
                live,
                simulatedTmpfs.files(),
                simulatedTmpfs.links());
        Violation.unless(
                dataNode.process().descriptors() == 0 && dataNode.copiesWaiting() == 0,
                Invariant.SETTLES,
                "%s still has %d files open, and %d copies wait to be made",
                dataNode,
                dataNode.process().descriptors(),
                dataNode.copiesWaiting());
        checks.watch(dataNode).checkQuiescent();
    }

    private void checkKnown(Host host) {
        NodeReport known = null;
        for (NodeReport report : active.placement().reports().nodes(active.nowMs())) {
            known = report.uuid().equals(host.name) ? report : known;
        }
        Violation.unless(
                known != null && known.live() && known.serving(),
                Invariant.RESIDENCY_KNOWN,
                "%s knows of %s, which runs and serves, only this: %s",
                active.process().name(),
                host,
                known);
    }

    private void checkResidency(SimulatedDataNode dataNode) {
        Set<Long> resident = new TreeSet<>();
        for (Extent extent : dataNode.tier().liveExtents()) {
            resident.add(extent.key().blockId());
        }
        Set<Long> known = new TreeSet<>();
        for (long id = SimulatedNamespace.FIRST_ID;
                id <= simulatedCluster.namespace().lastId();
                id++) {
            for (ReplicaReport replica :
                    active.placement().reports().block(active.nowMs(), id, 0).replicas()) {
                if (replica.node().equals(dataNode.host().name) && replica.inMemory()) {
                    known.add(id);
                }
            }
        }
        Violation.unless(
                known.equals(resident),
                Invariant.RESIDENCY_KNOWN,
                "%s believes %s in the memory of %s, where there are %s",
                active.process().name(),
                known,
                dataNode,
                resident);
    }

    private void checkRules(SimulatedDataNode dataNode) {
        for (long id = SimulatedNamespace.FIRST_ID; id < SimulatedNamespace.FIRST_ID + PATHS; id++) {
            String path = SimulatedNamespace.path(id);
            PathRule rule = simulatedCluster.policy().spec().ruleFor(path);
            Violation.unless(
                    dataNode.writeThroughRules().wantCopy(SimulatedNamespace.POOL, path)
                            == (rule != null && rule.writeToMemory()),
                    Invariant.RULES_KNOWN,
                    "%s has other rules for %s than the policy: %s",
                    dataNode,
                    path,
                    rule);
        }
    }

    /**
     * What is wanted and possible comes about: each pinned block is in the memory of one of its holders. One of which no replica
     * is whole is left out, one that failed so often that it is not tried yet, and all if not even one memory could hold them.
     */
    private void checkPins() {
        List<SimulatedBlock> pinned = simulatedCluster.namespace().all().stream()
                .filter(block -> simulatedCluster.operator().isPinned(block) && !block.underConstruction)
                .toList();
        long bytes = pinned.stream().mapToLong(block -> block.lengthBytes).sum();
        if (bytes > simulatedCluster.capacityBytes()) {
            return;
        }
        for (SimulatedBlock block : pinned) {
            List<ReplicaReport> replicas = active.placement()
                    .reports()
                    .block(active.nowMs(), block.id, 0)
                    .replicas();
            boolean possible =
                    isWholeSomewhere(block) && replicas.stream().allMatch(replica -> replica.heldBackMs() == 0);
            Violation.unless(
                    !possible || replicas.stream().anyMatch(ReplicaReport::inMemory),
                    Invariant.PINS_KEPT,
                    "%s is pinned, its holders are %s, and %s knows of no copy: %s",
                    block,
                    block.holders,
                    active.process().name(),
                    replicas);
        }
    }

    private boolean isWholeSomewhere(SimulatedBlock block) {
        for (Host host : simulatedCluster.hosts()) {
            Replica replica = host.simulatedVolumes.finalised(block.id, block.stamp);
            if (replica != null && block.holders.contains(host.name) && !host.simulatedVolumes.isCorrupt(replica)) {
                return true;
            }
        }
        return false;
    }

    /**
     * A user may hold half of all grants, over as many connections as needed. Here nobody holds any, so all are given.
     */
    private void checkGrantable(SimulatedDataNode dataNode) {
        List<Extent> granted = dataNode.tier().liveExtents().stream()
                .filter(extent -> extent.slot() != Extent.NO_SLOT)
                .limit(1)
                .toList();
        long nowNs = dataNode.process().nanoTime();
        for (Extent extent : granted) {
            for (int i = 0; i < SimulatedDataNode.GRANTS / 2; i += SimulatedDataNode.GRANTS_PER_PEER) {
                long session = simulatedCluster.nextSession();
                for (int grants = 0; grants < SimulatedDataNode.GRANTS_PER_PEER; grants++) {
                    GrantAttempt attempt = dataNode.tier()
                            .grants()
                            .grant(
                                    session,
                                    Principal.onThisHost("user"),
                                    extent.key(),
                                    nowNs + simulatedCluster.leaseNs(),
                                    nowNs);
                    Violation.unless(
                            attempt.grant() != null,
                            Invariant.SETTLES,
                            "%s refuses grant %d of %s where nobody has any: %s",
                            dataNode,
                            i + grants + 1,
                            extent,
                            attempt.refused());
                }
            }
        }
    }

    /** Switched off and with all grants ended, the tier frees everything: no leaked reference keeps an extent. */
    private void checkEmptied(SimulatedDataNode dataNode) {
        long nowNs = dataNode.process().nanoTime();
        dataNode.tier().serve(SimulatedNamespace.POOL, false, nowNs);
        dataNode.tier()
                .sweep(nowNs
                        + simulatedCluster.leaseNs()
                        + simulatedCluster.deadlineNs()
                        + SimulatedDataNode.PASSED_NS);
        LocalTier.Usage usage = dataNode.tier().usage();
        Violation.unless(
                usage.usedBytes() == 0 && usage.extents() == 0 && usage.grants() == 0 && usage.regionBytes() == 0,
                Invariant.SETTLES,
                "%s is off, and still counts %s",
                dataNode,
                usage);
    }
}
