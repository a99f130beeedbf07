package io.terrace.policy.replay;

import io.terrace.policy.api.Access;
import io.terrace.policy.api.MoveRequests;
import io.terrace.policy.api.PlacementPolicy;
import io.terrace.policy.api.TierHierarchy;
import java.util.Arrays;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * Replays a {@link Trace} against a policy. Every object starts in the last tier. Each access is first scored by where
 * the object is, then reported to the policy, at once or in sums, whose requests are carried out as the {@link
 * ReplayConditions} allows. Requests that would overfill a tier fail.
 */
public final class TraceReplay implements MoveRequests {

    private static final int PROGRESS_ROWS = 8192;

    private final Trace trace;
    private final TierHierarchy hierarchy;
    private final ReplayConditions replayConditions;
    private final PlacementPolicy policy;
    private final LongSupplier clockNs;

    private final byte[] tiers;
    private final long[] placedBytes;
    private final long[] usedBytes;
    private final long[] peak;
    private final boolean[] readSinceMove;
    private final TransferQueue transfers;
    private final AccessBatches slowReads;
    private final AccessBatches fastReads;
    private final long[] sizes;
    private final Access access = new Access();
    private long nextTickMs = Long.MIN_VALUE;

    private long[] requestedObjects = new long[64];
    private long[] requestedSizes = new long[64];
    private int[] requestedTiers = new int[64];
    private int requested;

    private double promotedBytes;
    private double movedBytes;
    private long moves;
    private long wastedMoves;
    private long failedMoves;

    private TraceReplay(
            Trace trace,
            TierHierarchy hierarchy,
            ReplayConditions replayConditions,
            PlacementPolicy policy,
            LongSupplier clockNs) {
        this.trace = trace;
        this.hierarchy = hierarchy;
        this.replayConditions = replayConditions;
        this.policy = policy;
        this.clockNs = clockNs;
        tiers = new byte[trace.objects()];
        Arrays.fill(tiers, (byte) hierarchy.base());
        placedBytes = new long[trace.objects()];
        usedBytes = new long[hierarchy.size()];
        peak = new long[hierarchy.base()];
        readSinceMove = new boolean[trace.objects()];
        transfers = new TransferQueue(replayConditions);
        slowReads = new AccessBatches(replayConditions.reportMs(), trace.objects());
        fastReads = new AccessBatches(replayConditions.fastReportMs(), trace.objects());
        sizes = new long[slowReads.gathers() || fastReads.gathers() ? trace.objects() : 0];
    }

    /** Replays with no clock and no progress reported. */
    public static ReplayResult replay(
            Trace trace, TierHierarchy hierarchy, ReplayConditions replayConditions, PlacementPolicy policy) {
        return replay(trace, hierarchy, replayConditions, policy, () -> 0, rows -> {});
    }

    /**
     * Replays a trace.
     *
     * @param clockNs for the time spent in the policy, e.g. {@code System::nanoTime}
     * @param progress gets the rows done, now and then
     */
    public static ReplayResult replay(
            Trace trace,
            TierHierarchy hierarchy,
            ReplayConditions replayConditions,
            PlacementPolicy policy,
            LongSupplier clockNs,
            LongConsumer progress) {
        return new TraceReplay(trace, hierarchy, replayConditions, policy, clockNs).run(progress);
    }

    private ReplayResult run(LongConsumer progress) {
        int base = hierarchy.base();
        long[] tierReads = new long[hierarchy.size()];
        double[] tierBytes = new double[hierarchy.size()];
        double readNs = 0;
        byte[] jobState = new byte[trace.jobs()];
        long jobs = 0;
        long jobsAllHit = 0;
        long startNs = clockNs.getAsLong();
        for (int row = 0; row < trace.rows(); row++) {
            long nowMs = trace.timeMs(row);
            int object = trace.object(row);
            advance(nowMs);
            int tier = tiers[object];
            if (!trace.isWrite(row)) {
                tierReads[tier]++;
                tierBytes[tier] += trace.bytes(row);
                readNs += hierarchy.tier(tier).readNs(trace.bytes(row));
                readSinceMove[object] = true;
                int job = trace.job(row);
                if (job < 0) {
                    jobs++;
                    jobsAllHit += tier == 0 ? 1 : 0;
                } else if (tier == 0) {
                    jobState[job] |= 1;
                } else {
                    jobState[job] |= 2;
                }
            }
            tell(nowMs, row, tier);
            grow(object, trace.size(row));
            if (row % PROGRESS_ROWS == 0) {
                progress.accept(row);
            }
        }
        double decisionNs = (double) (clockNs.getAsLong() - startNs) / Math.max(1, trace.rows());
        progress.accept(trace.rows());
        for (byte state : jobState) {
            jobs += state == 0 ? 0 : 1;
            jobsAllHit += state == 1 ? 1 : 0;
        }
        for (int object = 0; object < tiers.length; object++) {
            wastedMoves += tiers[object] < base && !readSinceMove[object] ? 1 : 0;
        }
        long reads = Arrays.stream(tierReads).sum();
        return new ReplayResult(
                reads,
                Arrays.stream(tierBytes).sum(),
                tierReads,
                tierBytes,
                jobs,
                jobsAllHit,
                promotedBytes,
                movedBytes,
                moves,
                wastedMoves,
                failedMoves,
                peak,
                reads == 0 ? 0 : readNs / reads / 1e6,
                decisionNs);
    }

    /** Advances the time: transfers end and gathered reads are reported, in the order of time. */
    private void advance(long nowMs) {
        for (long dueMs = nextReportMs(); dueMs <= nowMs; dueMs = nextReportMs()) {
            arrive(dueMs);
            long atMs = dueMs;
            AccessBatches due = slowReads.dueMs() == dueMs ? slowReads : fastReads;
            due.tell((object, reads, bytes) -> {
                access.read(atMs, object, sizes[object], bytes, tiers[object])
                        .burst(reads)
                        .of(trace.inputBytes(object))
                        .saving(savedNs(reads, bytes));
                policy.access(access, this);
                carryOut(atMs);
            });
        }
        arrive(nowMs);
        if (nowMs >= nextTickMs) {
            policy.tick(nowMs, this);
            carryOut(nowMs);
            nextTickMs = nowMs + 1000;
        }
    }

    private long nextReportMs() {
        return Math.min(slowReads.dueMs(), fastReads.dueMs());
    }

    private void tell(long nowMs, int row, int tier) {
        int object = trace.object(row);
        long sizeBytes = trace.size(row);
        AccessBatches gathered = tier == hierarchy.base() ? slowReads : fastReads;
        if (trace.isWrite(row)) {
            access.write(nowMs, object, sizeBytes, trace.bytes(row), tier);
        } else if (gathered.gathers()) {
            sizes[object] = sizeBytes;
            gathered.add(nowMs, object, trace.bytes(row));
            return;
        } else {
            access.read(nowMs, object, sizeBytes, trace.bytes(row), tier)
                    .of(trace.inputBytes(object))
                    .saving(savedNs(1, trace.bytes(row)));
        }
        policy.access(access.by(trace.job(row)), this);
        carryOut(nowMs);
    }

    private long savedNs(int reads, long bytes) {
        long each = bytes / reads;
        double saved = hierarchy.tier(hierarchy.base()).readNs(each)
                - hierarchy.tier(0).readNs(each);
        return (long) Math.max(0, reads * saved);
    }

    /** An object that changed size where it is was brought up to date there: the new part was moved in. */
    private void grow(int object, long sizeBytes) {
        long more = sizeBytes - placedBytes[object];
        int tier = tiers[object];
        if (more != 0 && tier < hierarchy.base()) {
            usedBytes[tier] += more;
            placedBytes[object] = sizeBytes;
            peak[tier] = Math.max(peak[tier], usedBytes[tier]);
            movedBytes += Math.max(0, more);
            promotedBytes += tier == 0 ? Math.max(0, more) : 0;
        }
    }

    @Override
    public void place(long object, long sizeBytes, int fromTier, int toTier) {
        if (requested == requestedObjects.length) {
            requestedObjects = Arrays.copyOf(requestedObjects, requested * 2);
            requestedSizes = Arrays.copyOf(requestedSizes, requested * 2);
            requestedTiers = Arrays.copyOf(requestedTiers, requested * 2);
        }
        requestedObjects[requested] = object;
        requestedSizes[requested] = sizeBytes;
        requestedTiers[requested++] = toTier;
    }

    private void carryOut(long nowMs) {
        // A correction may lead to further requests, which are appended while this runs.
        for (int i = 0; i < requested; i++) {
            start(nowMs, (int) requestedObjects[i], requestedSizes[i], requestedTiers[i]);
        }
        requested = 0;
    }

    private void start(long nowMs, int object, long sizeBytes, int toTier) {
        boolean climbs = toTier < tiers[object];
        transfers.cancel(object);
        if (!climbs || (replayConditions.promotionDelayMs() == 0 && replayConditions.moveBytesPerS() == 0)) {
            move(nowMs, object, sizeBytes, toTier);
        } else if (!transfers.join(nowMs, object, sizeBytes, toTier)) {
            fail(nowMs, object, sizeBytes);
        }
    }

    private void arrive(long nowMs) {
        while (transfers.readyMs(nowMs) <= nowMs) {
            int object = transfers.object();
            long sizeBytes = transfers.sizeBytes();
            int toTier = transfers.toTier();
            boolean wanted = transfers.leave();
            if (wanted) {
                move(nowMs, object, sizeBytes, toTier);
                carryOut(nowMs);
            }
        }
    }

    private void move(long nowMs, int object, long sizeBytes, int toTier) {
        int base = hierarchy.base();
        int from = tiers[object];
        if (from == toTier) {
            policy.moved(nowMs, object, sizeBytes, toTier, this);
            return;
        }
        if (toTier < base
                && usedBytes[toTier] + sizeBytes > hierarchy.tier(toTier).capacityBytes()) {
            fail(nowMs, object, sizeBytes);
            return;
        }
        if (from < base) {
            wastedMoves += readSinceMove[object] ? 0 : 1;
        }
        usedBytes[from] -= placedBytes[object];
        usedBytes[toTier] += sizeBytes;
        placedBytes[object] = sizeBytes;
        tiers[object] = (byte) toTier;
        readSinceMove[object] = false;
        if (toTier < base) {
            peak[toTier] = Math.max(peak[toTier], usedBytes[toTier]);
            moves++;
            movedBytes += sizeBytes;
            if (toTier == 0) {
                promotedBytes += sizeBytes;
            }
        }
        policy.moved(nowMs, object, sizeBytes, toTier, this);
    }

    private void fail(long nowMs, int object, long sizeBytes) {
        failedMoves++;
        policy.moveFailed(nowMs, object, sizeBytes, tiers[object], this);
    }
}
