package io.terrace.bench.simulation;

import io.terrace.channel.Holder;
import io.terrace.datanode.Extent;
import io.terrace.datanode.GrantAttempt;
import io.terrace.datanode.MemoryTier;
import io.terrace.placement.Reports;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** What must hold once all has been quiet for long: nobody reads, nobody waits, everybody knows what there is. */
final class Settled {

    private final World world;
    private final NameNode active;

    Settled(World world, NameNode active) {
        this.world = world;
        this.active = active;
    }

    void check() {
        for (Host host : world.hosts()) {
            DataNode dataNode = host.dataNode;
            if (dataNode != null) {
                checkNothingLeft(dataNode);
                dataNode.toldHeat().checkSettled(dataNode);
                checkKnown(host);
                checkResidency(dataNode);
            }
        }
        Violation.unless(
                active.placement().vitals().inFlight() == 0,
                Invariant.SETTLES,
                "%s still has orders in flight: %s",
                active.process().name(),
                active.placement().vitals());
        world.namespace().all().forEach(this::checkReplicas);
        for (Host host : world.hosts()) {
            DataNode dataNode = host.dataNode;
            if (dataNode != null) {
                checkGrantable(dataNode);
                checkEmptied(dataNode);
            }
        }
    }

    private void checkReplicas(Block block) {
        Set<String> counted = new TreeSet<>(block.holders);
        Set<String> durable = new TreeSet<>();
        for (Host host : world.hosts()) {
            if (host.disks.finalised(block.id, block.stamp) != null) {
                durable.add(host.name);
            }
        }
        Violation.unless(
                counted.equals(durable),
                Invariant.REPLICAS_COUNTED_ONCE,
                "the NameNode counts %s of %s, and there are %s",
                counted,
                block,
                durable);
    }

    private void checkNothingLeft(DataNode dataNode) {
        MemoryTier.Usage usage = dataNode.tier().usage();
        TmpFs tmpFs = dataNode.host().tmpFs;
        int live = dataNode.tier().liveExtents().size();
        Violation.unless(
                usage.retiringBytes() == 0
                        && usage.extents() == live
                        && tmpFs.files() == live
                        && tmpFs.links() == 0
                        && usage.grants() == 0,
                Invariant.SETTLES,
                "%s still counts %s with %d live, %d files and %d links",
                dataNode,
                usage,
                live,
                tmpFs.files(),
                tmpFs.links());
        Violation.unless(
                dataNode.process().descriptors() == 0 && dataNode.copiesWaiting() == 0,
                Invariant.SETTLES,
                "%s still has %d files open, and %d copies wait to be made",
                dataNode,
                dataNode.process().descriptors(),
                dataNode.copiesWaiting());
        dataNode.watch().checkSettled();
    }

    private void checkKnown(Host host) {
        Reports.NodeReport known = null;
        for (Reports.NodeReport report : active.placement().reports().nodes(active.nowMs())) {
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

    private void checkResidency(DataNode dataNode) {
        Set<Long> resident = new TreeSet<>();
        for (Extent extent : dataNode.tier().liveExtents()) {
            resident.add(extent.key().blockId());
        }
        Set<Long> known = new TreeSet<>();
        for (long id = Namespace.FIRST_ID; id <= world.namespace().lastId(); id++) {
            for (Reports.Standing standing :
                    active.placement().reports().block(active.nowMs(), id, 0).standings()) {
                if (standing.node().equals(dataNode.host().name) && standing.inMemory()) {
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

    /** A user may have half of all grants, over so many connections as that takes; so he who has none gets them. */
    private void checkGrantable(DataNode dataNode) {
        List<Extent> granted = dataNode.tier().liveExtents().stream()
                .filter(extent -> extent.slot() != Extent.NO_SLOT)
                .limit(1)
                .toList();
        long nowNs = dataNode.process().nanoTime();
        for (Extent extent : granted) {
            for (int i = 0; i < DataNode.GRANTS / 2; i += DataNode.GRANTS_PER_PEER) {
                long session = world.nextSession();
                for (int grants = 0; grants < DataNode.GRANTS_PER_PEER; grants++) {
                    GrantAttempt attempt = dataNode.tier()
                            .grant(session, Holder.onThisHost("user"), extent.key(), nowNs + world.leaseNs(), nowNs);
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

    /** Switched off, with all grants over, it gives everything up: nothing that nobody has any more holds an extent. */
    private void checkEmptied(DataNode dataNode) {
        long nowNs = dataNode.process().nanoTime();
        dataNode.tier().serve(Namespace.POOL, false, nowNs);
        dataNode.tier().sweep(nowNs + world.leaseNs() + world.deadlineNs() + DataNode.PASSED_NS);
        MemoryTier.Usage usage = dataNode.tier().usage();
        Violation.unless(
                usage.usedBytes() == 0 && usage.extents() == 0 && usage.grants() == 0 && usage.regionBytes() == 0,
                Invariant.SETTLES,
                "%s is off, and still counts %s",
                dataNode,
                usage);
    }
}
