package io.terrace.bench.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.bench.cluster.ClassPath;
import io.terrace.bench.cluster.ClusterSpec;
import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.cluster.PlacementAdmin;
import io.terrace.bench.load.Content;
import io.terrace.bench.load.DataSet;
import io.terrace.bench.load.StoredFile;
import io.terrace.bench.load.VerifyingClient;
import io.terrace.bench.load.VerifyingClient.Outcome;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Jobs whose output other jobs read at once, and one whose output nobody reads, on real daemons with two replicas. */
@Tag("daemons")
class FirstReadClusterTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final long BLOCK_BYTES = 1 << 20;
    private static final long FILE_BYTES = 2 * BLOCK_BYTES;
    private static final int FILES = 24;
    private static final int LEARNED_FROM = 8;
    private static final Path DIR =
            Path.of("target", "first-read-test-" + ProcessHandle.current().pid());

    private static LocalCluster cluster;
    private static PlacementAdmin admin;

    @BeforeAll
    static void up() throws IOException {
        // The policy copies nothing by itself: what is in memory was copied before its first read.
        ClusterSpec spec = ClusterSpec.of(2, 64 * BLOCK_BYTES)
                .withBlockBytes(BLOCK_BYTES)
                .withReplication(2)
                .withProperties(Map.of(
                        "terrace.placement.control.share", "0",
                        "terrace.placement.policy", "idecider",
                        "terrace.placement.idecider.threshold", "1000000000"));
        cluster = LocalCluster.up(DIR, spec, ClassPath.ofThisProcess(), new SplittableRandom());
        admin = new PlacementAdmin(cluster);
    }

    @AfterAll
    static void destroy() throws IOException {
        if (admin != null) {
            admin.close();
        }
        if (cluster != null) {
            cluster.destroy();
        }
    }

    /** Files of two blocks, each in a directory of its own. */
    private static DataSet outputs(String job) {
        Content content = DataSet.seeded(7, FILES * FILE_BYTES, FILE_BYTES).content();
        List<StoredFile> files = new ArrayList<>();
        for (int run = 0; run < FILES; run++) {
            files.add(new StoredFile("/" + job + "/run-" + run + "/part-0", FILE_BYTES, true));
        }
        return new DataSet(files, content);
    }

    private static long figure(Metric metric) throws IOException {
        return admin.serviceFigures().getOrDefault(metric.id(), 0L);
    }

    @Test
    void output_thatIsReadAtOnce_comesFromMemoryAtItsFirstRead() throws Exception {
        try (VerifyingClient client = new VerifyingClient(FileSystem.newInstance(cluster.conf()), outputs("daily"))) {
            for (int file = 0; file < LEARNED_FROM; file++) {
                client.store(file);
                long reads = figure(Metric.PLACEMENT_READS);
                assertThat(client.read(file, 0, FILE_BYTES).wrongBytes()).isZero();
                await().atMost(PATIENCE).until(() -> figure(Metric.PLACEMENT_READS) >= reads + 2);
            }
            long ordered = figure(Metric.PLACEMENT_FIRST_READ_ORDERED);
            client.store(LEARNED_FROM);
            await().alias("copies of both blocks")
                    .atMost(PATIENCE)
                    .until(() -> figure(Metric.PLACEMENT_FIRST_READ_ORDERED) == ordered + 2
                            && figure(Metric.PLACEMENT_PROMOTIONS_DONE) == ordered + 2);
            Outcome first = client.read(LEARNED_FROM, 0, FILE_BYTES);
            assertThat(first.wrongBytes()).isZero();
            assertThat(first.memoryBytes()).isEqualTo(FILE_BYTES);
            await().atMost(PATIENCE).until(() -> figure(Metric.PLACEMENT_FIRST_READ_SERVED) >= 2);
            assertThat(figure(Metric.PLACEMENT_FIRST_READ_VAIN_BYTES)).isZero();
        }
    }

    @Test
    void output_thatNobodyReads_isNotCopied() throws Exception {
        long ordered = figure(Metric.PLACEMENT_FIRST_READ_ORDERED);
        try (VerifyingClient client = new VerifyingClient(FileSystem.newInstance(cluster.conf()), outputs("archive"))) {
            for (int file = 0; file < FILES; file++) {
                client.store(file);
            }
            // The report of a read shows that those of the writes before it were taken.
            long reads = figure(Metric.PLACEMENT_READS);
            client.read(0, 0, BLOCK_BYTES);
            await().atMost(PATIENCE).until(() -> figure(Metric.PLACEMENT_READS) > reads);
        }
        assertThat(figure(Metric.PLACEMENT_FIRST_READ_ORDERED)).isEqualTo(ordered);
        assertThat(figure(Metric.PLACEMENT_FIRST_READ_VAIN_BYTES)).isZero();
    }
}
