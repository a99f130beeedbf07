package io.terrace.bench.tiers;

import io.terrace.bench.cluster.ClusterException;
import io.terrace.bench.cluster.ClusterSpec;
import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.cluster.PlacementAdmin;
import io.terrace.bench.cluster.TemporaryCluster;
import io.terrace.bench.measure.ResultSheet;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;

/**
 * Files whose storage policy changes and that a rule tells to satisfy: whether all come to where it wants them though the
 * NameNode is killed half-way, and whether stock's Mover finds anything to do then.
 */
public final class SatisfyBenchmark {

    private static final int DATANODES = 2;
    private static final long MEMORY_BYTES = 16L << 20;
    private static final int FILE_BYTES = 96 << 10;
    private static final long LIMIT_NS = TimeUnit.MINUTES.toNanos(5);
    private static final long LOOK_MS = 200;
    private static final String ONE_SSD = HdfsConstants.ONESSD_STORAGE_POLICY_NAME;
    private static final String COLD = HdfsConstants.COLD_STORAGE_POLICY_NAME;
    private static final List<StorageType> ON_SSD_AND_DISK = List.of(StorageType.SSD, StorageType.DISK);
    private static final List<StorageType> ON_ARCHIVE = List.of(StorageType.ARCHIVE, StorageType.ARCHIVE);
    private static final Path DATA = new Path("/data");
    private static final Path ANNOTATED = new Path("/annotated");
    private static final String POLICY =
            """
            policy: idecider
            parameters: {threshold: 1000000000}
            rules:
            - path: /data/**
              satisfy: true
            """;

    /** Five and a half, of which a few are not counted: those between the last look and the kill. */
    private static final int MOVES_OF_A_FILE = 5;

    private final int files;
    private final java.nio.file.Path dir;
    private final long seed;
    private final Map<String, String> properties;
    private final ResultSheet scores;
    private long movesBefore;

    /**
     * Of one cluster.
     *
     * @param properties of the user, for every daemon and client
     */
    public SatisfyBenchmark(
            int files, java.nio.file.Path dir, long seed, Map<String, String> properties, ResultSheet scores) {
        this.files = files;
        this.dir = dir;
        this.seed = seed;
        this.properties = properties;
        this.scores = scores;
    }

    /** Measures all. */
    public void run() throws IOException {
        scores.section("satisfy: " + files + " files of 2 replicas and " + FILE_BYTES
                + " bytes, from disk to ONE_SSD and COLD; the NameNode is killed half-way");
        try (TemporaryCluster temporary = TemporaryCluster.up(dir, spec());
                DistributedFileSystem fs = fileSystem(temporary.cluster())) {
            LocalCluster cluster = temporary.cluster();
            store(fs, DATA, files);
            store(fs, ANNOTATED, Math.min(10, files));
            try (PlacementAdmin placement = new PlacementAdmin(cluster)) {
                placement.apply(POLICY);
            }
            satisfied(cluster, fs);
            mover(cluster, fs);
            annotated(fs);
        }
    }

    private ClusterSpec spec() {
        Map<String, String> all = new LinkedHashMap<>(TiersBenchmark.settings());
        // So that the NameNode can be killed half-way.
        all.put("terrace.placement.volume.bandwidth.total", Integer.toString(files * FILE_BYTES * 3 / 2 / 10));
        all.put("dfs.namenode.audit.loggers", "default,io.terrace.placement.hdfs.namesystem.AnnotationAuditLogger");
        all.put("dfs.mover.retry.max.attempts", "2");
        all.putAll(properties);
        return ClusterSpec.of(DATANODES, MEMORY_BYTES).withReplication(2).withProperties(all);
    }

    private static DistributedFileSystem fileSystem(LocalCluster cluster) throws IOException {
        Configuration conf = cluster.confStock();
        conf.set("dfs.client.retry.policy.enabled", "true");
        return (DistributedFileSystem) FileSystem.newInstance(URI.create(cluster.fileSystemUri()), conf);
    }

    private void store(DistributedFileSystem fs, Path directory, int count) throws IOException {
        byte[] bytes = new byte[FILE_BYTES];
        new SplittableRandom(seed).nextBytes(bytes);
        for (int i = 0; i < count; i++) {
            try (FSDataOutputStream out = fs.create(file(directory, i), (short) 2)) {
                out.write(bytes);
            }
        }
    }

    private static Path file(Path directory, int number) {
        return new Path(directory, "file" + number);
    }

    /** Every other file goes to ONE_SSD and to COLD, the first to this one. */
    private void set(DistributedFileSystem fs, String first, String second) throws IOException {
        for (int i = 0; i < files; i++) {
            fs.setStoragePolicy(file(DATA, i), i % 2 == 0 ? first : second);
        }
    }

    private int satisfied(DistributedFileSystem fs, String first) throws IOException {
        int there = 0;
        for (int i = 0; i < files; i++) {
            boolean warm = (i % 2 == 0) == first.equals(ONE_SSD);
            there += types(fs, file(DATA, i)).equals(warm ? ON_SSD_AND_DISK : ON_ARCHIVE) ? 1 : 0;
        }
        return there;
    }

    private static List<StorageType> types(DistributedFileSystem fs, Path file) throws IOException {
        List<LocatedBlock> blocks =
                fs.getClient().getLocatedBlocks(file.toString(), 0, FILE_BYTES).getLocatedBlocks();
        return Arrays.stream(blocks.get(0).getStorageTypes()).sorted().toList();
    }

    private void satisfied(LocalCluster cluster, DistributedFileSystem fs) throws IOException {
        long startNs = System.nanoTime();
        set(fs, ONE_SSD, COLD);
        int before = await(fs, ONE_SSD, files / 2);
        movesBefore = moves(cluster);
        cluster.namenode().kill();
        cluster.start(cluster.namenode());
        int after = await(fs, ONE_SSD, files);
        scores.note("policy.killed_at", (double) before / files, "of the files when the NameNode was killed");
        scores.note("policy.seconds", (System.nanoTime() - startNs) / 1e9, "s");
        scores.atLeast("policy.satisfied", (double) after / files, 1);
    }

    /** Waits until so many files are there; says how many are. */
    private int await(DistributedFileSystem fs, String first, int wanted) throws IOException {
        long deadlineNs = System.nanoTime() + LIMIT_NS;
        int there = satisfied(fs, first);
        while (there < wanted && System.nanoTime() - deadlineNs < 0) {
            pause();
            there = satisfied(fs, first);
        }
        return there;
    }

    private static void pause() throws ClusterException {
        try {
            TimeUnit.MILLISECONDS.sleep(LOOK_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ClusterException("interrupted", e);
        }
    }

    /** That the service counts since the NameNode was started. */
    private static long moves(LocalCluster cluster) throws IOException {
        try (PlacementAdmin placement = new PlacementAdmin(cluster)) {
            return placement.serviceFigures().getOrDefault(Metric.PLACEMENT_VOLUME_MOVES_DONE.id(), 0L);
        }
    }

    /** Lets the files trade places twice, and stock's fsck and Mover look at them then. */
    private void mover(LocalCluster cluster, DistributedFileSystem fs) throws IOException {
        List<String> fsckBefore = StockFsck.run(cluster, DATA);
        set(fs, COLD, ONE_SSD);
        await(fs, COLD, files);
        set(fs, ONE_SSD, COLD);
        int there = await(fs, ONE_SSD, files);
        List<String> fsckAfter = StockFsck.run(cluster, DATA);
        scores.atLeast("policy.moves", movesBefore + moves(cluster), MOVES_OF_A_FILE * files);
        scores.note("policy.fsck.lines", fsckAfter.size(), "lines that fsck says, times left out");
        scores.below("policy.fsck", StockFsck.differences(fsckBefore, fsckAfter), 1);
        List<String> before = storages(fs);
        int code = StockMover.run(cluster.confStock(), DATA);
        List<String> after = storages(fs);
        long moved = 0;
        for (int i = 0; i < files; i++) {
            moved += before.get(i).equals(after.get(i)) ? 0 : 1;
        }
        scores.note("policy.mover.code", code, "exit code of Mover, 0 for success");
        scores.note("policy.mover.there", (double) there / files, "of the files where their policy wants them before");
        scores.below("policy.mover", moved, 1);
    }

    private List<String> storages(DistributedFileSystem fs) throws IOException {
        List<String> storages = new ArrayList<>();
        for (int i = 0; i < files; i++) {
            LocatedBlock block = fs.getClient()
                    .getLocatedBlocks(file(DATA, i).toString(), 0, FILE_BYTES)
                    .get(0);
            storages.add(Arrays.stream(block.getStorageIDs()).sorted().toList().toString());
        }
        return storages;
    }

    /** How long an annotation takes until its files are where the policy of their directory wants them. */
    private void annotated(DistributedFileSystem fs) throws IOException {
        fs.setStoragePolicy(ANNOTATED, COLD);
        long startNs = System.nanoTime();
        fs.setXAttr(ANNOTATED, "trusted.terrace.satisfy", "true".getBytes(StandardCharsets.UTF_8));
        while (!types(fs, file(ANNOTATED, 0)).equals(ON_ARCHIVE) && System.nanoTime() - startNs < LIMIT_NS) {
            pause();
        }
        scores.below("annotate.effect_s", (System.nanoTime() - startNs) / 1e9, 5);
    }
}
