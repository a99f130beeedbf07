package io.terrace.bench.tiers;

import io.terrace.bench.cluster.ClusterException;
import io.terrace.bench.cluster.ClusterSpec;
import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.cluster.PlacementAdmin;
import io.terrace.bench.cluster.TemporaryCluster;
import io.terrace.bench.measure.ResultSheet;
import io.terrace.bench.tiers.media.MediaDatasetFactory;
import io.terrace.bench.tiers.media.Medium;
import java.io.IOException;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;

/**
 * Writes of four times what the SSDs hold into a directory of the storage policy ALL_SSD, at a set pace: how many replicas are born
 * on SSD where a range of tiers drains it, and on stock HDFS, which falls back to disk once it is full.
 */
public final class SpillBenchmark {

    private static final int DATANODES = 2;
    private static final long MEMORY_BYTES = 1L << 20;
    private static final int FILE_BYTES = 1 << 20;
    private static final int TIMES = 4;
    private static final int HIGH_WATER_PERCENT = 60;
    private static final Path DATA = new Path("/data");
    private static final String POLICY =
            """
            policy: idecider
            parameters: {threshold: 1000000000}
            rules:
            - path: /data/**
              tiers: ssd..disk
            """;

    private final int ssdFiles;
    private final double filesPerSecond;
    private final java.nio.file.Path dir;
    private final long seed;
    private final Map<String, String> properties;
    private final ResultSheet scores;

    /** What became of the files. */
    private record Born(int onSsd, int failed, double seconds) {}

    /**
     * Of two clusters, one after the other.
     *
     * @param ssdFiles of 1 MB that the SSDs of both DataNodes hold
     * @param filesPerSecond that are written
     * @param properties of the user, for every daemon and client
     */
    public SpillBenchmark(
            int ssdFiles,
            double filesPerSecond,
            java.nio.file.Path dir,
            long seed,
            Map<String, String> properties,
            ResultSheet scores) {
        this.ssdFiles = ssdFiles;
        this.filesPerSecond = filesPerSecond;
        this.dir = dir;
        this.seed = seed;
        this.properties = properties;
        this.scores = scores;
    }

    /** Measures both. */
    public void run() throws IOException {
        int files = TIMES * ssdFiles;
        scores.section("spill: " + files + " files of 1 MB with ALL_SSD, " + filesPerSecond + " a second, SSDs of "
                + ssdFiles + " MB; with tiers they drain above " + HIGH_WATER_PERCENT + " %");
        scores.progress(Medium.described());
        Born stock = write("stock", false, files);
        scores.note("spill.born.stock", (double) stock.onSsd / files, "of the replicas born on SSD, stock");
        scores.note("spill.failed.stock", stock.failed, "writes failed, stock");
        scores.note("spill.files_s.stock", files / stock.seconds, "files written a second, stock");
        Born tiers = write("tiers", true, files);
        scores.note("spill.files_s", files / tiers.seconds, "files written a second");
        scores.atLeast("spill.born", (double) tiers.onSsd / files, 0.9);
        scores.below("spill.failed", tiers.failed, 1);
    }

    private Born write(String name, boolean terrace, int files) throws IOException {
        try (TemporaryCluster temporary = TemporaryCluster.up(dir.resolve(name), spec(terrace));
                DistributedFileSystem fs = (DistributedFileSystem) FileSystem.newInstance(
                        URI.create(temporary.cluster().fileSystemUri()),
                        temporary.cluster().confStock())) {
            fs.mkdirs(DATA);
            fs.setStoragePolicy(DATA, HdfsConstants.ALLSSD_STORAGE_POLICY_NAME);
            if (!terrace) {
                return write(fs, files);
            }
            return drained(temporary.cluster(), fs, files);
        }
    }

    private Born drained(LocalCluster cluster, DistributedFileSystem fs, int files) throws IOException {
        try (PlacementAdmin placement = new PlacementAdmin(cluster)) {
            placement.apply(POLICY);
            Born born = write(fs, files);
            long moved = placement.serviceFigures().getOrDefault("placement.volume.moved.bytes", 0L);
            scores.note("spill.drained_mb_s", moved / 1e6 / born.seconds, "MB/s off the SSDs");
            return born;
        }
    }

    private ClusterSpec spec(boolean terrace) throws IOException {
        long ssdBytes = (long) ssdFiles * FILE_BYTES / DATANODES;
        Map<String, String> all = new LinkedHashMap<>();
        all.put("dfs.datanode.data.dir", "[DISK]file://${hadoop.tmp.dir}/disk,[SSD]file://${hadoop.tmp.dir}/ssd");
        all.put(SmallSsd.RESERVED, SmallSsd.reserved(dir, ssdBytes));
        // Else stock leaves a gigabyte of each volume free.
        all.put("dfs.datanode.round-robin-volume-choosing-policy.additional-available-space", "0");
        all.put("dfs.heartbeat.interval", "1");
        // Else a client that closes a file before the NameNode knows its replica sleeps 400 ms, in both arms.
        all.put("dfs.client.block.write.locateFollowingBlock.initial.delay.ms", "2");
        all.putAll(MediaDatasetFactory.settings(terrace));
        if (terrace) {
            all.put("terrace.placement.volume.high-water", Integer.toString(HIGH_WATER_PERCENT));
        }
        all.putAll(properties);
        return ClusterSpec.of(DATANODES, MEMORY_BYTES)
                .withBlockBytes(FILE_BYTES)
                .withReplication(1)
                .withTerrace(terrace)
                .withProperties(all);
    }

    private Born write(DistributedFileSystem fs, int files) throws IOException {
        SmallFiles data = new SmallFiles(fs, DATA, FILE_BYTES, 1, seed);
        int onSsd = 0;
        int failed = 0;
        long startNs = System.nanoTime();
        for (int i = 0; i < files; i++) {
            pause(startNs + (long) (i * 1e9 / filesPerSecond) - System.nanoTime());
            try {
                data.store(i);
                onSsd += data.on(i, StorageType.SSD) ? 1 : 0;
            } catch (IOException e) {
                scores.progress("a write failed: " + e.getMessage());
                failed++;
            }
        }
        return new Born(onSsd, failed, (System.nanoTime() - startNs) / 1e9);
    }

    private static void pause(long ns) throws ClusterException {
        try {
            if (ns > 0) {
                TimeUnit.NANOSECONDS.sleep(ns);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ClusterException("interrupted", e);
        }
    }
}
