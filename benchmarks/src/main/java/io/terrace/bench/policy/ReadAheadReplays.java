package io.terrace.bench.policy;

import io.terrace.policy.api.PlacementPolicy;
import io.terrace.policy.api.TierHierarchy;
import io.terrace.policy.firstread.FileBlocks;
import io.terrace.policy.firstread.FirstReadCounts;
import io.terrace.policy.firstread.FirstReadPolicy;
import io.terrace.policy.firstread.VainLimit;
import io.terrace.policy.replay.PacedReads;
import io.terrace.policy.replay.ReplayConditions;
import io.terrace.policy.replay.ReplayResult;
import io.terrace.policy.replay.Trace;
import io.terrace.policy.replay.TraceReplay;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Whether the blocks of a file are in memory when a reader gets there: the adaptive policy with copies before first reads, and
 * with copies ahead of readers too. Each access is split into its blocks, at the pace of one reader from the first byte on; a
 * copy is there a time after it was wanted.
 */
final class ReadAheadReplays {

    private static final double[] SHARES = {0.01, 0.05};
    private static final long WITHIN_MS = Duration.ofHours(6).toMillis();
    private static final double VAIN_SHARE = 0.1;
    private static final int MOST_AHEAD = 8;

    /** Of a reader: a disk's pace, and a third of it. */
    private static final long[] READER_BYTES_PER_S = {100_000_000, 33_000_000};

    /** The report of a read, half a second; the order, half a second; the copy of a block at 100 MB/s. */
    private static final long COPY_MS = 500 + 500 + 1_342;

    private final PolicyVariant policy = new PolicyVariant(PolicyVariant.OURS, PolicyVariant.OURS, Map.of());
    private final Map<String, Number> figures = new LinkedHashMap<>();
    private final PrintWriter out;
    private double mostVain;

    ReadAheadReplays(PrintWriter out) {
        this.out = out;
    }

    void header() {
        out.printf(
                "%n%-28s %7s %5s %17s %17s %17s %17s%n",
                "in blocks, at a pace",
                "memory",
                "MB/s",
                "first: not, ahead",
                "hits: not, ahead",
                "ahead: 1st, rest",
                "in vain");
    }

    /** Replays one trace at each memory size, if it has files of several blocks. */
    void replay(Trace whole, double[] wanted) {
        if (whole.footprintBytes() < 2 * ReplayCase.BLOCK_BYTES * whole.objects() / 10) {
            return;
        }
        for (long bytesPerS : READER_BYTES_PER_S) {
            PacedReads paced = new PacedReads(whole, ReplayCase.BLOCK_BYTES, bytesPerS);
            Trace trace = paced.trace();
            for (double share : wanted.length == 0 ? SHARES : wanted) {
                ReplayCase replayCase = new ReplayCase(trace.name(), 2, share);
                TierHierarchy hierarchy = replayCase.hierarchy(trace.readFootprintBytes());
                Replayed without = replay(trace, hierarchy, null);
                Replayed with = replay(trace, hierarchy, paced);
                record(replayCase.key() + "/" + bytesPerS / 1_000_000, replayCase, bytesPerS, without, with);
            }
        }
    }

    private record Replayed(FirstReadPolicy policy, FirstReadCounts first, ReplayResult outcome) {}

    private Replayed replay(Trace trace, TierHierarchy hierarchy, @Nullable FileBlocks files) {
        PlacementPolicy alone = policy.make(hierarchy);
        long capacityBytes = hierarchy.tier(0).capacityBytes();
        FirstReadPolicy ahead = new FirstReadPolicy(
                alone,
                object -> "group " + trace.group((int) object),
                files,
                MOST_AHEAD,
                capacityBytes,
                WITHIN_MS,
                new VainLimit(VAIN_SHARE, Math.max(VainLimit.AT_FIRST_BYTES, capacityBytes / 1_000)));
        FirstReadCounts first = new FirstReadCounts(ahead);
        return new Replayed(
                ahead, first, TraceReplay.replay(trace, hierarchy, ReplayConditions.delayed(COPY_MS), first));
    }

    private void record(String name, ReplayCase replayCase, long bytesPerS, Replayed without, Replayed with) {
        double moved = Math.max(1, with.policy.copiedBytes());
        double vainFirst = with.policy.firstReads().vainBytes() / moved;
        double vainAhead = with.policy.readAhead().vainBytes() / moved;
        double reads = Math.max(1, with.outcome.reads());
        out.printf(
                "%-28s %7.3f %5d %8.4f %8.4f %8.4f %8.4f %8.4f %8.4f %8.4f %8.4f   moved/read %.3f, %.3f  served %.4f%n",
                replayCase.file(),
                replayCase.memory(),
                bytesPerS / 1_000_000,
                without.first.share(),
                with.first.share(),
                without.outcome.objectHitRatio(),
                with.outcome.objectHitRatio(),
                with.policy.firstReads().copiedBytes() / moved,
                with.policy.readAhead().copiedBytes() / moved,
                vainFirst,
                vainAhead,
                without.outcome.promotedPerReadByte(),
                with.outcome.promotedPerReadByte(),
                with.policy.readAhead().reads() / reads);
        out.flush();
        String key = "ahead/" + name + "/";
        figures.put(key + "first.before", without.first.share());
        figures.put(key + "first", with.first.share());
        figures.put(key + "object_hit.before", without.outcome.objectHitRatio());
        figures.put(key + "object_hit", with.outcome.objectHitRatio());
        figures.put(key + "served", with.policy.readAhead().reads() / reads);
        figures.put(key + "vain.first", vainFirst);
        figures.put(key + "vain", vainAhead);
        mostVain = Math.max(mostVain, vainFirst + vainAhead);
    }

    /** All that was replayed. */
    Map<String, Number> figures() {
        Map<String, Number> all = new LinkedHashMap<>();
        all.put("ahead.vain", mostVain);
        all.putAll(figures);
        return all;
    }
}
