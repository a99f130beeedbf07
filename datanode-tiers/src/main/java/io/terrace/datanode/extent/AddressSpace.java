package io.terrace.datanode.extent;

import java.util.ArrayDeque;
import java.util.Map;
import java.util.TreeMap;

/**
 * The virtual range of one DataNode and which parts of it belong to an extent.
 *
 * <p>Accounting only: nothing is mapped here. The range is far larger than memory, so addresses are never short for want
 * of compaction; an address that was given back rests for a while before it is used again, so that an operation that
 * still names it meets nothing rather than another block's bytes.
 *
 * <p>Addresses and lengths in bytes, multiples of {@link #PAGE_BYTES}; times in nanoseconds of any monotonic clock.
 * Not thread-safe: owned by {@link LocalTier}. Allocation is first fit over a sorted map of holes, O(holes).
 */
public final class AddressSpace {

    /** Extents start on and are rounded up to whole pages. */
    public static final int PAGE_BYTES = 4096;

    /** What {@link #allocate} answers when no hole is large enough. */
    public static final long NO_ADDRESS = -1;

    private record Resting(long address, long lengthBytes, long untilNs) {}

    private final long baseAddress;
    private final long sizeBytes;
    private final long restNs;
    /** Start of a hole to its length; no two holes touch. */
    private final TreeMap<Long, Long> holes = new TreeMap<>();
    /** Given back, oldest first; all rest equally long. */
    private final ArrayDeque<Resting> resting = new ArrayDeque<>();

    private long allocatedBytes;
    private long restingBytes;

    /**
     * A range without extents.
     *
     * @param baseAddress where it begins
     * @param sizeBytes how large it is
     * @param restNs how long an address rests after its extent was freed
     */
    public AddressSpace(long baseAddress, long sizeBytes, long restNs) {
        if (baseAddress <= 0 || baseAddress % PAGE_BYTES != 0) {
            throw new IllegalArgumentException("region base " + baseAddress + " is not a positive multiple of a page");
        }
        if (sizeBytes < PAGE_BYTES || sizeBytes % PAGE_BYTES != 0 || baseAddress + sizeBytes < 0) {
            throw new IllegalArgumentException("region size " + sizeBytes + " is not a whole number of pages");
        }
        this.baseAddress = baseAddress;
        this.sizeBytes = sizeBytes;
        this.restNs = restNs;
        holes.put(baseAddress, sizeBytes);
    }

    /** The address of a free range of at least this length, or {@link #NO_ADDRESS}. */
    public long allocate(long lengthBytes, long nowNs) {
        endRests(nowNs);
        long wanted = wholePages(lengthBytes);
        for (Map.Entry<Long, Long> hole : holes.entrySet()) {
            long length = hole.getValue();
            if (length >= wanted) {
                long address = hole.getKey();
                holes.remove(address);
                if (length > wanted) {
                    holes.put(address + wanted, length - wanted);
                }
                allocatedBytes += wanted;
                return address;
            }
        }
        return NO_ADDRESS;
    }

    /** Gives back what {@link #allocate} answered for this length; it may be used again after its rest. */
    public void free(long address, long lengthBytes, long nowNs) {
        long length = wholePages(lengthBytes);
        if (address < baseAddress || address + length > baseAddress + sizeBytes) {
            throw new IllegalStateException("address " + address + "+" + length + " is not in the region");
        }
        allocatedBytes -= length;
        if (allocatedBytes < 0) {
            throw new IllegalStateException("more of the region freed than was allocated");
        }
        restingBytes += length;
        resting.addLast(new Resting(address, length, nowNs + restNs));
    }

    /** Bytes of the range that belong to extents. */
    public long allocatedBytes() {
        return allocatedBytes;
    }

    /** Bytes of the range that were freed and are not yet used again. */
    public long restingBytes() {
        return restingBytes;
    }

    private void endRests(long nowNs) {
        while (!resting.isEmpty() && resting.getFirst().untilNs() - nowNs <= 0) {
            Resting rested = resting.removeFirst();
            restingBytes -= rested.lengthBytes();
            addHole(rested.address(), rested.lengthBytes());
        }
    }

    private void addHole(long address, long lengthBytes) {
        long start = address;
        long length = lengthBytes;
        Map.Entry<Long, Long> before = holes.floorEntry(address);
        if (before != null) {
            long beforeEnd = before.getKey() + before.getValue();
            if (beforeEnd > address) {
                throw new IllegalStateException("address " + address + " freed twice");
            }
            if (beforeEnd == address) {
                start = before.getKey();
                length += before.getValue();
                holes.remove(before.getKey());
            }
        }
        Map.Entry<Long, Long> after = holes.ceilingEntry(address);
        if (after != null) {
            if (after.getKey() < address + lengthBytes) {
                throw new IllegalStateException("address " + address + " freed twice");
            }
            if (after.getKey() == address + lengthBytes) {
                length += after.getValue();
                holes.remove(after.getKey());
            }
        }
        holes.put(start, length);
    }

    private static long wholePages(long lengthBytes) {
        if (lengthBytes <= 0) {
            throw new IllegalArgumentException("an extent of " + lengthBytes + " bytes");
        }
        return (lengthBytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    }
}
