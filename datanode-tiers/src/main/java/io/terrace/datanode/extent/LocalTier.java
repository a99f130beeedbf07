package io.terrace.datanode.extent;

import io.terrace.common.BlockKey;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The memory tier of one DataNode: which blocks have a copy in memory, and the life of every copy.
 *
 * <p>COPYING → LIVE → RETIRING → REMOVABLE → FREED. Room and address are taken when a copy is begun and given back when its
 * file is gone, so retiring bytes count as used and the tier never holds more than its capacity. A copy that becomes
 * published was not touched by {@link #changed} since it was begun. A retiring copy keeps its bytes until no grant is
 * held on it, no stream of a stock reader is open on it and no stock client holds its descriptor; {@link #sweep} then
 * removes the file. Nothing is evicted on the tier's own account, except to make room for a pin: that is an operator's
 * directive, and the unpinned copies that were not read for longest give way.
 *
 * <p>Replicas on NVM that are granted as they are have a second tier of this class ({@code NvmExtents}), since their extents
 * live and end as copies do.
 *
 * <p>Sizes in bytes, times in nanoseconds of one monotonic clock, passed in; files and slots too, so a simulation
 * can drive it from one thread. All methods are thread-safe; none blocks on I/O under the lock.
 */
public final class LocalTier {

    /** How an attempt to begin a copy ended. */
    public enum Admission {
        /** The copy was begun. */
        BEGUN,
        /** It is in memory already. */
        RESIDENT,
        /** Somebody is copying it at this moment. */
        COPYING,
        /** No room now, and none that is about to be freed would suffice. */
        NO_ROOM,
        /** No room now, but enough is about to be freed. */
        ROOM_SOON,
        /** Terrace is off for this block pool, or the DataNode shuts down. */
        OFF
    }

    /** The copy begun, or why there is none. */
    public record Begun(Admission admission, @Nullable Extent extent) {}

    /**
     * The tier's limits.
     *
     * @param capacityBytes what all copies may hold together at first
     * @param extents how many copies there may be
     * @param passedNs how long bytes whose descriptor a stock client holds count as used after retirement; afterwards
     *     the file is removed, and its bytes are the kernel's to free when that client closes it ({@link TierSpace#unaccounted})
     */
    public record Limits(long capacityBytes, int extents, long passedNs) {}

    /**
     * What the tier may hold and holds, at one moment.
     *
     * @param changingBytes the part of the used ones whose files are being written or removed, so that they have less
     */
    public record Usage(
            long capacityBytes,
            long usedBytes,
            long retiringBytes,
            long changingBytes,
            long pinnedBytes,
            int extents,
            int grants,
            long regionBytes) {}

    private final GrantLedger ledger;
    private final ExtentTable table;
    private final TierGrants grants;
    private final TierSpace space;
    private final ExtentReaper removal;
    private final ExtentListener events;

    private final Set<String> switchedOff = new HashSet<>();
    private boolean closed;

    /**
     * An empty tier.
     *
     * @param descriptorHeld whether a stock client still holds the descriptor of this block that it was passed
     */
    public LocalTier(
            Limits limits,
            AddressSpace addressSpace,
            GrantLedger ledger,
            ExtentFiles files,
            SlotAllocator slotAllocator,
            ExtentListener events,
            Predicate<BlockKey> descriptorHeld) {
        this.ledger = ledger;
        this.events = events;
        this.table = new ExtentTable(limits, addressSpace, ledger, slotAllocator, events, descriptorHeld);
        this.grants = new TierGrants(this, table, ledger, this::isOff);
        this.space = new TierSpace(this, table.space(), this::isOff);
        this.removal = new ExtentReaper(this, table, files);
    }

    /** Its room. */
    public TierSpace space() {
        return space;
    }

    /** The right to read its extents. */
    public TierGrants grants() {
        return grants;
    }

    /** Takes room and an address for a copy of this block, which {@link #publish} or {@link #abandon} must follow. */
    public synchronized Begun begin(BlockKey key, long lengthBytes, boolean pinned, long nowNs) {
        if (isOff(key.pool())) {
            return new Begun(Admission.OFF, null);
        }
        Extent present = table.of(key.pool(), key.blockId());
        if (present != null) {
            if (present.state == ExtentState.COPYING) {
                present.ordered |= !pinned;
                table.pin(present, present.pinned || pinned);
                return new Begun(Admission.COPYING, null);
            }
            if (present.key().equals(key) && present.lengthBytes() == lengthBytes) {
                present.ordered |= !pinned;
                table.pin(present, present.pinned || pinned);
                return new Begun(Admission.RESIDENT, present);
            }
            retire(present, RetireCause.CHANGED, nowNs);
        }
        if (!table.space().hasRoom(lengthBytes)) {
            if (pinned) {
                table.makeRoom(lengthBytes, nowNs);
                table.retiring().forEach(extent -> table.removeIfUnread(extent, nowNs));
            }
            return new Begun(table.space().hasRoomSoon(lengthBytes) ? Admission.ROOM_SOON : Admission.NO_ROOM, null);
        }
        Extent extent = table.begin(key, lengthBytes, pinned, nowNs);
        return extent == null ? new Begun(Admission.NO_ROOM, null) : new Begun(Admission.BEGUN, extent);
    }

    /**
     * Makes a finished copy live.
     *
     * @return false if the replica changed or Terrace was switched off meanwhile: the copy is given up
     */
    public synchronized boolean publish(Extent extent, long nowNs) {
        if (extent.state != ExtentState.COPYING) {
            throw new IllegalStateException("cannot publish an extent that is not being copied: " + extent);
        }
        if (extent.changed || isOff(extent.key().pool())) {
            giveUp(extent, nowNs);
            return false;
        }
        table.publish(extent, nowNs);
        return true;
    }

    /** Whether the replica of this copy, which is being made, was touched since it was begun: it may be another by now. */
    public synchronized boolean hasChanged(Extent extent) {
        return extent.changed;
    }

    /**
     * The file of this copy, which is being made, comes from an earlier process that may have passed its descriptor to a
     * stock reader.
     */
    public synchronized void markPassed(Extent extent) {
        extent.passed = true;
    }

    /** Gives up a copy that could not be made. */
    public synchronized void abandon(Extent extent, long nowNs) {
        if (extent.state == ExtentState.COPYING) {
            giveUp(extent, nowNs);
        }
    }

    /**
     * The replica of this block changed or is about to: no copy made before is served from now on.
     *
     * @return its extent; null if there was none
     */
    public synchronized @Nullable Extent changed(String pool, long blockId, long nowNs) {
        Extent extent = table.of(pool, blockId);
        if (extent != null) {
            end(extent, RetireCause.CHANGED, nowNs);
        }
        return extent;
    }

    /** All copies of a block pool go. */
    public synchronized void changedAll(String pool, RetireCause cause, long nowNs) {
        endAll(extent -> extent.key().pool().equals(pool), cause, nowNs);
    }

    /**
     * Stops serving a copy.
     *
     * @return its extent; null when no copy of this stamp is live, or it is pinned and the cause is an order
     */
    public synchronized @Nullable Extent drop(BlockKey key, RetireCause cause, long nowNs) {
        Extent extent = table.live(key);
        if (extent == null || (extent.pinned && cause == RetireCause.ORDERED)) {
            return null;
        }
        retire(extent, cause, nowNs);
        return extent;
    }

    /** Stops serving the extent that was not read for longest, if that was so long ago and nobody has a grant of it. */
    public synchronized void dropUnread(long unreadNs, long nowNs) {
        Extent longest = table.unread(unreadNs, nowNs);
        if (longest != null) {
            retire(longest, RetireCause.MADE_ROOM, nowNs);
        }
    }

    /** Ends a pin. A copy that only the directive asked for is retired. */
    public synchronized void unpin(String pool, long blockId, long nowNs) {
        Extent extent = table.of(pool, blockId);
        if (extent != null) {
            table.pin(extent, false);
            if (!extent.ordered) {
                end(extent, RetireCause.ORDERED, nowNs);
            }
        }
    }

    /** Off: all copies of the pool are retired, none is begun. */
    public synchronized void serve(String pool, boolean serve, long nowNs) {
        if (serve) {
            switchedOff.remove(pool);
        } else if (switchedOff.add(pool)) {
            changedAll(pool, RetireCause.SWITCHED_OFF, nowNs);
        }
    }

    /** Whether copies of this pool are made and granted. */
    public synchronized boolean serves(String pool) {
        return !isOff(pool);
    }

    /** Nothing new and no new read from now on. Files of live copies stay, for the next process to verify and adopt. */
    public synchronized void close(long nowNs) {
        closed = true;
        endAll(extent -> true, RetireCause.SHUTDOWN, nowNs);
    }

    /** As {@link #close}, in a process that goes on: files go once nobody reads them, as no next process adopts them soon. */
    public synchronized void breakOff(long nowNs) {
        closed = true;
        endAll(extent -> true, RetireCause.BROKEN_OFF, nowNs);
    }

    /**
     * Whether a copy of the block may be live; where it is not, {@link #lend} need not be asked. Takes no lock: most blocks that
     * stock readers open are not in memory.
     */
    public boolean mayLend(long blockId) {
        return table.mayBeLive(blockId);
    }

    /**
     * Lends a live copy to a stock reader, who must give it back; null when there is none of this stamp.
     *
     * @param descriptorPassed the file descriptor itself goes to a client process: refused while too much is kept open so
     */
    public synchronized @Nullable Extent lend(BlockKey key, boolean descriptorPassed, long nowNs) {
        Extent extent = table.live(key);
        if (extent == null) {
            return null;
        }
        // Stock clients skip the checksums of pinned blocks, so of those they get the verified copy only.
        if (descriptorPassed && !extent.pinned && table.space().isTooMuchKeptOpen()) {
            events.notPassed();
            return null;
        }
        extent.lentStreams++;
        extent.passed |= descriptorPassed;
        extent.lastReadNs = nowNs;
        return extent;
    }

    /** Lends a live copy to be verified, which does not count as a read. */
    public synchronized @Nullable Extent lendToVerify(BlockKey key) {
        Extent extent = table.live(key);
        if (extent != null) {
            extent.lentStreams++;
        }
        return extent;
    }

    /** A stock reader closed its stream. */
    public synchronized void giveBack(Extent extent, long nowNs) {
        extent.lentStreams--;
        if (extent.lentStreams < 0) {
            throw new IllegalStateException("returned more often than lent: " + extent);
        }
        table.removeIfUnread(extent, nowNs);
    }

    /**
     * One turn of housekeeping: ends overdue grants, removes files nobody reads any more, for a tenth of a second at most. A file
     * that cannot be removed counts as used, and a later turn tries again.
     *
     * @return the work done; 0 when there was nothing to do
     */
    public int sweep(long nowNs) {
        int work;
        synchronized (this) {
            work = ledger.endOverdue(nowNs).size();
            // Also checks descriptors of stock clients again: nobody reports when they are closed.
            table.retiring().forEach(extent -> table.removeIfUnread(extent, nowNs));
            table.removalsBegin(nowNs);
        }
        return work + removal.run(nowNs);
    }

    /** Removes the file of this extent alone, if nobody reads it. */
    public void sweep(Extent extent, long nowNs) {
        removal.run(extent, nowNs);
    }

    /** The live copies, for the scrub and for full reports. */
    public synchronized List<Extent> liveExtents() {
        return table.live();
    }

    /** Runs something quick while no copy comes or goes. */
    public synchronized <T> T withoutChanges(Supplier<T> action) {
        return action.get();
    }

    /** The ids of the pool's blocks that are live and pinned: what a cache report may name. */
    public synchronized List<Long> pinnedBlocks(String pool) {
        return table.live().stream()
                .filter(extent -> extent.pinned && extent.key().pool().equals(pool))
                .map(extent -> extent.key().blockId())
                .toList();
    }

    /** Whether a copy of this very stamp is live. */
    public synchronized boolean isResident(BlockKey key) {
        return table.live(key) != null;
    }

    /** Whether a copy of this very stamp is live and pinned. */
    public synchronized boolean isPinned(BlockKey key) {
        return isResident(key) && table.isPinned(key.pool(), key.blockId());
    }

    /** How many copies are live and pinned. */
    public synchronized int pinnedCopies() {
        return (int) table.live().stream().filter(extent -> extent.pinned).count();
    }

    /** Whether a copy of the block is live and pinned, whatever its stamp. */
    public synchronized boolean isPinned(String pool, long blockId) {
        return table.isPinned(pool, blockId);
    }

    /** What the tier holds now. */
    public synchronized Usage usage() {
        return table.usage();
    }

    /** As one pool sees it: what extents of other pools hold is not there for it, and not used. */
    public synchronized Usage usageWithoutOthers(String pool) {
        return table.usageWithoutOthers(pool);
    }

    private boolean isOff(String pool) {
        return closed || switchedOff.contains(pool);
    }

    private void end(Extent extent, RetireCause cause, long nowNs) {
        if (extent.state == ExtentState.COPYING) {
            extent.changed = true;
        } else {
            retire(extent, cause, nowNs);
        }
    }

    /** One that cannot be ended keeps none of the others. */
    private void endAll(Predicate<Extent> which, RetireCause cause, long nowNs) {
        Throwable fault = null;
        for (Extent extent : table.snapshot()) {
            try {
                if (which.test(extent)) {
                    end(extent, cause, nowNs);
                }
            } catch (RuntimeException | Error e) {
                fault = fault == null ? e : fault;
            }
        }
        ExtentReaper.rethrow(fault);
    }

    private void retire(Extent extent, RetireCause cause, long nowNs) {
        table.retire(extent, cause, nowNs);
        table.removeIfUnread(extent, nowNs);
    }

    private void giveUp(Extent extent, long nowNs) {
        table.giveUp(extent, nowNs);
        table.removeIfUnread(extent, nowNs);
    }
}
