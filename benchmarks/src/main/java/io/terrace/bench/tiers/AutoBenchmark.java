package io.terrace.bench.tiers;

import io.terrace.bench.cluster.ClusterSpec;
import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.cluster.MetricsPage;
import io.terrace.bench.cluster.PlacementAdmin;
import io.terrace.bench.cluster.Ports;
import io.terrace.bench.cluster.TemporaryCluster;
import io.terrace.bench.load.DataSet;
import io.terrace.bench.load.StoredFile;
import io.terrace.bench.measure.ClientVariant;
import io.terrace.bench.measure.ResultSheet;
import io.terrace.bench.tiers.media.MediaDatasetFactory;
import io.terrace.bench.tiers.media.MediaFigures;
import io.terrace.bench.tiers.media.Medium;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.StorageType;

/**
 * What a range of tiers is worth: skewed reads of files on disk, by stock HDFS, and by Terrace where a rule lets the files
 * that are read most climb to SSDs that hold a part of them. Media are of the same set speed in both; nothing is in memory.
 */
public final class AutoBenchmark {

    private static final int DATANODES = 2;
    private static final long MEMORY_BYTES = 1L << 20;
    private static final String MOVED = "placement.volume.moved.bytes";
    private static final String POLICY =
            """
            policy: idecider
            parameters: {threshold: 1000000000}
            rules:
            - path: /data/**
              tiers: ssd..disk
            """;

    private final AutoPlan plan;
    private final Path dir;
    private final long seed;
    private final Map<String, String> properties;
    private final ResultSheet scores;
    private final DataSet data;

    /**
     * Of two clusters, one after the other.
     *
     * @param properties of the user, for every daemon and client
     */
    public AutoBenchmark(AutoPlan plan, Path dir, long seed, Map<String, String> properties, ResultSheet scores) {
        this.plan = plan;
        this.dir = dir;
        this.seed = seed;
        this.properties = properties;
        this.scores = scores;
        this.data = DataSet.seeded(seed, (long) plan.files() * plan.fileBytes(), plan.fileBytes());
    }

    /** Measures both. */
    public void run() throws IOException {
        scores.section("auto: " + plan.files() + " files of " + plan.fileBytes() + " bytes, " + plan.times()
                + " times the SSDs; Zipf " + plan.skew() + ", " + plan.readers() + " readers");
        scores.progress(Medium.described());
        double stockMs;
        long wrongBytes;
        try (TemporaryCluster cluster = TemporaryCluster.up(dir.resolve("stock"), spec(false));
                SkewedReads reads = new SkewedReads(cluster.cluster().confStock(), data, plan, seed)) {
            reads.store();
            stockMs = reads.read(plan.stock()).meanMs();
            wrongBytes = reads.wrongBytes();
        }
        scores.note("auto.stock_ms", stockMs, "ms a read");
        try (TemporaryCluster cluster = TemporaryCluster.up(dir.resolve("tiers"), spec(true));
                SkewedReads reads = new SkewedReads(cluster.cluster().confStock(), data, plan, seed);
                PlacementAdmin placement = new PlacementAdmin(cluster.cluster())) {
            reads.store();
            placement.apply(POLICY);
            measure(cluster.cluster(), reads, placement, stockMs);
            wrongBytes += reads.wrongBytes();
        }
        scores.below("auto.wrong_bytes", wrongBytes, 1);
    }

    private ClusterSpec spec(boolean terrace) throws IOException {
        Map<String, String> all = new LinkedHashMap<>(MetricsPage.SETTINGS);
        all.put("dfs.datanode.data.dir", "[DISK]file://${hadoop.tmp.dir}/disk,[SSD]file://${hadoop.tmp.dir}/ssd");
        all.put(SmallSsd.RESERVED, SmallSsd.reserved(dir, plan.ssdBytes(DATANODES)));
        // Else stock leaves a gigabyte of each volume free.
        all.put("dfs.datanode.round-robin-volume-choosing-policy.additional-available-space", "0");
        all.put("dfs.datanode.scan.period.hours", "-1");
        // Else a client that closes a file before the NameNode knows its replica sleeps 400 ms.
        all.put("dfs.client.block.write.locateFollowingBlock.initial.delay.ms", "2");
        all.putAll(MediaDatasetFactory.settings(terrace));
        all.putAll(properties);
        return ClusterSpec.of(DATANODES, MEMORY_BYTES)
                .withBlockBytes(plan.fileBytes())
                .withReplication(1)
                .withTerrace(terrace)
                .withProperties(all);
    }

    private void measure(LocalCluster cluster, SkewedReads reads, PlacementAdmin placement, double stockMs)
            throws IOException {
        for (int i = 1; i <= 10; i++) {
            double ms = reads.read(plan.settling() / 10).meanMs();
            scores.progress(String.format(
                    "%d reads: %.2f ms, %d MB moved",
                    i * plan.settling() / 10, ms, placement.serviceFigures().getOrDefault(MOVED, 0L) >> 20));
        }
        long movedBytes = placement.serviceFigures().getOrDefault(MOVED, 0L);
        long ssdBytes = sent(cluster, StorageType.SSD);
        long otherBytes = sent(cluster, StorageType.DISK);
        SkewedReads.Outcome outcome = reads.read(plan.measured());
        ssdBytes = sent(cluster, StorageType.SSD) - ssdBytes;
        otherBytes = sent(cluster, StorageType.DISK) - otherBytes;
        movedBytes = placement.serviceFigures().getOrDefault(MOVED, 0L) - movedBytes;
        double best = best(cluster, outcome.readsOf());
        scores.note("auto.tiers_ms", outcome.meanMs(), "ms a read");
        scores.note("auto.ssd", (double) ssdBytes / (ssdBytes + otherBytes), "of all bytes from SSD");
        scores.note("auto.ssd.best", best, "with the best fixed placement");
        scores.atLeast("auto.time", stockMs / outcome.meanMs(), 2);
        scores.atLeast("auto.best", (double) ssdBytes / (ssdBytes + otherBytes) / best, 0.85);
        scores.below("auto.moved", (double) movedBytes / outcome.bytes(), 0.200001);
    }

    private static long sent(LocalCluster cluster, StorageType type) throws IOException {
        long bytes = 0;
        for (Ports.DataNodePorts node : cluster.ports().datanodes()) {
            bytes += new MetricsPage(node.http()).value(MediaFigures.name(type));
        }
        return bytes;
    }

    /** The part of these reads that come from SSD if each DataNode's has the files that are read most, known beforehand. */
    private double best(LocalCluster cluster, int[] readsOf) throws IOException {
        Map<String, List<Integer>> byNode = new TreeMap<>();
        try (FileSystem fs = ClientVariant.stock().open(cluster.confStock()).fs()) {
            for (int i = 0; i < readsOf.length; i++) {
                StoredFile file = data.files().get(i);
                String node = fs.getFileBlockLocations(new org.apache.hadoop.fs.Path(file.path()), 0, 1)[0]
                        .getNames()[0];
                byNode.computeIfAbsent(node, unused -> new ArrayList<>()).add(readsOf[i]);
            }
        }
        long most = 0;
        long all = 0;
        for (List<Integer> reads : byNode.values()) {
            reads.sort(Collections.reverseOrder());
            for (int i = 0; i < reads.size(); i++) {
                all += reads.get(i);
                most += (i + 1L) * plan.fileBytes() <= plan.ssdBytes(DATANODES) ? reads.get(i) : 0;
            }
        }
        return (double) most / all;
    }
}
