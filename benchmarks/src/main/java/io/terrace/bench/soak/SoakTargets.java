package io.terrace.bench.soak;

import io.terrace.bench.measure.ResultSheet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/**
 * What the figures of a run must be. Of stock HDFS nothing is asked: what it loses by itself is what such a run is for.
 *
 * @param mapped whether a client reads short-circuit
 */
record SoakTargets(SoakOptions options, boolean mapped) {
    static final String JUDGED_DATANODES = "leaks.judged.datanodes";
    static final String JUDGED_CLIENTS = "leaks.judged.clients";

    /** A run of this length judges what was never killed. */
    static final long JUDGED_NS = TimeUnit.MINUTES.toNanos(10);

    /** A run of this length has cut some files, and recovered some leases. */
    private static final long SOME_NS = TimeUnit.MINUTES.toNanos(5);

    /** Of memory read and of data written over the channel; a run of stock HDFS has none. */
    private static final long LEAST_BYTES = 1 << 20;

    /**
     * Least part of the bytes read that comes from memory, and of the bytes written that goes over the channel: half of the smallest
     * that was seen (docs/results/soak.md). A third of the checked bytes is read by a stock client.
     */
    private static final double LEAST_SHARE = 0.25;

    private static final String CHANNEL = "bytes.written.channel";
    private static final String SEVERAL = "recoveries.several";

    /** The replicas of a few files. */
    private static final long LEAST_MOVED = 20;

    private static final Set<String> ZERO = new TreeSet<>(Set.of(
            "bytes.wrong",
            "bytes.lost",
            "files.lost",
            "broken",
            "stuck",
            "hangs.active",
            "leaks",
            "clients.ended",
            "datanodes.ended",
            "datanodes.unserving",
            "errors",
            "reads.failed.quiet",
            "reads.short.quiet",
            "replicas.missing",
            "replicas.unfinished",
            "replicas.unpaired",
            "replicas.wrong",
            "writes.failed.quiet",
            "daemons.ended"));

    /** Prints all figures. */
    void judge(ResultSheet sheet, Map<String, Long> figures) {
        Set<String> zero = options.terrace() ? ZERO : Set.of();
        Map<String, Long> least = options.terrace() ? least(figures) : Map.of();
        figures.forEach((name, value) -> {
            if (!zero.contains(name) && !least.containsKey(name)) {
                sheet.note(name, value, name.startsWith("bytes.") ? "bytes" : "");
            }
        });
        zero.forEach(name -> sheet.exactly(name, figures.getOrDefault(name, 0L), 0));
        least.forEach((name, target) -> sheet.atLeast(name, figures.getOrDefault(name, 0L), target));
        if (options.terrace()) {
            share(sheet, "share.memory", figures, memory(), "bytes.verified");
            share(sheet, "share.channel", figures, CHANNEL, "bytes.written");
        }
    }

    private static void share(ResultSheet sheet, String id, Map<String, Long> figures, String part, String whole) {
        double bytes = Math.max(1, figures.getOrDefault(whole, 0L));
        sheet.atLeast(id, figures.getOrDefault(part, 0L) / bytes, LEAST_SHARE);
    }

    /** What is read from memory, in the way of this run. */
    private String memory() {
        return options.provider() == SoakOptions.Provider.SHM ? "bytes.memory.shm" : "bytes.memory.remote";
    }

    /** What shows that the run was one of Terrace: that all went to stock HDFS would pass every other figure. */
    private Map<String, Long> least(Map<String, Long> figures) {
        Map<String, Long> least = new TreeMap<>();
        least.put(memory(), LEAST_BYTES);
        least.put(CHANNEL, LEAST_BYTES);
        least.put("replicas.files", 1L);
        if (isAtLeast(SOME_NS)) {
            least.put(SEVERAL, 1L);
            least.put("volume.moved", LEAST_MOVED);
            // Writers that stand still after each fault lose nothing.
            least.put("ops.written", figures.getOrDefault("kills", 0L));
            least.put("ops.truncate", figures.getOrDefault("rounds", 0L));
        }
        if (isAtLeast(JUDGED_NS)) {
            // One DataNode is away at most: of three replicas two are nearly always there.
            least.put(SEVERAL, Math.max(3, figures.getOrDefault("recoveries.single", 0L)));
            least.put(JUDGED_DATANODES, 1L);
            least.put(JUDGED_CLIENTS, 1L);
            if (mapped) {
                least.put("reads.mapped", 1L);
            }
        }
        return least;
    }

    private boolean isAtLeast(long lengthNs) {
        return options.length().toNanos() >= lengthNs;
    }
}
