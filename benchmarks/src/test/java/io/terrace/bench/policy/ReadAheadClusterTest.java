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

/**
 * Files of several blocks that are read as a whole, on real daemons with two replicas: the last blocks of a new one come from
 * memory.
 */
@Tag("daemons")
class ReadAheadClusterTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final long BLOCK_BYTES = 1 << 20;
    private static final int BLOCKS = 24;
    private static final int FILES = 6;
    private static final long PACE_MS = 700;

    /** Of the new file; the first blocks are read before its reader is known, and before a copy can be there. */
    private static final int LEAST_AHEAD = 6;

    private static final Path DIR =
            Path.of("target", "read-ahead-test-" + ProcessHandle.current().pid());

    private static LocalCluster cluster;
    private static PlacementAdmin admin;

    @BeforeAll
    static void up() throws IOException {
        // The policy copies nothing by itself, so what is in memory was copied ahead of a reader.
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

    private static DataSet files() {
        Content content = DataSet.seeded(7, FILES * BLOCKS * BLOCK_BYTES, BLOCKS * BLOCK_BYTES)
                .content();
        List<StoredFile> files = new ArrayList<>();
        for (int run = 0; run < FILES; run++) {
            files.add(new StoredFile("/daily/run-" + run + "/part-0", BLOCKS * BLOCK_BYTES, true));
        }
        return new DataSet(files, content);
    }

    private static long figure(Metric metric) throws IOException {
        return admin.serviceFigures().getOrDefault(metric.id(), 0L);
    }

    @Test
    void file_whereFilesAreReadAsAWhole_comesFromMemoryAfterItsBeginning() throws Exception {
        try (VerifyingClient client = new VerifyingClient(FileSystem.newInstance(cluster.conf()), files())) {
            // All are written before the first is read, so nothing is copied for its write.
            for (int file = 0; file < FILES; file++) {
                client.store(file);
            }
            for (int file = 0; file < FILES - 1; file++) {
                long reads = figure(Metric.PLACEMENT_READS);
                assertThat(client.read(file, 0, BLOCKS * BLOCK_BYTES).wrongBytes())
                        .isZero();
                await().atMost(PATIENCE).until(() -> figure(Metric.PLACEMENT_READS) >= reads + BLOCKS);
            }
            long memoryBytes = 0;
            for (int index = 0; index < BLOCKS; index++) {
                Outcome block = client.read(FILES - 1, index * BLOCK_BYTES, BLOCK_BYTES);
                assertThat(block.wrongBytes()).isZero();
                memoryBytes += block.memoryBytes();
                Thread.sleep(PACE_MS);
            }
            assertThat(memoryBytes).isGreaterThanOrEqualTo(LEAST_AHEAD * BLOCK_BYTES);
            assertThat(figure(Metric.PLACEMENT_READ_AHEAD_SERVED)).isGreaterThanOrEqualTo(LEAST_AHEAD);
            assertThat(figure(Metric.PLACEMENT_READ_AHEAD_VAIN_BYTES)).isLessThanOrEqualTo(3 * BLOCK_BYTES);
        }
    }
}
