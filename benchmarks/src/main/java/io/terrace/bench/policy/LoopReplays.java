package io.terrace.bench.policy;

import io.terrace.policy.api.TierHierarchy;
import io.terrace.policy.api.TierSpec;
import io.terrace.policy.replay.ReplayConditions;
import io.terrace.policy.replay.ReplayResult;
import io.terrace.policy.replay.Trace;
import io.terrace.policy.replay.TraceReplay;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;

/**
 * Whether the adaptive policy lets objects of equal worth displace each other, as the placement service uses it: reads in
 * sums, moves that take time. Loops over a few large objects of which only some fit, and many small objects that are
 * equally popular.
 */
final class LoopReplays {

    private static final ReplayConditions SERVICE =
            new ReplayConditions(300, 200_000_000, 1 << 16).reporting(250, 1000);
    private static final int[][] LOOPS = {{3, 1}, {3, 2}, {5, 2}, {5, 4}, {10, 7}, {40, 30}};
    private static final long LARGE = 128L << 20;
    private static final long SMALL = 4L << 20;
    private static final int SETTLING_PASSES = 3;
    private static final int PASSES = 15;
    private static final int FILES = 300;
    private static final int FILES_IN_MEMORY = 64;
    private static final int READS = 3000;
    private static final int READS_PER_S = 20;

    private final PolicyVariant policy = new PolicyVariant(PolicyVariant.OURS, PolicyVariant.OURS, Map.of());
    private final PrintWriter out;

    LoopReplays(PrintWriter out) {
        this.out = out;
    }

    /** Replays all. */
    Map<String, Number> figures() {
        double share = Double.POSITIVE_INFINITY;
        double moved = 0;
        out.printf("%-34s %8s %8s%n", "objects, of which fit", "share", "moved");
        for (int[] loop : LOOPS) {
            ReplayResult settling = replay(loop(loop[0], SETTLING_PASSES), loop[1] * LARGE);
            ReplayResult whole = replay(loop(loop[0], PASSES), loop[1] * LARGE);
            double hits =
                    (double) (whole.tierReads()[0] - settling.tierReads()[0]) / (whole.reads() - settling.reads());
            double reached = hits * loop[0] / loop[1];
            double movedMore = Math.max(0, whole.promotedBytes() - loop[1] * LARGE) / whole.readBytes();
            out.printf("%-34s %8.4f %8.4f%n", loop[0] + ", " + loop[1], reached, movedMore);
            share = Math.min(share, reached);
            moved = Math.max(moved, movedMore);
        }
        ReplayResult margin = replay(equallyPopular(), FILES_IN_MEMORY * SMALL);
        Map<String, Number> figures = new LinkedHashMap<>();
        figures.put("loops.share", share);
        figures.put("loops.moved", moved);
        figures.put("margin.moves_per_read", (double) (margin.moves() - FILES_IN_MEMORY) / margin.reads());
        return figures;
    }

    private ReplayResult replay(Trace trace, long memoryBytes) {
        TierHierarchy hierarchy = TierHierarchy.of(
                new TierSpec("memory", memoryBytes, 1_000, 10_000_000_000L, true),
                new TierSpec("disk", TierSpec.UNBOUNDED, 8_000_000, 120_000_000, false));
        return TraceReplay.replay(trace, hierarchy, SERVICE, policy.make(hierarchy));
    }

    private static Trace loop(int objects, int passes) {
        Trace.Builder rows = new Trace.Builder("loop");
        for (int i = 0; i < passes * objects; i++) {
            rows.add(i * 1000L, i % objects, LARGE, LARGE, false, -1);
        }
        return rows.build();
    }

    private static Trace equallyPopular() {
        Random random = new Random(1);
        Trace.Builder rows = new Trace.Builder("equally-popular");
        for (int i = 0; i < READS; i++) {
            rows.add(i * 1000L / READS_PER_S, random.nextInt(FILES), SMALL, SMALL, false, -1);
        }
        return rows.build();
    }
}
