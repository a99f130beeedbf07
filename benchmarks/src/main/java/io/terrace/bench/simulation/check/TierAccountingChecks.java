package io.terrace.bench.simulation.check;

import io.terrace.bench.simulation.cluster.Replica;
import io.terrace.bench.simulation.cluster.SimulatedDataNode;
import io.terrace.bench.simulation.kernel.Invariant;
import io.terrace.bench.simulation.kernel.Violation;
import io.terrace.datanode.extent.AddressSpace;
import io.terrace.datanode.extent.CountedReport;
import io.terrace.datanode.extent.Extent;
import io.terrace.datanode.extent.ExtentState;
import io.terrace.datanode.extent.LocalTier;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Compares what the memory tier of one DataNode counts, between two events, with its extents, files, links, slots and
 * grants.
 */
final class TierAccountingChecks {

    private record GivenGrant(long session, long id) {}

    private final SimulatedDataNode dataNode;
    private final List<Extent> extents;
    private final List<Extent> pinned;
    private final Set<GivenGrant> given = new LinkedHashSet<>();
    /** Only then can a grant have outlived its extent. */
    private boolean freedSince;

    /**
     * @param extents those that have a file, kept by the caller
     * @param pinned those of them that are pinned, likewise
     */
    TierAccountingChecks(SimulatedDataNode dataNode, List<Extent> extents, List<Extent> pinned) {
        this.dataNode = dataNode;
        this.extents = extents;
        this.pinned = pinned;
    }

    void granted(long session, long grantId) {
        given.add(new GivenGrant(session, grantId));
    }

    void freed() {
        freedSince = true;
    }

    /** Bytes of the address space that an extent takes. */
    static long pages(Extent extent) {
        return (extent.lengthBytes() + AddressSpace.PAGE_BYTES - 1) / AddressSpace.PAGE_BYTES * AddressSpace.PAGE_BYTES;
    }

    void check() {
        LocalTier tier = dataNode.tier();
        LocalTier.Usage usage = tier.usage();
        long used = dataNode.writeThroughCopies().writingBytes();
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
            } else if (isLeaving
                    && extent.slot() != Extent.NO_SLOT
                    && dataNode.table().isLive(extent.slot(), extent.sequence())) {
                throw Violation.of(Invariant.SLOT_HONEST, "%s shows %s as live", dataNode, extent);
            }
        }
        // A copy whose file is not made yet is only seen in the tier's own count, as leftovers are that wait.
        boolean allSeen = usage.extents() == extents.size()
                && !dataNode.host().simulatedTmpfs.hasLeftovers();
        if (usage.usedBytes() < used
                || usage.usedBytes() > usage.capacityBytes()
                || (allSeen
                        && (usage.usedBytes() != used
                                || usage.retiringBytes() != leaving
                                || usage.regionBytes() != region))) {
            throw Violation.of(
                    Invariant.ACCOUNTING,
                    "%s counts %s, and has %d extents (%d live) and drafts with %d bytes, %d of them leaving, and %d of the"
                            + " region",
                    dataNode,
                    usage,
                    extents.size(),
                    live,
                    used,
                    leaving,
                    region);
        }
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
        if (pinnedBytes > usage.pinnedBytes() || (allSeen && usage.pinnedBytes() > pinnedBytes + copyingBytes)) {
            throw Violation.of(
                    Invariant.ACCOUNTING,
                    "%s counts %s, and has %d pinned bytes in %s, and %d of copies that are being made",
                    dataNode,
                    usage,
                    pinnedBytes,
                    pinned,
                    copyingBytes);
        }
    }

    private void checkFiles(LocalTier.Usage usage) {
        if (dataNode.host().simulatedTmpfs.namedBytes() > usage.usedBytes()) {
            throw Violation.of(
                    Invariant.FILES_ACCOUNTED,
                    "%s counts %d bytes, and its tmpfs holds %d",
                    dataNode,
                    usage.usedBytes(),
                    dataNode.host().simulatedTmpfs.namedBytes());
        }
        if (dataNode.host().simulatedTmpfs.links()
                != dataNode.grantServerDriver().pendingLinks()) {
            throw Violation.of(
                    Invariant.LINKS_REMOVED,
                    "%s has %d links, and %d grants wait to be opened",
                    dataNode,
                    dataNode.host().simulatedTmpfs.links(),
                    dataNode.grantServerDriver().pendingLinks());
        }
    }

    private void checkLive(Extent extent) {
        if (extent.slot() != Extent.NO_SLOT && !dataNode.table().isLive(extent.slot(), extent.sequence())) {
            throw Violation.of(Invariant.SLOT_HONEST, "%s does not show %s as live", dataNode, extent);
        }
        Replica replica = dataNode.host()
                .simulatedVolumes
                .finalised(extent.key().blockId(), extent.key().generationStamp());
        if (replica == null || replica.lengthBytes() != extent.lengthBytes()) {
            throw Violation.of(
                    Invariant.NEVER_ONLY_COPY,
                    "%s serves %s and has %s",
                    dataNode,
                    extent,
                    dataNode.host().simulatedVolumes.find(extent.key().blockId()));
        }
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
}
