package io.terrace.bench.demo;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a demo measured.
 *
 * @param workload the reads of the workload
 * @param check the reads of the last pass over every file
 * @param memory the memory tiers at the end of the workload
 */
public record DemoResult(ReadTally workload, ReadTally check, MemoryState memory) {
    /** Bytes that differed from what was stored, in both passes. */
    public long wrongBytes() {
        return workload.wrongBytes() + check.wrongBytes();
    }

    /** Figures by id, flat; times in microseconds, sizes in bytes. */
    public Map<String, Number> figures() {
        Map<String, Number> figures = new LinkedHashMap<>();
        figures.put("bytes.read", workload.bytes() + check.bytes());
        figures.put("bytes.wrong", wrongBytes());
        figures.put("hit.ops", workload.hitOps());
        figures.put("hit.bytes", workload.hitBytes());
        figures.put("bytes.moved", memory.movedBytes());
        figures.put("bytes.promoted", memory.promotedBytes());
        figures.put("bytes.dropped", memory.droppedBytes());
        put(figures, "memory", workload.memory());
        put(figures, "disk", workload.disk());
        return figures;
    }

    private static void put(Map<String, Number> figures, String tier, TierReads reads) {
        figures.put(tier + ".reads", reads.reads());
        figures.put(tier + ".bytes", reads.bytes());
        if (reads.reads() > 0) {
            figures.put(tier + ".median_us", reads.percentileUs(50));
            figures.put(tier + ".p99_us", reads.percentileUs(99));
        }
    }

    /** The closing table. */
    public void show(Screen screen) {
        screen.line("");
        screen.line("  tier         reads        bytes     median        p99");
        row(screen, "memory", workload.memory());
        row(screen, "disk", workload.disk());
        screen.line("");
        screen.line(
                "  hit ratio    %.1f %% of reads, %.1f %% of bytes",
                100 * workload.hitOps(), 100 * workload.hitBytes());
        screen.line(
                "  moved        %.1f MiB into memory, %.1f MiB dropped from it",
                memory.promotedBytes() / 1048576.0, memory.droppedBytes() / 1048576.0);
        screen.line("  verified     %d bytes read, %d wrong", workload.bytes() + check.bytes(), wrongBytes());
    }

    private static void row(Screen screen, String tier, TierReads reads) {
        if (reads.reads() == 0) {
            screen.line("  %-8s %9d", tier, 0);
        } else {
            screen.line(
                    "  %-8s %9d  %7.1f MiB  %9s  %9s",
                    tier,
                    reads.reads(),
                    reads.bytes() / 1048576.0,
                    DemoWindow.time(reads.percentileUs(50)),
                    DemoWindow.time(reads.percentileUs(99)));
        }
    }
}
