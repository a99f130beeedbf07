package io.terrace.bench.demo;

import java.util.Locale;

/**
 * One window of the reading: the hot blocks in memory, and the latencies of the reads.
 *
 * @param seconds end of the window, from the start of the reading
 * @param reads in the window
 * @param hitOps share of them that memory served
 * @param medianUs of all reads of the window, microseconds
 * @param p99Us likewise
 * @param memory at the end of the window
 */
record DemoWindow(double seconds, long reads, double hitOps, double medianUs, double p99Us, MemoryState memory) {
    static final String HEADER = "    time     reads  from memory     median        p99   blocks in memory";

    static DemoWindow of(double seconds, ReadTally window, MemoryState memory) {
        TierReads all = window.all();
        return new DemoWindow(
                seconds, window.reads(), window.hitOps(), all.percentileUs(50), all.percentileUs(99), memory);
    }

    String line() {
        return String.format(
                Locale.ROOT,
                "  %4.0f s  %8d      %5.1f %%  %9s  %9s   %6d (%.0f MiB)",
                seconds,
                reads,
                100 * hitOps,
                time(medianUs),
                time(p99Us),
                memory.blocks(),
                memory.usedBytes() / 1048576.0);
    }

    static String time(double us) {
        return us < 1_000
                ? String.format(Locale.ROOT, "%.1f us", us)
                : String.format(Locale.ROOT, "%.2f ms", us / 1_000);
    }
}
