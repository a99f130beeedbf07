package io.terrace.datanode.extent;

import io.terrace.common.BlockKey;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The extents that exist, the steps of their lives and the bytes they hold.
 *
 * <p>Invariants: at most one extent of a block is copying or live; used bytes are those of all extents from the moment a
 * copy is begun until its file is gone; only a retiring extent without grants and streams is doomed. Not thread-safe:
 * owned by {@link LocalTier} and used under its lock.
 */
final class ExtentTable {

    private static final int KEPT_OPEN_SHARE = 8;

    private record BlockId(String pool, long id) {}

    private final LocalTier.Limits limits;
    private final AddressSpace addressSpace;
    private final GrantLedger ledger;
    private final SlotAllocator slotAllocator;
    private final ExtentListener events;

    /** Copying and live ones. */
    private final Map<BlockId, Extent> current = new HashMap<>();

    private final Set<Extent> retiring = new LinkedHashSet<>();
    private final RemovalQueue removalQueue = new RemovalQueue();
    private final ArrayDeque<GrantRecord> revocations = new ArrayDeque<>();

    private long nextNumber = 1;
    private long usedBytes;
    /** Retiring and doomed ones: used, but on their way out. */
    private long leavingBytes;
    /** Copying and doomed ones: used, though the file may have less, or be gone already. */
    private long changingBytes;

    private long pinnedBytes;
    private int extents;
    /** Of removed files whose descriptors were passed: as many of these bytes may still be kept from the kernel. */
    private long passedAndRemovedBytes;
    /** As many of them are, as far as is known. */
    private long keptOpenBytes;

    ExtentTable(
            LocalTier.Limits limits,
            AddressSpace addressSpace,
            GrantLedger ledger,
            SlotAllocator slotAllocator,
            ExtentListener events) {
        this.limits = limits;
        this.addressSpace = addressSpace;
        this.ledger = ledger;
        this.slotAllocator = slotAllocator;
        this.events = events;
    }

    /** The copying or live extent of a block, of whatever stamp. */
    @Nullable
    Extent of(String pool, long blockId) {
        return current.get(new BlockId(pool, blockId));
    }

    /** The live extent of exactly this block. */
    @Nullable
    Extent live(BlockKey key) {
        Extent extent = of(key.pool(), key.blockId());
        return extent != null
                        && extent.state == ExtentState.LIVE
                        && extent.key().equals(key)
                ? extent
                : null;
    }

    /** Copying and live extents, as they are now. */
    List<Extent> snapshot() {
        return List.copyOf(current.values());
    }

    boolean isPinned(String pool, long blockId) {
        Extent extent = of(pool, blockId);
        return extent != null && extent.state == ExtentState.LIVE && extent.pinned;
    }

    /** The live ones, as they are now. */
    List<Extent> live() {
        return current.values().stream()
                .filter(extent -> extent.state == ExtentState.LIVE)
                .toList();
    }

    /** Retiring extents, as they are now. */
    Collection<Extent> retiring() {
        return List.copyOf(retiring);
    }

    /** What copies may hold now: less than the limit while stock readers keep removed ones open. */
    long capacityBytes() {
        return Math.max(0, limits.capacityBytes() - keptOpenBytes);
    }

    /**
     * The file system holds so many bytes at least, and so many at most, that are no extent's. Those of others than passed
     * descriptors do not count. Between the two, what was found before is believed.
     */
    long unaccounted(long leastBytes, long mostBytes) {
        keptOpenBytes = Math.max(Math.min(keptOpenBytes, mostBytes), Math.min(passedAndRemovedBytes, leastBytes));
        // The last pages of files may hide as much again.
        long hiddenBytes = (long) extents * AddressSpace.PAGE_BYTES;
        passedAndRemovedBytes = Math.min(passedAndRemovedBytes, mostBytes + hiddenBytes);
        return keptOpenBytes;
    }

    /** Whether stock readers get the replica's descriptor, since they keep too many bytes of removed copies open. */
    boolean isTooMuchKeptOpen() {
        return keptOpenBytes > limits.capacityBytes() / KEPT_OPEN_SHARE;
    }

    boolean hasRoom(long lengthBytes) {
        return usedBytes + lengthBytes <= capacityBytes() && extents < limits.extents();
    }

    void hold(long deltaBytes) {
        usedBytes += deltaBytes;
        leavingBytes += deltaBytes;
    }

    /** Whether there will be room once everything that leaves is gone. */
    boolean hasRoomSoon(long lengthBytes) {
        return leavingBytes > 0 && hasRoomWithout(0, 0, lengthBytes);
    }

    /** Whether there will be room once everything that leaves is gone, and so much more of what is current. */
    private boolean hasRoomWithout(long goneBytes, int goneExtents, long lengthBytes) {
        return usedBytes - leavingBytes - goneBytes + lengthBytes <= capacityBytes()
                && current.size() - goneExtents < limits.extents();
    }

    /** Takes room and an address; null when the region has no hole that large. */
    @Nullable
    Extent begin(BlockKey key, long lengthBytes, boolean pinned, long nowNs) {
        long address = addressSpace.allocate(lengthBytes, nowNs);
        if (address == AddressSpace.NO_ADDRESS) {
            return null;
        }
        Extent extent = new Extent(key, lengthBytes, address, nextNumber++, nowNs);
        extent.ordered = !pinned;
        usedBytes += lengthBytes;
        changingBytes += lengthBytes;
        extents++;
        current.put(new BlockId(key.pool(), key.blockId()), extent);
        pin(extent, pinned);
        return extent;
    }

    void publish(Extent extent, long nowNs) {
        extent.state = ExtentState.LIVE;
        changingBytes -= extent.lengthBytes();
        extent.lastReadNs = nowNs;
        extent.slot = slotAllocator.claim(extent.key());
        if (extent.slot != Extent.NO_SLOT) {
            extent.sequence = slotAllocator.publish(extent.slot);
        }
        events.resident(extent, extent.pinned);
        if (extent.pinned) {
            events.pinned(true);
        }
    }

    void pin(Extent extent, boolean pinned) {
        if (extent.pinned != pinned) {
            extent.pinned = pinned;
            pinnedBytes += pinned ? extent.lengthBytes() : -extent.lengthBytes();
            if (extent.state == ExtentState.LIVE) {
                events.resident(extent, pinned);
                events.pinned(pinned);
            }
        }
    }

    /**
     * Retires unpinned extents, those first that were not read for longest, until one more of that length will have room;
     * none when all of them would not do.
     */
    void makeRoom(long lengthBytes, long nowNs) {
        List<Extent> candidates = new ArrayList<>();
        long candidateBytes = 0;
        for (Extent extent : current.values()) {
            if (extent.state == ExtentState.LIVE && !extent.pinned) {
                candidates.add(extent);
                candidateBytes += extent.lengthBytes();
            }
        }
        if (!hasRoomWithout(candidateBytes, candidates.size(), lengthBytes)) {
            return;
        }
        candidates.sort(Comparator.comparingLong(extent -> extent.lastReadNs - nowNs));
        for (Extent extent : candidates) {
            if (hasRoomWithout(0, 0, lengthBytes)) {
                return;
            }
            retire(extent, RetireCause.MADE_ROOM, nowNs);
        }
    }

    /** LIVE to RETIRING; holders of grants are to be told. */
    void retire(Extent extent, RetireCause cause, long nowNs) {
        if (extent.slot != Extent.NO_SLOT) {
            slotAllocator.retire(extent.slot);
        }
        revocations.addAll(ledger.of(extent));
        leave(extent, cause, nowNs);
        events.gone(extent, cause);
        events.housekeepingWanted();
    }

    /** A copy that never became live. */
    void giveUp(Extent extent, long nowNs) {
        changingBytes -= extent.lengthBytes();
        leave(extent, RetireCause.CHANGED, nowNs);
        events.housekeepingWanted();
    }

    private void leave(Extent extent, RetireCause cause, long nowNs) {
        current.remove(new BlockId(extent.key().pool(), extent.key().blockId()), extent);
        if (extent.state == ExtentState.LIVE && extent.pinned) {
            events.pinned(false);
        }
        extent.state = ExtentState.RETIRING;
        pin(extent, false);
        extent.cause = cause;
        extent.retiredNs = nowNs;
        retiring.add(extent);
        leavingBytes += extent.lengthBytes();
    }

    /** RETIRING to DOOMED. */
    void doom(Extent extent) {
        if (extent.state != ExtentState.RETIRING || extent.grants > 0 || extent.lentStreams > 0) {
            throw new IllegalStateException("doomed while it is read: " + extent);
        }
        extent.state = ExtentState.DOOMED;
        changingBytes += extent.lengthBytes();
        retiring.remove(extent);
        removalQueue.add(extent);
        events.housekeepingWanted();
    }

    /** A turn of removals begins. */
    void removalsBegin(long nowNs) {
        removalQueue.turn(nowNs);
    }

    /** The next extent whose file must be removed; {@link #freed} or {@link #notRemoved} must follow. */
    @Nullable
    Extent nextDoomed() {
        return removalQueue.next();
    }

    /** Its file is still there: it stays doomed, and used. */
    void notRemoved(Extent extent, long nowNs) {
        removalQueue.failed(extent, nowNs);
    }

    /** DOOMED to FREED: the file is gone. */
    void freed(Extent extent, long nowNs) {
        extent.state = ExtentState.FREED;
        if (extent.slot != Extent.NO_SLOT) {
            slotAllocator.free(extent.slot);
        }
        addressSpace.free(extent.address(), extent.lengthBytes(), nowNs);
        usedBytes -= extent.lengthBytes();
        leavingBytes -= extent.lengthBytes();
        changingBytes -= extent.lengthBytes();
        extents--;
        if (extent.passed && extent.cause != RetireCause.SHUTDOWN) {
            passedAndRemovedBytes += extent.lengthBytes();
        }
    }

    /** The holder of a grant is to be told, though the extent stays as it is. */
    void revoke(GrantRecord grant) {
        revocations.add(grant);
        events.housekeepingWanted();
    }

    /** The next grant whose holder must be told to stop. */
    @Nullable
    GrantRecord nextRevocation() {
        GrantRecord grant = revocations.pollFirst();
        while (grant != null && grant.ended) {
            grant = revocations.pollFirst();
        }
        return grant;
    }

    LocalTier.Usage usage() {
        return new LocalTier.Usage(
                capacityBytes(),
                usedBytes,
                leavingBytes,
                changingBytes,
                pinnedBytes,
                extents,
                ledger.size(),
                addressSpace.allocatedBytes());
    }
}
