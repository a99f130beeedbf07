package io.terrace.datanode.memory;

import io.terrace.datanode.extent.AddressSpace;
import io.terrace.datanode.extent.LocalTier;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Measures what stock clients keep open of copies that were removed, which no account of ours can know: whoever was passed
 * a file's descriptor keeps its bytes in memory, though it has no name any more, and need not say until when.
 *
 * <p>What a file system that is the copies' alone says is used, beyond what the tier counts, is theirs. A file system with
 * other files in it tells nothing of the sort, and is not asked. Called by one thread; looks once a second.
 */
public final class UnlinkedBytes {

    private static final long LOOK_NS = TimeUnit.SECONDS.toNanos(1);

    private final LocalTier tier;
    private final LongSupplier fileSystemUsedBytes;
    private final LongSupplier otherBytes;
    private long lookNs;
    private boolean looked;
    private volatile long bytes;

    /**
     * Measures for a tier.
     *
     * @param fileSystemUsedBytes what the file system says is used; negative when that tells nothing
     * @param otherBytes what is there besides copies
     */
    public UnlinkedBytes(LocalTier tier, LongSupplier fileSystemUsedBytes, LongSupplier otherBytes) {
        this.tier = tier;
        this.fileSystemUsedBytes = fileSystemUsedBytes;
        this.otherBytes = otherBytes;
    }

    /** As many bytes as were found at the last look. */
    public long bytes() {
        return bytes;
    }

    /** One turn of housekeeping. */
    public void turn(long nowNs) {
        if (!looked || lookNs - nowNs <= 0) {
            looked = true;
            lookNs = nowNs + LOOK_NS;
            // Files come and go during the measurement: take the larger account of before and after.
            LocalTier.Usage before = tier.usage();
            long usedBytes = fileSystemUsedBytes.getAsLong();
            LocalTier.Usage after = tier.usage();
            long leastBytes = Math.max(0, usedBytes - Math.max(accountedBytes(before), accountedBytes(after)));
            // Bytes that are accounted but not in a file hide as many bytes that are kept open.
            long hiddenBytes = Math.max(before.changingBytes(), after.changingBytes());
            bytes = tier.space().unaccounted(leastBytes, leastBytes + hiddenBytes);
        }
    }

    private long accountedBytes(LocalTier.Usage usage) {
        // The last page of each file counts in full.
        return usage.usedBytes() + (long) usage.extents() * AddressSpace.PAGE_BYTES + otherBytes.getAsLong();
    }
}
