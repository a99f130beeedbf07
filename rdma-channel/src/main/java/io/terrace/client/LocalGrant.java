package io.terrace.client;

import io.terrace.channel.ExtentDescriptor;
import io.terrace.channel.Grant;
import io.terrace.channel.ReadReport;
import io.terrace.channel.shm.ExtentFile;
import io.terrace.channel.shm.SlotTable;
import io.terrace.common.StorageTier;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A grant in use: the open extent, its lease, the reads in progress and what they read.
 *
 * <p>Every read asks before it starts whether the extent is live and the lease runs, and after it copied whether the
 * bytes were still whole: an extent that retires meanwhile keeps its bytes until this holder has acknowledged, so the
 * read is right. The acquire fence between copy and question keeps the copy's loads before it.
 *
 * <p>Any number of threads read. Whoever ends the grant while reads are in progress leaves the cleaning to the last of
 * them: only then is the file closed, the mapping unmapped and the end told to the DataNode.
 */
public final class LocalGrant implements CachedGrant {
    private static final Logger LOG = LoggerFactory.getLogger(LocalGrant.class);
    /** With it no read starts any more; the other bits of the users are the reads in progress. */
    private static final long ENDED = Long.MIN_VALUE;

    /** In {@link #counts}. */
    private static final int USERS = 16;

    private static final int READS = 17;
    private static final int BYTES = 18;

    /** Until 128 bytes on either side are the counts' own. */
    private static final int COUNTS = 35;

    /** Why a grant ended: what the DataNode is told. */
    public enum End {
        REVOKED,
        RELEASED,
        /** The connection is gone, so nobody can be told. */
        LOST
    }

    /** The bytes of the extent: an open file, or one in memory for simulations. */
    public interface Content {
        /** Whether all bytes were there. */
        boolean read(long position, byte[] target, int offset, int length) throws IOException;

        /** As the other, into the target from its position on, which stays. */
        boolean read(long position, ByteBuffer target, int length) throws IOException;

        /** Nobody reads any more. */
        void close();
    }

    /** Takes note when the last read has ended. */
    public interface EndListener {
        void ended(LocalGrant grant, End how);
    }

    private final GrantKey key;
    private final Grant grant;
    private final ExtentDescriptor extent;
    private final SlotTable table;
    private final Content content;
    private final EndListener endListener;
    private final Runnable reportSoon;
    private final long reportBytes;
    private final LongSupplier nanoClock;

    /**
     * What every read writes, on one cache line of its own: threads that read the same block on other cores keep what they only look
     * at. Users, reads and bytes not reported.
     */
    private final AtomicLongArray counts = new AtomicLongArray(COUNTS);

    private volatile long leaseEndNs;
    private volatile boolean used = true;
    private volatile boolean cleaned;
    private volatile End how = End.RELEASED;

    /** Owned by the control thread. */
    long lastUsedNs;

    /** Owned by the control thread: whether the DataNode would still extend the lease. */
    boolean renewable = true;

    LocalGrant(
            GrantKey key,
            Grant grant,
            long askedNs,
            SlotTable table,
            ExtentFile file,
            ReadResources limits,
            EndListener endListener,
            Runnable reportSoon) {
        this(
                key,
                grant,
                askedNs,
                table,
                new ExtentReader(file, limits),
                endListener,
                reportSoon,
                limits.reportBytes(),
                System::nanoTime);
    }

    /**
     * A grant over any content, by any monotonic clock.
     *
     * @param askedNs from when the lease counts
     * @param reportBytes so much read and not reported is worth a report at once
     */
    public LocalGrant(
            GrantKey key,
            Grant grant,
            long askedNs,
            SlotTable table,
            Content content,
            EndListener endListener,
            Runnable reportSoon,
            long reportBytes,
            LongSupplier nanoClock) {
        this.key = key;
        this.grant = grant;
        this.extent = grant.descriptor();
        this.table = table;
        this.content = content;
        this.endListener = endListener;
        this.reportSoon = reportSoon;
        this.reportBytes = reportBytes;
        this.nanoClock = nanoClock;
        this.leaseEndNs = askedNs + TimeUnit.MILLISECONDS.toNanos(grant.leaseMs());
        this.lastUsedNs = askedNs;
    }

    @Override
    public GrantKey key() {
        return key;
    }

    public long id() {
        return grant.grantId();
    }

    public long leaseMs() {
        return grant.leaseMs();
    }

    /** Where the extent is. */
    StorageTier tier() {
        return extent.tier();
    }

    public long lengthBytes() {
        return extent.lengthBytes();
    }

    @Override
    public boolean isUsable() {
        return isLive() && nanoClock.getAsLong() - leaseEndNs < 0;
    }

    /** Whether it is not over and its extent is live: {@link #isUsable} without a look at the clock. */
    boolean isLive() {
        return counts.get(USERS) >= 0 && table.isLive(extent.slot(), extent.sequence());
    }

    /**
     * Copies bytes of the extent into an array.
     *
     * @return whether they are all there and right; if not, nothing in the target may be used and the grant is over
     * @throws InterruptedIOException when the reading thread is interrupted
     */
    public boolean read(long position, byte[] target, int offset, int length) throws IOException {
        if (!enter()) {
            return false;
        }
        boolean whole = false;
        boolean blameless = false;
        try {
            whole = content.read(position, target, offset, length) && isStillWhole();
        } catch (CopyBuffers.NoMemoryException e) {
            blameless = true;
            throw e;
        } catch (IOException | InternalError e) {
            // The JVM throws InternalError for a mapping whose file was truncated.
            failed(e);
        } finally {
            exit(whole || blameless, whole ? length : 0);
        }
        return whole;
    }

    /** As the other, into the target from its position on, which moves only when the bytes are right. */
    boolean read(long position, ByteBuffer target, int length) throws IOException {
        return copy(position, target, length, length);
    }

    /** As {@link #read}, but counts nothing: {@link #countServed} does, when the bytes are handed on. */
    boolean readAhead(long position, ByteBuffer target, int length) throws IOException {
        return copy(position, target, length, 0);
    }

    /**
     * Counts a read. As stock counts a block stream when it is opened, whatever is read from it, so is a reader counted
     * once for each grant that it reads through, before its first bytes.
     */
    public void countReader() {
        counts.getAndIncrement(READS);
    }

    /** Counts bytes that were served from what was read ahead. */
    void countServed(int length) {
        count(length);
        markUsed();
        if (cleaned) {
            // Its last report was taken already.
            ReadReport late = takeReport();
            if (late != null) {
                ClientMetrics.metricRegistry().add(Metric.CLIENT_UNREPORTED_BYTES, late.bytes());
            }
        }
    }

    private boolean copy(long position, ByteBuffer target, int length, int counted) throws IOException {
        if (!enter()) {
            return false;
        }
        int start = target.position();
        boolean whole = false;
        boolean blameless = false;
        try {
            whole = content.read(position, target, length) && isStillWhole();
        } catch (CopyBuffers.NoMemoryException e) {
            blameless = true;
            throw e;
        } catch (IOException | InternalError e) {
            failed(e);
        } finally {
            target.position(whole ? start + length : start);
            exit(whole || blameless, whole ? counted : 0);
        }
        return whole;
    }

    /** Ends the grant: no read starts any more. Once the last one is over, its end is told. */
    public void end(End reason) {
        long before;
        do {
            before = counts.get(USERS);
            if (before < 0) {
                return;
            }
            how = reason;
        } while (!counts.compareAndSet(USERS, before, before | ENDED));
        if (before == 0) {
            clean();
        }
    }

    /** Takes what was read since the last time; null when nothing was. */
    @Nullable
    public ReadReport takeReport() {
        // Bytes before reads: no report has a read's bytes without the read.
        long bytesNow = counts.getAndSet(BYTES, 0);
        long readsNow = counts.getAndSet(READS, 0);
        return readsNow == 0 && bytesNow == 0 ? null : new ReadReport(id(), readsNow, bytesNow);
    }

    /** Whether it was used since this was last asked. */
    public boolean takeUsed() {
        boolean was = used;
        used = false;
        return was;
    }

    public long leaseLeftMs(long nowNs) {
        return TimeUnit.NANOSECONDS.toMillis(leaseEndNs - nowNs);
    }

    public void extendLease(long endNs) {
        leaseEndNs = endNs;
    }

    private boolean enter() throws InterruptedIOException {
        if (Thread.currentThread().isInterrupted()) {
            // Reading on would close the file under everybody else who reads it.
            throw new InterruptedIOException("interrupted before a read of " + extent.block());
        }
        long now = counts.get(USERS);
        while (now >= 0 && !counts.compareAndSet(USERS, now, now + 1)) {
            now = counts.get(USERS);
        }
        if (now < 0) {
            return false;
        }
        if (!isUsable()) {
            leave();
            end(End.RELEASED);
            return false;
        }
        return true;
    }

    private boolean isStillWhole() {
        VarHandle.acquireFence();
        return table.isReadable(extent.slot(), extent.sequence()) && nanoClock.getAsLong() - leaseEndNs < 0;
    }

    /** @param intact whether the grant is of use still */
    private void exit(boolean intact, int length) {
        if (intact) {
            if (length > 0) {
                count(length);
            }
            markUsed();
        } else {
            end(End.RELEASED);
        }
        leave();
    }

    private void markUsed() {
        // Not stored each time: others would have to load it again.
        if (!used) {
            used = true;
        }
    }

    private void count(int length) {
        long before = counts.getAndAdd(BYTES, length);
        if (before < reportBytes && before + length >= reportBytes) {
            reportSoon.run();
        }
    }

    private void leave() {
        if (counts.getAndDecrement(USERS) == (ENDED | 1)) {
            clean();
        }
    }

    private void clean() {
        content.close();
        cleaned = true;
        endListener.ended(this, how);
    }

    private void failed(Throwable e) throws IOException {
        if (e instanceof ClosedByInterruptException || Thread.currentThread().isInterrupted()) {
            throw new InterruptedIOException("interrupted while reading " + extent.block());
        }
        LOG.debug("A read of {} through a grant failed", extent.block(), e);
    }
}
