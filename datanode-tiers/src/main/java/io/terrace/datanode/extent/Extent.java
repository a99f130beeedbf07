package io.terrace.datanode.extent;

import io.terrace.common.BlockKey;
import io.terrace.common.BlockVersion;
import org.jspecify.annotations.Nullable;

/**
 * A resident block: a file that holds the block's bytes and nothing else, and an address in the {@link AddressSpace}.
 *
 * <p>The identity never changes; the mutable part belongs to {@link LocalTier} and is read and written only under its
 * lock, except {@link #state}, which is also read without it where a stale answer does no harm.
 */
public final class Extent {

    /** No slot: the table had none left, so local clients cannot be granted this extent, while stock readers can. */
    public static final int NO_SLOT = -1;

    private final BlockKey key;
    private final long lengthBytes;
    private final long address;
    /** Tells apart successive copies of one block. */
    private final long number;

    volatile ExtentState state = ExtentState.COPYING;
    int slot = NO_SLOT;
    long sequence;
    /** Asked for by a directive: retired only when that ends or the replica changes. */
    boolean pinned;
    /** Asked for by the placement service: stays when a directive ends. */
    boolean ordered;
    /** The replica changed while it was copied. */
    boolean changed;
    /** Its file descriptor was passed to a stock short-circuit reader, so the file must never be truncated. */
    boolean passed;
    /** Streams of stock readers that are open. */
    int lentStreams;
    /** Grants that are held. */
    int grants;

    long lastReadNs;
    long retiredNs;

    @Nullable
    RetireCause cause;

    public Extent(BlockKey key, long lengthBytes, long address, long number, long nowNs) {
        this.key = key;
        this.lengthBytes = lengthBytes;
        this.address = address;
        this.number = number;
        this.lastReadNs = nowNs;
    }

    /** The block, with the generation stamp whose bytes these are. */
    public BlockKey key() {
        return key;
    }

    /** Exactly the block's length. */
    public long lengthBytes() {
        return lengthBytes;
    }

    /** The block with its length. */
    public BlockVersion version() {
        return new BlockVersion(key, lengthBytes);
    }

    /** Where it stands in the region. */
    public long address() {
        return address;
    }

    /** Tells apart successive copies of one block; part of the file's name. */
    public long number() {
        return number;
    }

    /** Its slot in the table that local clients map, or {@link #NO_SLOT}. */
    public int slot() {
        return slot;
    }

    /** The slot's sequence while this extent has it. */
    public long sequence() {
        return sequence;
    }

    /** Whether a cache directive asks for it. */
    public boolean isPinned() {
        return pinned;
    }

    /** Whether a stock short-circuit reader may have its file's descriptor. */
    public boolean isPassed() {
        return passed;
    }

    /** Where it is in its life. */
    public ExtentState state() {
        return state;
    }

    @Override
    public String toString() {
        return "Extent{" + key + " #" + number + " " + state + " " + lengthBytes + " bytes at " + address + "}";
    }
}
