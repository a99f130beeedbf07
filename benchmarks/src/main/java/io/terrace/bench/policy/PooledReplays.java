package io.terrace.bench.policy;

import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.placementctl.cluster.ClusterReplay;
import io.terrace.placementctl.cluster.ClusterReplay.Conditions;
import io.terrace.placementctl.cluster.ClusterReplay.Outcome;
import io.terrace.placementctl.cluster.DrawnReads;
import io.terrace.placementctl.cluster.ReplayedNamespace;
import io.terrace.policy.replay.Trace;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * How much of what one pooled memory would serve the memories of a cluster serve: the placement service's engine over {@value
 * #NODES} DataNodes, and over one DataNode with the memory of all, on the same reads.
 */
final class PooledReplays {

    static final int NODES = 20;
    private static final int REPLICATION = 3;
    /** DataNodes that hold all first replicas. */
    private static final int LOADED = 3;

    private static final double[] MEMORY = {0.02, 0.1};
    /** Where a DataNode has room for fewer objects, its memory is mostly rounding. */
    private static final int LEAST_OBJECTS = 8;

    private static final int MOST_READS = 200_000;
    private static final long SEED = 1;

    /**
     * Who reads.
     *
     * @param hosts the first so many hosts, all equally often
     * @param reach part of the reads by clients that find copies wherever they are
     */
    private record Readers(int hosts, double reach) {}

    private enum Setup {
        /** Each DataNode with the same memory, Terrace's clients on all hosts. */
        ANYWHERE("cluster.pooled", new Readers(NODES, 1)),
        /** All clients on the hosts that hold the first replicas. */
        LOADED_HOSTS("cluster.loaded_hosts", new Readers(LOADED, 1)),
        /** A quarter of the DataNodes without memory, the others with 1 to 4 parts of it. */
        UNEVEN("cluster.uneven", new Readers(NODES, 1)),
        /** Stock clients on all hosts: a copy helps only the reads that stock sends there. */
        STOCK_CLIENTS("cluster.stock_clients", new Readers(NODES, 0));

        private final String figure;
        private final Readers readers;

        Setup(String figure, Readers readers) {
            this.figure = figure;
            this.readers = readers;
        }

        long[] memory(long totalBytes) {
            long[] parts = new long[NODES];
            for (int node = 0; node < NODES; node++) {
                parts[node] = this == UNEVEN ? (node % 4 == 0 ? 0 : 1 + node % 3 + node % 2) : 1;
            }
            long all = Arrays.stream(parts).sum();
            return Arrays.stream(parts).map(part -> totalBytes * part / all).toArray();
        }
    }

    private final PrintWriter out;
    private final Map<String, Double> sums = new LinkedHashMap<>();
    private final Map<String, Integer> cells = new LinkedHashMap<>();
    private double least = Double.POSITIVE_INFINITY;

    PooledReplays(PrintWriter out) {
        this.out = out;
    }

    void header() {
        out.printf(
                "%-22s %6s %-14s %8s %8s %8s %8s %8s %8s %8s%n",
                "trace", "memory", "setup", "hits", "of pool", "local", "moved", "of pool", "homes", "ns");
    }

    void replay(Trace whole, double[] shares) {
        Trace trace = inBlocks(whole);
        for (double share : shares.length == 0 ? MEMORY : shares) {
            long totalBytes = (long) (trace.readFootprintBytes() * share);
            if (totalBytes / NODES < LEAST_OBJECTS * (trace.footprintBytes() / trace.objects())) {
                continue;
            }
            Outcome pooled = run(trace, 1, 1, 1, new Readers(1, 1), totalBytes);
            print(trace, share, "pooled", pooled, pooled);
            for (Setup setup : Setup.values()) {
                if (setup == Setup.ANYWHERE || share == MEMORY[MEMORY.length - 1]) {
                    replay(trace, share, setup, pooled, totalBytes);
                }
            }
        }
    }

    private void replay(Trace trace, double share, Setup setup, Outcome pooled, long totalBytes) {
        Outcome outcome = run(trace, NODES, REPLICATION, LOADED, setup.readers, setup.memory(totalBytes));
        print(trace, share, setup.name().toLowerCase(Locale.ROOT), outcome, pooled);
        add(setup.figure, outcome.hitRatio() / pooled.hitRatio());
        if (setup == Setup.ANYWHERE) {
            least = Math.min(least, outcome.hitRatio() / pooled.hitRatio());
            add("cluster.moved.vs_pooled", outcome.moved() / pooled.moved());
            add("cluster.ns", outcome.engineNs());
            add("cluster.ns.pooled", pooled.engineNs());
        }
    }

    private static Outcome run(
            Trace trace, int nodes, int replication, int loaded, Readers readers, long... memoryBytes) {
        String tracked = Integer.toString(ClusterReplay.TRACKED / nodes);
        return new ClusterReplay(
                        trace,
                        ReplayedNamespace.drawn(trace, nodes, replication, loaded, SEED),
                        new DrawnReads(readers.hosts, SEED),
                        PolicySpec.plain(PolicyVariant.OURS, Map.of("tracked", tracked)),
                        new Conditions(memoryBytes, 0, readers.reach, SEED))
                .run(row -> {});
    }

    private void add(String figure, double value) {
        sums.merge(figure, value, Double::sum);
        cells.merge(figure, 1, Integer::sum);
    }

    private void print(Trace trace, double share, String setup, Outcome outcome, Outcome pooled) {
        out.printf(
                "%-22s %6.3g %-14s %8.4f %8.4f %8.4f %8.4f %8.4f %8.5f %8.0f%n",
                trace.name(),
                share,
                setup,
                outcome.hitRatio(),
                outcome.hitRatio() / pooled.hitRatio(),
                (double) outcome.local() / outcome.hits(),
                outcome.moved(),
                outcome.moved() / pooled.moved(),
                (double) outcome.homesChanged() / outcome.reads(),
                outcome.engineNs());
        out.flush();
    }

    /** Its beginning if all objects are of one size, else blocks of 128 MB, or of so much more that there are not too many reads. */
    private static Trace inBlocks(Trace trace) {
        if (trace.footprintBytes() == trace.size(0) * trace.objects()) {
            return beginning(trace);
        }
        for (long blockBytes = ReplayCase.BLOCK_BYTES; ; blockBytes *= 2) {
            long reads = 0;
            for (int row = 0; row < trace.rows(); row++) {
                reads += trace.isWrite(row) ? 0 : Math.max(1, -Math.floorDiv(-trace.bytes(row), blockBytes));
            }
            if (reads <= MOST_READS) {
                return trace.inBlocks(blockBytes);
            }
        }
    }

    private static Trace beginning(Trace trace) {
        Trace.Builder rows = new Trace.Builder(trace.name());
        for (int row = 0; row < Math.min(trace.rows(), MOST_READS); row++) {
            rows.add(
                    trace.timeMs(row),
                    trace.object(row),
                    trace.bytes(row),
                    trace.size(row),
                    trace.isWrite(row),
                    trace.job(row));
        }
        return rows.build();
    }

    Map<String, Number> figures() {
        Map<String, Number> figures = new LinkedHashMap<>();
        sums.forEach((figure, sum) -> figures.put(figure, sum / cells.getOrDefault(figure, 1)));
        if (!figures.isEmpty()) {
            figures.put("cluster.pooled.least", least);
        }
        return figures;
    }
}
