package io.terrace.placement.heartbeat;

import io.terrace.common.TokenBucket;
import io.terrace.common.TokenBucket.Accrual;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.heartbeat.Heartbeat.Heat;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What one DataNode may report and lead to, however often it sends heartbeats: each limit grows with the time that passes.
 * A DataNode that was silent reports of all that time, so all of it counts. Owned by the loop's thread.
 *
 * @param accesses reads and writes that count
 * @param bytes bytes read and written that count
 * @param looks looks at the NameNode's maps, each of a bounded number of blocks
 */
public record ReportQuota(TokenBucket accesses, TokenBucket bytes, TokenBucket looks) {

    /** As many as a DataNode takes from one client process, and bytes likewise. */
    static final long MOST_PER_SECOND = 20_000_000;

    static final long MOST_BYTES_PER_SECOND = 64L << 30;

    /** A DataNode with something to report sends no sooner, unless {@code terrace.datanode.heartbeat.interval.min} is shortened. */
    static final long SOONEST_HEARTBEAT_MS = 200;

    /** Looks to validate what one heartbeat says of heat, and again of what is resident. */
    public static final int LOOKS_TO_VALIDATE = 4;

    /** Looks for the paths of the blocks of one heartbeat. */
    public static final int LOOKS_FOR_PATHS = 16;

    /** Looks for the holders of the blocks of one heartbeat. */
    public static final int LOOKS_FOR_HOLDERS = 4;

    /**
     * What one heartbeat leads to at most: looks for heat, the last of which may begin another one, and for residency; for
     * paths, and for who holds what is to be pinned; for holders; and one for the moves that wait.
     */
    static final int LOOKS_PER_HEARTBEAT = 2 * LOOKS_TO_VALIDATE + 1 + 2 * LOOKS_FOR_PATHS + LOOKS_FOR_HOLDERS + 1;

    static final long LOOKS_PER_SECOND = LOOKS_PER_HEARTBEAT * 1000 / SOONEST_HEARTBEAT_MS;

    public static ReportQuota from(long nowMs) {
        return new ReportQuota(
                perSecond(MOST_PER_SECOND, nowMs),
                perSecond(MOST_BYTES_PER_SECOND, nowMs),
                perSecond(LOOKS_PER_SECOND, nowMs));
    }

    private static TokenBucket perSecond(long rate, long nowMs) {
        return new TokenBucket(rate, rate, Accrual.WHOLE_SILENCE, TimeUnit.MILLISECONDS, nowMs);
    }

    /** The heat of a heartbeat as far as it can be true, which is taken from the quota. What is cut is counted. */
    public List<Heat> admit(long nowMs, List<Heat> heat, MetricRegistry metricRegistry) {
        double wantedAccesses = 0; // Sums of invented figures may be too large for a long.
        double wantedBytes = 0;
        for (Heat entry : heat) {
            wantedAccesses += (double) entry.reads() + entry.writes();
            wantedBytes += (double) entry.bytesRead() + entry.bytesWritten();
        }
        if (wantedAccesses <= accesses.available(nowMs) && wantedBytes <= bytes.available(nowMs)) {
            accesses.charge(nowMs, (long) wantedAccesses);
            bytes.charge(nowMs, (long) wantedBytes);
            return heat;
        }
        List<Heat> admitted = new ArrayList<>(heat.size());
        for (Heat entry : heat) {
            long bytesRead = bytes.take(nowMs, entry.bytesRead());
            Heat taken = new Heat(
                    entry.block(),
                    entry.replica(),
                    entry.inMemory(),
                    accesses.take(nowMs, entry.reads()),
                    bytesRead,
                    Math.min(bytesRead, entry.bytesReadFromMemory()),
                    accesses.take(nowMs, entry.writes()),
                    bytes.take(nowMs, entry.bytesWritten()),
                    entry.ageMs(),
                    // What does not all count is no fair sample either.
                    0,
                    0,
                    entry.readers());
            metricRegistry.add(Metric.PLACEMENT_HEARTBEAT_ENTRIES_CUT, isCut(entry, taken) ? 1 : 0);
            admitted.add(taken);
        }
        return admitted;
    }

    private static boolean isCut(Heat entry, Heat taken) {
        return taken.reads() != entry.reads()
                || taken.bytesRead() != entry.bytesRead()
                || taken.bytesReadFromMemory() != entry.bytesReadFromMemory()
                || taken.writes() != entry.writes()
                || taken.bytesWritten() != entry.bytesWritten();
    }
}
