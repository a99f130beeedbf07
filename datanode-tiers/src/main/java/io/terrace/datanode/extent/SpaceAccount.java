package io.terrace.datanode.extent;

import io.terrace.datanode.extent.LocalTier.Limits;
import io.terrace.datanode.extent.LocalTier.Usage;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * The bytes and extents that a tier holds, against what it may hold. Bytes of an extent are used from the moment it is begun
 * until its file is gone.
 *
 * <p>Not thread-safe: owned by {@link ExtentTable}.
 */
final class SpaceAccount {

    private static final int KEPT_OPEN_SHARE = 8;

    /** What the extents of one block pool hold. */
    private static final class PoolBytes {
        long usedBytes;
        long leavingBytes;
        long pinnedBytes;
        int extents;
    }

    private final Limits limits;
    private long limitBytes;
    private long usedBytes;
    /** Of retiring and removable extents: used, but soon free. */
    private long leavingBytes;

    private int leavingExtents;
    /** Of copying and removable extents: used, though the file may have less, or be gone already. */
    private long changingBytes;

    private long pinnedBytes;
    private int extents;
    /** By block pool; none without extents. */
    private final Map<String, PoolBytes> pools = new HashMap<>();
    /** Of removed files whose descriptors were passed: as many of these bytes may still be kept from the kernel. */
    private long passedAndRemovedBytes;
    /** As many of them are, as far as is known. */
    private long keptOpenBytes;

    SpaceAccount(Limits limits) {
        this.limits = limits;
        this.limitBytes = limits.capacityBytes();
    }

    /** What extents may hold now: less than the limit while stock readers keep removed ones open. */
    private long capacityBytes() {
        return Math.max(0, limitBytes - keptOpenBytes);
    }

    /** The limit is another one from now on, also where more is used. */
    void resize(long capacityBytes) {
        limitBytes = capacityBytes;
    }

    boolean hasRoom(long lengthBytes) {
        return usedBytes + lengthBytes <= capacityBytes() && extents < limits.extents();
    }

    /** Whether there will be room once everything that leaves is gone. */
    boolean hasRoomSoon(long lengthBytes) {
        return leavingBytes > 0 && hasRoomWithout(0, 0, lengthBytes);
    }

    /** Whether there will be room once everything that leaves is gone, and so much more of what does not leave yet. */
    boolean hasRoomWithout(long goneBytes, int goneExtents, long lengthBytes) {
        return usedBytes - leavingBytes - goneBytes + lengthBytes <= capacityBytes()
                && extents - leavingExtents - goneExtents < limits.extents();
    }

    /** Bytes that are no extent's: used. They may become one, so nobody waits for them to leave. */
    void hold(long deltaBytes) {
        usedBytes += deltaBytes;
    }

    /** Takes room for bytes that are becoming a copy and are no extent yet; false when there is none. */
    boolean reserve(long bytes) {
        boolean room = hasRoom(bytes);
        if (room) {
            release(-bytes);
        }
        return room;
    }

    /** Gives such room back. The file may have had less. */
    void release(long bytes) {
        usedBytes -= bytes;
        changingBytes -= bytes;
    }

    /**
     * The file system holds so many bytes at least, and so many at most, that are no extent's. Those of others than passed
     * descriptors do not count. Between the two, what was found before is believed.
     */
    long unaccounted(long leastBytes, long mostBytes) {
        keptOpenBytes = Math.max(Math.min(keptOpenBytes, mostBytes), Math.min(passedAndRemovedBytes, leastBytes));
        // The last page of each file counts in full, which may hide as many bytes again.
        long hiddenBytes = (long) extents * AddressSpace.PAGE_BYTES;
        passedAndRemovedBytes = Math.min(passedAndRemovedBytes, mostBytes + hiddenBytes);
        return keptOpenBytes;
    }

    /** Whether stock readers get the replica's descriptor, since they keep too many bytes of removed copies open. */
    boolean isTooMuchKeptOpen() {
        return keptOpenBytes > limitBytes / KEPT_OPEN_SHARE;
    }

    void begun(Extent extent) {
        usedBytes += extent.lengthBytes();
        changingBytes += extent.lengthBytes();
        extents++;
        PoolBytes pool = pools.computeIfAbsent(extent.key().pool(), name -> new PoolBytes());
        pool.usedBytes += extent.lengthBytes();
        pool.extents++;
    }

    /** The copy is whole, or is given up. */
    void copyEnded(long lengthBytes) {
        changingBytes -= lengthBytes;
    }

    void pinned(Extent extent, boolean pinned) {
        long deltaBytes = pinned ? extent.lengthBytes() : -extent.lengthBytes();
        pinnedBytes += deltaBytes;
        poolOf(extent).pinnedBytes += deltaBytes;
    }

    /** It is not served any more. */
    void leaving(Extent extent) {
        leavingBytes += extent.lengthBytes();
        leavingExtents++;
        poolOf(extent).leavingBytes += extent.lengthBytes();
    }

    /** Its file may go at any moment. */
    void removable(long lengthBytes) {
        changingBytes += lengthBytes;
    }

    /** @param keptOpen whether its file was removed while a stock reader may have it open */
    void freed(Extent extent, boolean keptOpen) {
        long lengthBytes = extent.lengthBytes();
        usedBytes -= lengthBytes;
        leavingBytes -= lengthBytes;
        changingBytes -= lengthBytes;
        extents--;
        leavingExtents--;
        if (keptOpen) {
            passedAndRemovedBytes += lengthBytes;
        }
        PoolBytes pool = poolOf(extent);
        pool.usedBytes -= lengthBytes;
        pool.leavingBytes -= lengthBytes;
        pool.extents--;
        if (pool.extents == 0) {
            pools.remove(extent.key().pool());
        }
    }

    private PoolBytes poolOf(Extent extent) {
        return Objects.requireNonNull(pools.get(extent.key().pool()), "no bytes of its pool are counted");
    }

    Usage usage(int grants, long regionBytes) {
        return new Usage(
                capacityBytes(), usedBytes, leavingBytes, changingBytes, pinnedBytes, extents, grants, regionBytes);
    }

    /** As {@link #usage}, with the bytes of other pools' extents neither there nor used. */
    Usage usageWithoutOthers(String pool, int grants, long regionBytes) {
        Usage all = usage(grants, regionBytes);
        long othersBytes = 0;
        long othersLeavingBytes = 0;
        long othersPinnedBytes = 0;
        int othersExtents = 0;
        for (Map.Entry<String, PoolBytes> entry : pools.entrySet()) {
            if (!entry.getKey().equals(pool)) {
                PoolBytes other = entry.getValue();
                othersBytes += other.usedBytes;
                othersLeavingBytes += other.leavingBytes;
                othersPinnedBytes += other.pinnedBytes;
                othersExtents += other.extents;
            }
        }
        return new Usage(
                Math.max(0, all.capacityBytes() - othersBytes),
                all.usedBytes() - othersBytes,
                all.retiringBytes() - othersLeavingBytes,
                all.changingBytes(),
                all.pinnedBytes() - othersPinnedBytes,
                all.extents() - othersExtents,
                grants,
                regionBytes);
    }
}
