package io.terrace.datanode.extent;

import io.terrace.common.BlockId;
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
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The extents that exist, and the steps of their lives.
 *
 * <p>Invariants: at most one extent of a block is copying or live; only the file of a retiring extent without grants and
 * streams is removed. Not thread-safe: owned by {@link LocalTier} and used under its lock, but for {@link #mayBeLive}.
 */
final class ExtentTable {

    private final long passedNs;
    private final AddressSpace addressSpace;
    private final GrantLedger ledger;
    private final SlotAllocator slotAllocator;
    private final ExtentListener events;
    /** Whether a stock client still holds the descriptor of this block that it was passed. */
    private final Predicate<BlockKey> descriptorHeld;

    /** Copying and live ones. */
    private final Map<BlockId, Extent> current = new HashMap<>();

    private final LiveBlockFilter liveBlocks;
    private final Set<Extent> retiring = new LinkedHashSet<>();
    private final RemovalQueue removalQueue = new RemovalQueue();
    private final ArrayDeque<GrantRecord> revocations = new ArrayDeque<>();

    private final SpaceAccount space;
    private long nextNumber = 1;

    ExtentTable(
            LocalTier.Limits limits,
            AddressSpace addressSpace,
            GrantLedger ledger,
            SlotAllocator slotAllocator,
            ExtentListener events,
            Predicate<BlockKey> descriptorHeld) {
        this.passedNs = limits.passedNs();
        this.space = new SpaceAccount(limits);
        this.liveBlocks = new LiveBlockFilter(limits.extents());
        this.descriptorHeld = descriptorHeld;
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

    /** Whether one of this block may be live. Needs no lock. */
    boolean mayBeLive(long blockId) {
        return liveBlocks.mayContain(blockId);
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

    /** The live one that was not read for longest, if that was so long ago and nobody has a grant of it. */
    @Nullable
    Extent unread(long unreadNs, long nowNs) {
        Extent longest = null;
        for (Extent extent : current.values()) {
            if (extent.state == ExtentState.LIVE
                    && extent.grants == 0
                    && nowNs - extent.lastReadNs >= unreadNs
                    && (longest == null || extent.lastReadNs - longest.lastReadNs < 0)) {
                longest = extent;
            }
        }
        return longest;
    }

    /** Retiring extents, as they are now. */
    Collection<Extent> retiring() {
        return List.copyOf(retiring);
    }

    /** What they hold, and may hold. */
    SpaceAccount space() {
        return space;
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
        space.begun(extent);
        current.put(new BlockId(key.pool(), key.blockId()), extent);
        pin(extent, pinned);
        return extent;
    }

    void publish(Extent extent, long nowNs) {
        extent.state = ExtentState.LIVE;
        liveBlocks.add(extent.key().blockId());
        space.copyEnded(extent.lengthBytes());
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
            space.pinned(extent, pinned);
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
        // Whoever waits for what leaves asks again every few milliseconds.
        if (space.hasRoomWithout(0, 0, lengthBytes)) {
            return;
        }
        List<Extent> candidates = new ArrayList<>();
        long candidateBytes = 0;
        for (Extent extent : current.values()) {
            if (extent.state == ExtentState.LIVE && !extent.pinned) {
                candidates.add(extent);
                candidateBytes += extent.lengthBytes();
            }
        }
        if (!space.hasRoomWithout(candidateBytes, candidates.size(), lengthBytes)) {
            return;
        }
        candidates.sort(Comparator.comparingLong(extent -> extent.lastReadNs - nowNs));
        for (Extent extent : candidates) {
            if (space.hasRoomWithout(0, 0, lengthBytes)) {
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
        space.copyEnded(extent.lengthBytes());
        leave(extent, RetireCause.CHANGED, nowNs);
        events.housekeepingWanted();
    }

    private void leave(Extent extent, RetireCause cause, long nowNs) {
        current.remove(new BlockId(extent.key().pool(), extent.key().blockId()), extent);
        if (extent.state == ExtentState.LIVE) {
            liveBlocks.remove(extent.key().blockId());
            if (extent.pinned) {
                events.pinned(false);
            }
        }
        extent.state = ExtentState.RETIRING;
        pin(extent, false);
        extent.cause = cause;
        extent.retiredNs = nowNs;
        retiring.add(extent);
        space.leaving(extent);
    }

    /** RETIRING to REMOVABLE, if nobody can read the extent any more. */
    void removeIfUnread(Extent extent, long nowNs) {
        if (extent.state != ExtentState.RETIRING || extent.grants > 0 || extent.lentStreams > 0) {
            return;
        }
        boolean waitForDescriptor =
                extent.passed && nowNs - extent.retiredNs < passedNs && descriptorHeld.test(extent.key());
        if (!waitForDescriptor) {
            extent.state = ExtentState.REMOVABLE;
            space.removable(extent.lengthBytes());
            retiring.remove(extent);
            removalQueue.add(extent);
            events.housekeepingWanted();
        }
    }

    /** A turn of removals begins. */
    void removalsBegin(long nowNs) {
        removalQueue.turn(nowNs);
    }

    /** The next extent whose file must be removed; {@link #freed} or {@link #notRemoved} must follow. */
    @Nullable
    Extent nextRemoval() {
        return removalQueue.next();
    }

    /** As {@link #nextRemoval}, of this extent; null if its file must not be removed now. */
    @Nullable
    Extent removalOf(Extent extent) {
        return removalQueue.take(extent);
    }

    /** Its file is still there: it stays removable, and used. */
    void notRemoved(Extent extent, long nowNs) {
        removalQueue.failed(extent, nowNs);
    }

    /** REMOVABLE to FREED: the file is gone. */
    void freed(Extent extent, long nowNs) {
        extent.state = ExtentState.FREED;
        if (extent.slot != Extent.NO_SLOT) {
            slotAllocator.free(extent.slot);
        }
        addressSpace.free(extent.address(), extent.lengthBytes(), nowNs);
        space.freed(extent, extent.passed && extent.cause != RetireCause.SHUTDOWN);
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
        return space.usage(ledger.size(), addressSpace.allocatedBytes());
    }

    LocalTier.Usage usageWithoutOthers(String pool) {
        return space.usageWithoutOthers(pool, ledger.size(), addressSpace.allocatedBytes());
    }
}
