package io.terrace.bench.simulation.check;

import io.terrace.bench.simulation.cluster.ClusterObserver;
import io.terrace.bench.simulation.cluster.Replica;
import io.terrace.bench.simulation.cluster.SimulatedClient;
import io.terrace.bench.simulation.cluster.SimulatedCluster;
import io.terrace.bench.simulation.cluster.SimulatedDataNode;
import io.terrace.bench.simulation.cluster.SimulatedTmpfs;
import io.terrace.bench.simulation.kernel.Invariant;
import io.terrace.bench.simulation.kernel.MemoryFile;
import io.terrace.bench.simulation.kernel.Scheduler;
import io.terrace.bench.simulation.kernel.Violation;
import io.terrace.channel.Grant;
import io.terrace.datanode.extent.AddressSpace;
import io.terrace.datanode.extent.CountedReport;
import io.terrace.datanode.extent.Extent;
import io.terrace.datanode.extent.ExtentListener;
import io.terrace.datanode.extent.ExtentState;
import io.terrace.datanode.extent.ExtentStore;
import io.terrace.datanode.extent.LocalTier;
import io.terrace.datanode.extent.RetireCause;
import io.terrace.datanode.extent.SlotAllocator;
import io.terrace.datanode.heartbeat.AccessRecorder;
import io.terrace.datanode.memory.LeftoverFiles;
import io.terrace.datanode.memory.MemoryDirectory;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Watches the memory tier of one DataNode process from all its sides, its files, slots and events, and checks what must
 * hold of them.
 */
public final class TierChecks implements ClusterObserver.DataNodeObserver {

    private record GivenGrant(long session, long id) {}

    private final SimulatedCluster simulatedCluster;
    private final SimulatedDataNode dataNode;
    private final Set<Extent> extents = new LinkedHashSet<>();
    /** Those that were told to be pinned. */
    private final Set<Extent> pinned = new LinkedHashSet<>();

    private final LeaseChecks leaseChecks;
    private final RetirementChecks retirementChecks;
    private final ReportedHeatChecks heatChecks = new ReportedHeatChecks();
    /** Live when a bit of them flipped, by when that was. */
    private final Map<Extent, Long> rotten = new LinkedHashMap<>();

    private final Set<GivenGrant> given = new LinkedHashSet<>();
    /** Only then can a grant have outlived its extent. */
    private boolean freedSince;

    TierChecks(SimulatedDataNode dataNode) {
        this.simulatedCluster = dataNode.simulatedCluster();
        this.dataNode = dataNode;
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
                if (isPinned) {
                    pinned.add(extent);
                } else {
                    pinned.remove(extent);
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
        return extent.address() + pages(extent);
    }

    private static long pages(Extent extent) {
        return (extent.lengthBytes() + AddressSpace.PAGE_BYTES - 1) / AddressSpace.PAGE_BYTES * AddressSpace.PAGE_BYTES;
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
                    dataNode.mount().file(extent).holds(wanted) || rotten.containsKey(extent),
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
        rotten.remove(extent);
        freedSince = true;
    }

    /** A bit of a live copy flips; from now on a scrub that begins finds it. */
    public void rots(Extent extent, Scheduler scheduler) {
        try {
            MemoryFile file = dataNode.mount().file(extent);
            if (!file.isRotten()) {
                dataNode.process().say("a bit of %s flips", extent);
                file.rot(
                        scheduler.random().nextInt(file.lengthBytes()),
                        scheduler.random().nextInt(8));
                rotten.put(extent, scheduler.nowNs());
            }
        } catch (IOException e) {
            throw new Violation(Invariant.VERIFIED_WHEN_PUBLISHED, "no file of " + extent, e);
        }
    }

    /** A pass of the scrub is over that began then. */
    @Override
    public void scrubbed(long begunNs) {
        rotten.forEach((extent, sinceNs) -> Violation.unless(
                sinceNs >= begunNs || extent.state() != ExtentState.LIVE,
                Invariant.ROT_ENDS,
                "%s scrubbed %s after a bit of it had flipped, and serves it",
                dataNode,
                extent));
    }

    /** A regular turn of housekeeping is over. */
    @Override
    public void turned() {
        retirementChecks.turned(simulatedCluster.scheduler().nowNs());
    }

    /** This grant was given. */
    @Override
    public void granted(long session, long grantId) {
        given.add(new GivenGrant(session, grantId));
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
        LocalTier tier = dataNode.tier();
        LocalTier.Usage usage = tier.usage();
        long used = 0;
        long leaving = 0;
        long region = 0;
        long copying = 0;
        int live = 0;
        for (Extent extent : extents) {
            used += extent.lengthBytes();
            region += pages(extent);
            copying += extent.state() == ExtentState.COPYING ? extent.lengthBytes() : 0;
            boolean isLeaving = extent.state() == ExtentState.RETIRING || extent.state() == ExtentState.REMOVABLE;
            leaving += isLeaving ? extent.lengthBytes() : 0;
            if (extent.state() == ExtentState.LIVE) {
                live++;
                checkLive(extent);
            } else if (isLeaving && extent.slot() != Extent.NO_SLOT) {
                Violation.unless(
                        !dataNode.table().isLive(extent.slot(), extent.sequence()),
                        Invariant.SLOT_HONEST,
                        "%s shows %s as live",
                        dataNode,
                        extent);
            }
        }
        // A copy whose file is not made yet is only seen in the tier's own count, as leftovers are that wait.
        boolean allSeen = usage.extents() == extents.size()
                && !dataNode.host().simulatedTmpfs.hasLeftovers();
        Violation.unless(
                (allSeen ? usage.usedBytes() == used : usage.usedBytes() >= used)
                        && (!allSeen || usage.retiringBytes() == leaving)
                        && (!allSeen || usage.regionBytes() == region)
                        && usage.usedBytes() <= usage.capacityBytes(),
                Invariant.ACCOUNTING,
                "%s counts %s, and has %d extents (%d live) with %d bytes, %d of them leaving, and %d of the region",
                dataNode,
                usage,
                extents.size(),
                live,
                used,
                leaving,
                region);
        checkPinned(usage, allSeen, copying);
        checkFiles(usage);
        if (freedSince) {
            freedSince = false;
            checkGrants(tier);
        }
    }

    private void checkPinned(LocalTier.Usage usage, boolean allSeen, long copyingBytes) {
        // Of a copy that is being made nobody is told yet whether it will be pinned.
        long pinnedBytes = 0;
        for (Extent extent : pinned) {
            pinnedBytes += extent.lengthBytes();
        }
        Violation.unless(
                pinnedBytes <= usage.pinnedBytes() && (!allSeen || usage.pinnedBytes() <= pinnedBytes + copyingBytes),
                Invariant.ACCOUNTING,
                "%s counts %s, and has %d pinned bytes in %s, and %d of copies that are being made",
                dataNode,
                usage,
                pinnedBytes,
                pinned,
                copyingBytes);
    }

    private void checkFiles(LocalTier.Usage usage) {
        Violation.unless(
                dataNode.host().simulatedTmpfs.namedBytes() <= usage.usedBytes(),
                Invariant.FILES_ACCOUNTED,
                "%s counts %d bytes, and its tmpfs holds %d",
                dataNode,
                usage.usedBytes(),
                dataNode.host().simulatedTmpfs.namedBytes());
        Violation.unless(
                dataNode.host().simulatedTmpfs.links()
                        == dataNode.grantServerDriver().pendingLinks(),
                Invariant.LINKS_REMOVED,
                "%s has %d links, and %d grants wait to be opened",
                dataNode,
                dataNode.host().simulatedTmpfs.links(),
                dataNode.grantServerDriver().pendingLinks());
    }

    private void checkLive(Extent extent) {
        Violation.unless(
                extent.slot() == Extent.NO_SLOT || dataNode.table().isLive(extent.slot(), extent.sequence()),
                Invariant.SLOT_HONEST,
                "%s does not show %s as live",
                dataNode,
                extent);
        Replica replica = dataNode.host()
                .simulatedVolumes
                .finalised(extent.key().blockId(), extent.key().generationStamp());
        Violation.unless(
                replica != null && replica.lengthBytes() == extent.lengthBytes(),
                Invariant.NEVER_ONLY_COPY,
                "%s serves %s and has %s",
                dataNode,
                extent,
                dataNode.host().simulatedVolumes.find(extent.key().blockId()));
    }

    private void checkGrants(LocalTier tier) {
        List<GivenGrant> over = new ArrayList<>();
        for (GivenGrant grant : given) {
            // A report of nothing answers whether the grant is held, and changes nothing.
            CountedReport held = tier.grants()
                    .reported(
                            grant.session(),
                            grant.id(),
                            0,
                            0,
                            dataNode.process().nanoTime());
            if (held == null) {
                over.add(grant);
                continue;
            }
            Violation.unless(
                    held.extent().state() != ExtentState.FREED,
                    Invariant.GRANT_WITHIN_EXTENT,
                    "%s has grant %d of session %d on %s",
                    dataNode,
                    grant.id(),
                    grant.session(),
                    held.extent());
        }
        over.forEach(given::remove);
    }

    /** Once all is quiet: by then a scrub found whatever had gone bad. */
    void checkSettled() {
        rotten.keySet()
                .forEach(extent -> Violation.unless(
                        extent.state() != ExtentState.LIVE,
                        Invariant.ROT_ENDS,
                        "%s still serves %s, of which a bit flipped",
                        dataNode,
                        extent));
    }
}
