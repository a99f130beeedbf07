package io.terrace.bench.simulation.check;

import io.terrace.bench.simulation.cluster.ClusterObserver;
import io.terrace.bench.simulation.cluster.SimulatedClient;
import io.terrace.bench.simulation.cluster.SimulatedCluster;
import io.terrace.bench.simulation.cluster.SimulatedDataNode;
import io.terrace.bench.simulation.cluster.SimulatedTmpfs;
import io.terrace.bench.simulation.kernel.Invariant;
import io.terrace.bench.simulation.kernel.Scheduler;
import io.terrace.bench.simulation.kernel.Violation;
import io.terrace.channel.Grant;
import io.terrace.datanode.extent.Extent;
import io.terrace.datanode.extent.ExtentListener;
import io.terrace.datanode.extent.ExtentState;
import io.terrace.datanode.extent.ExtentStore;
import io.terrace.datanode.extent.RetireCause;
import io.terrace.datanode.extent.SlotAllocator;
import io.terrace.datanode.heartbeat.AccessRecorder;
import io.terrace.datanode.memory.LeftoverFiles;
import io.terrace.datanode.memory.MemoryDirectory;
import io.terrace.datanode.writethrough.DraftFiles;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;

/**
 * Observes the memory tier of one DataNode process through its files, slots and events, and checks what must hold at
 * each of them.
 */
public final class TierChecks implements ClusterObserver.DataNodeObserver {

    private final SimulatedCluster simulatedCluster;
    private final SimulatedDataNode dataNode;
    private final List<Extent> extents = new ArrayList<>();
    /** Extents that were reported as pinned. */
    private final List<Extent> pinned = new ArrayList<>();

    private final LeaseChecks leaseChecks;
    private final RetirementChecks retirementChecks;
    private final ReportedHeatChecks heatChecks = new ReportedHeatChecks();
    private final BitRotChecks bitRotChecks;
    private final TierAccountingChecks accountingChecks;

    TierChecks(SimulatedDataNode dataNode) {
        this.simulatedCluster = dataNode.simulatedCluster();
        this.dataNode = dataNode;
        this.bitRotChecks = new BitRotChecks(dataNode);
        this.accountingChecks = new TierAccountingChecks(dataNode, extents, pinned);
        this.leaseChecks = new LeaseChecks(simulatedCluster.deadlineNs());
        this.retirementChecks = new RetirementChecks(
                dataNode,
                leaseChecks,
                Math.max(simulatedCluster.leaseNs() + simulatedCluster.deadlineNs(), SimulatedDataNode.PASSED_NS));
    }

    @Override
    public LeftoverFiles leftovers(SimulatedTmpfs.Mount mount) {
        return new LeftoverFiles() {
            @Override
            public List<MemoryDirectory.Leftover> leftovers() {
                return mount.leftovers();
            }

            @Override
            public FileChannel open(MemoryDirectory.Leftover leftover) throws IOException {
                return mount.open(leftover);
            }

            @Override
            public void adopt(MemoryDirectory.Leftover leftover, Extent extent) throws IOException {
                entered(extent);
                mount.adopt(leftover, extent);
            }

            @Override
            public void discard(MemoryDirectory.Leftover leftover) {
                dataNode.process().say("discards %s", leftover);
                mount.discard(leftover);
            }
        };
    }

    @Override
    public ExtentStore files(ExtentStore files) {
        return new ExtentStore() {
            @Override
            public FileChannel create(Extent extent) throws IOException {
                entered(extent);
                return files.create(extent);
            }

            @Override
            public void seal(Extent extent) throws IOException {
                files.seal(extent);
            }

            @Override
            public FileChannel open(Extent extent) throws IOException {
                return files.open(extent);
            }

            @Override
            public boolean remove(Extent extent, boolean truncate) {
                removed(extent);
                return files.remove(extent, truncate);
            }
        };
    }

    @Override
    public DraftFiles drafts(DraftFiles drafts) {
        return new DraftFiles() {
            @Override
            public Draft create() throws IOException {
                return drafts.create();
            }

            @Override
            public void adopt(Draft draft, Extent extent) throws IOException {
                entered(extent);
                dataNode.process().say("adopts %s", draft.path());
                drafts.adopt(draft, extent);
            }

            @Override
            public boolean remove(Draft draft) {
                dataNode.process().say("gives up %s", draft.path());
                return drafts.remove(draft);
            }
        };
    }

    @Override
    public SlotAllocator slots(SlotAllocator slots) {
        return new CheckedSlots(slots);
    }

    @Override
    public AccessRecorder.Listener heat() {
        return heatChecks;
    }

    @Override
    public void heatWithoutReplica(long blockId) {
        heatChecks.gone(blockId);
    }

    ReportedHeatChecks heatChecks() {
        return heatChecks;
    }

    @Override
    public ExtentListener events(ExtentListener events) {
        return new ExtentListener() {
            @Override
            public void resident(Extent extent, boolean isPinned) {
                published(extent);
                pinned.remove(extent);
                if (isPinned) {
                    pinned.add(extent);
                }
                events.resident(extent, isPinned);
            }

            @Override
            public void gone(Extent extent, RetireCause cause) {
                dataNode.process().say("retires %s: %s", extent, cause);
                pinned.remove(extent);
                retirementChecks.retired(extent, simulatedCluster.scheduler().nowNs());
                events.gone(extent, cause);
            }

            @Override
            public void pinned(boolean more) {
                events.pinned(more);
            }

            @Override
            public void housekeepingWanted() {
                events.housekeepingWanted();
            }
        };
    }

    /** An extent has a file from now on. */
    void entered(Extent extent) {
        dataNode.process().say("begins %s", extent);
        for (Extent other : extents) {
            Violation.unless(
                    end(other) <= extent.address() || end(extent) <= other.address(),
                    Invariant.ONE_OWNER,
                    "%s has %s and %s",
                    dataNode,
                    extent,
                    other);
        }
        extents.add(extent);
    }

    private static long end(Extent extent) {
        return extent.address() + TierAccountingChecks.pages(extent);
    }

    private void published(Extent extent) {
        dataNode.process().say("serves %s", extent);
        for (Extent other : extents) {
            Violation.unless(
                    other == extent
                            || other.state() != ExtentState.LIVE
                            || other.key().blockId() != extent.key().blockId(),
                    Invariant.ONE_OWNER,
                    "%s serves %s and %s",
                    dataNode,
                    extent,
                    other);
        }
        byte[] wanted = simulatedCluster
                .contentOracle()
                .of(extent.key().blockId(), extent.key().generationStamp());
        try {
            Violation.unless(
                    dataNode.mount().file(extent).holds(wanted) || bitRotChecks.isFlipped(extent),
                    Invariant.VERIFIED_WHEN_PUBLISHED,
                    "%s serves %s with other bytes",
                    dataNode,
                    extent);
        } catch (IOException e) {
            throw new Violation(Invariant.VERIFIED_WHEN_PUBLISHED, "no file of " + extent, e);
        }
    }

    private void removed(Extent extent) {
        dataNode.process().say("frees %s", extent);
        leaseChecks.checkFree(dataNode, extent, simulatedCluster.scheduler().nowNs());
        extents.remove(extent);
        retirementChecks.freed(extent);
        bitRotChecks.freed(extent);
        accountingChecks.freed();
    }

    @Override
    public void scrubbed(long begunNs) {
        bitRotChecks.scrubbed(begunNs);
    }

    public void flipBit(Extent extent, Scheduler scheduler) {
        bitRotChecks.flip(extent, scheduler);
    }

    /** A regular turn of housekeeping is over. */
    @Override
    public void turned() {
        retirementChecks.turned(simulatedCluster.scheduler().nowNs());
    }

    /** This grant was given. */
    @Override
    public void granted(long session, long grantId) {
        accountingChecks.granted(session, grantId);
    }

    /** A client holds this grant from now on. */
    void leased(SimulatedClient client, Grant grant, long endsNs, long tokenEndsNs) {
        for (Extent extent : extents) {
            if (extent.slot() == grant.descriptor().slot()
                    && extent.sequence() == grant.descriptor().sequence()) {
                leaseChecks.begin(
                        grant.grantId(),
                        client,
                        extent,
                        simulatedCluster.scheduler().nowNs(),
                        endsNs,
                        tokenEndsNs);
            }
        }
    }

    LeaseChecks leaseChecks() {
        return leaseChecks;
    }

    void check() {
        accountingChecks.check();
    }

    void checkQuiescent() {
        bitRotChecks.checkQuiescent();
    }
}
