package io.terrace.bench.policy;

import static org.awaitility.Awaitility.await;

import io.terrace.bench.cluster.ClassPath;
import io.terrace.bench.cluster.ClusterSpec;
import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.cluster.PlacementAdmin;
import io.terrace.bench.load.Content;
import io.terrace.bench.load.DataSet;
import io.terrace.bench.load.StoredFile;
import io.terrace.bench.load.VerifyingClient;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Real daemons with two replicas for all tests of a class. The policy copies nothing by itself, so what is in memory was copied
 * ahead of its reader.
 */
final class CopiedAheadCluster implements BeforeAllCallback, AfterAllCallback {

    static final Duration PATIENCE = Duration.ofSeconds(60);
    static final long BLOCK_BYTES = 1 << 20;

    private final Path dir;
    private LocalCluster cluster;
    private PlacementAdmin admin;

    /** @param name of its directory; no two classes that run at a time have the same */
    CopiedAheadCluster(String name) {
        dir = Path.of("target", name + "-" + ProcessHandle.current().pid());
    }

    @Override
    public void beforeAll(ExtensionContext context) throws IOException {
        ClusterSpec spec = ClusterSpec.of(2, 64 * BLOCK_BYTES)
                .withBlockBytes(BLOCK_BYTES)
                .withReplication(2)
                .withProperties(Map.of(
                        "terrace.placement.control.share", "0",
                        "terrace.placement.policy", "idecider",
                        "terrace.placement.idecider.threshold", "1000000000"));
        cluster = LocalCluster.up(dir, spec, ClassPath.ofThisProcess(), new SplittableRandom());
        admin = new PlacementAdmin(cluster);
    }

    @Override
    public void afterAll(ExtensionContext context) throws IOException {
        if (admin != null) {
            admin.close();
        }
        if (cluster != null) {
            cluster.destroy();
        }
    }

    /** A client for files that are not there yet, each in a directory of its own below one of the job. */
    VerifyingClient client(String job, int files, long bytes) throws IOException {
        Content content = DataSet.seeded(7, files * bytes, bytes).content();
        List<StoredFile> parts = new ArrayList<>();
        for (int run = 0; run < files; run++) {
            parts.add(new StoredFile("/" + job + "/run-" + run + "/part-0", bytes, true));
        }
        return new VerifyingClient(FileSystem.newInstance(cluster.conf()), new DataSet(parts, content));
    }

    long figure(Metric metric) throws IOException {
        return admin.serviceFigures().getOrDefault(metric.id(), 0L);
    }

    void awaitAtLeast(Metric metric, long value) {
        await().alias(metric.id()).atMost(PATIENCE).until(() -> figure(metric) >= value);
    }
}
