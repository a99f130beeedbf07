package io.terrace.bench.tiers;

import io.terrace.bench.cluster.ClusterSpec;
import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.cluster.PlacementAdmin;
import io.terrace.bench.cluster.TemporaryCluster;
import io.terrace.bench.measure.ResultSheet;
import java.io.IOException;
import java.net.URI;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DistributedFileSystem;

/**
 * The operator's tools win: replicas that climbed by heat and that stock's Mover took home stay there while they are read on,
 * and others climb meanwhile.
 */
public final class YieldBenchmark {

    private static final int DATANODES = 2;
    private static final long MEMORY_BYTES = 16L << 20;
    private static final int FILE_BYTES = 96 << 10;
    private static final long LIMIT_NS = TimeUnit.MINUTES.toNanos(2);
    private static final String POLICY =
            """
            policy: idecider
            parameters: {threshold: 1000000000}
            rules:
            - path: /data/**
              tiers: ssd..disk
            """;

    private final int files;
    private final int watchSeconds;
    private final java.nio.file.Path dir;
    private final long seed;
    private final Map<String, String> properties;
    private final ResultSheet scores;

    /**
     * Of one cluster.
     *
     * @param watchSeconds for how long the files are read after Mover ended
     * @param properties of the user, for every daemon and client
     */
    public YieldBenchmark(
            int files,
            int watchSeconds,
            java.nio.file.Path dir,
            long seed,
            Map<String, String> properties,
            ResultSheet scores) {
        this.files = files;
        this.watchSeconds = watchSeconds;
        this.dir = dir;
        this.seed = seed;
        this.properties = properties;
        this.scores = scores;
    }

    /** Measures it. */
    public void run() throws IOException {
        scores.section("yield: " + files + " files climb to SSD, Mover takes them home, they are read for "
                + watchSeconds + " s more");
        try (TemporaryCluster temporary = TemporaryCluster.up(dir, spec());
                PlacementAdmin placement = new PlacementAdmin(temporary.cluster());
                DistributedFileSystem fs = (DistributedFileSystem) FileSystem.newInstance(
                        URI.create(temporary.cluster().fileSystemUri()),
                        temporary.cluster().confStock())) {
            measure(temporary.cluster(), placement, fs);
        }
    }

    private ClusterSpec spec() {
        Map<String, String> all = new LinkedHashMap<>(TiersBenchmark.settings());
        all.put("terrace.placement.control.share", "0");
        all.put("dfs.mover.retry.max.attempts", "2");
        all.putAll(properties);
        return ClusterSpec.of(DATANODES, MEMORY_BYTES).withReplication(1).withProperties(all);
    }

    private void measure(LocalCluster cluster, PlacementAdmin placement, DistributedFileSystem fs) throws IOException {
        SmallFiles data = new SmallFiles(fs, new Path("/data/home"), FILE_BYTES, 1, seed);
        SmallFiles others = new SmallFiles(fs, new Path("/data/other"), FILE_BYTES, 1, seed);
        for (int i = 0; i < files; i++) {
            data.store(i);
        }
        placement.apply(POLICY);
        long deadlineNs = System.nanoTime() + LIMIT_NS;
        while (data.on(StorageType.SSD, files) < files && System.nanoTime() - deadlineNs < 0) {
            data.read(files);
        }
        scores.note("yield.climbed", (double) data.on(StorageType.SSD, files) / files, "of the files climbed to SSD");
        int code = StockMover.run(cluster.confStock(), new Path("/data"));
        Set<Integer> home = new HashSet<>();
        for (int i = 0; i < files; i++) {
            if (data.on(i, StorageType.DISK)) {
                home.add(i);
            }
        }
        scores.note("yield.mover.code", code, "exit code of Mover, 0 for success");
        scores.atLeast("yield.home", (double) home.size() / files, 1);
        int fresh = files / 2;
        for (int i = 0; i < fresh; i++) {
            others.store(i);
        }
        Set<Integer> again = new HashSet<>();
        long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(watchSeconds);
        while (System.nanoTime() - endNs < 0) {
            data.read(files);
            others.read(fresh);
            for (int file : home) {
                if (!data.on(file, StorageType.DISK)) {
                    again.add(file);
                }
            }
        }
        scores.atLeast("yield.others", (double) others.on(StorageType.SSD, fresh) / fresh, 1);
        scores.below("policy.yield", again.size(), 1);
    }
}
