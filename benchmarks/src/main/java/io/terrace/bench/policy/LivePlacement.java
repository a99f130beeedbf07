package io.terrace.bench.policy;

import io.terrace.bench.cluster.ClusterSpec;
import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.cluster.PlacementAdmin;
import io.terrace.bench.cluster.TemporaryCluster;
import io.terrace.bench.load.DataSet;
import io.terrace.bench.load.VerifyingClient;
import io.terrace.bench.load.VerifyingClient.Outcome;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.apache.hadoop.fs.FileSystem;

/**
 * Placement over real daemons: a file of a few large blocks, read again and again, that fits the memory of both DataNodes and
 * of none; and many small files that are equally popular, of which some fit.
 */
final class LivePlacement {

    private static final long MB = 1 << 20;
    private static final int DATANODES = 2;
    private static final int PAUSE_MS = 1000;

    private static final long LOOP_MEMORY = 256 * MB;
    private static final long LOOP_FILE = 286 * MB;
    private static final int PASSES = 15;
    private static final int SETTLING_PASSES = 3;

    private static final int FILES = 300;
    private static final long FILE = 2 * MB;
    private static final long MARGIN_MEMORY = 80 * MB;
    private static final int READS = 2000;
    private static final int READS_PER_S = 40;

    private final Path dir;
    private final PrintWriter out;
    private final Map<String, Number> figures = new LinkedHashMap<>();

    /** @param dir of the clusters, made anew for each */
    LivePlacement(Path dir, PrintWriter out) {
        this.dir = dir;
        this.out = out;
    }

    /** Runs both; about two minutes. */
    Map<String, Number> figures() throws IOException {
        run(LOOP_MEMORY, DataSet.seeded(1, LOOP_FILE, LOOP_FILE), this::loop);
        run(MARGIN_MEMORY, DataSet.seeded(1, FILES * FILE, FILE), this::margin);
        return figures;
    }

    @FunctionalInterface
    private interface Workload {
        void run(VerifyingClient client, PlacementAdmin admin) throws IOException;
    }

    private void run(long memoryBytes, DataSet data, Workload workload) throws IOException {
        ClusterSpec spec = ClusterSpec.of(DATANODES, memoryBytes).withReplication(DATANODES);
        try (TemporaryCluster temporary = TemporaryCluster.up(dir, spec)) {
            LocalCluster cluster = temporary.cluster();
            try (VerifyingClient client = new VerifyingClient(FileSystem.newInstance(cluster.conf()), data);
                    PlacementAdmin admin = new PlacementAdmin(cluster)) {
                for (int file = 0; file < data.files().size(); file++) {
                    client.store(file);
                }
                workload.run(client, admin);
            }
        }
    }

    private void loop(VerifyingClient client, PlacementAdmin admin) throws IOException {
        long bytes = 0;
        long fromMemory = 0;
        for (int pass = 0; pass < PASSES; pass++) {
            Outcome outcome = client.read(0, 0, LOOP_FILE);
            out.printf(
                    "pass %2d: %3d %% from memory, %4d MB copied so far%n",
                    pass + 1,
                    100 * outcome.memoryBytes() / outcome.bytes(),
                    figure(admin, Metric.PLACEMENT_PROMOTED_BYTES) / MB);
            out.flush();
            if (pass >= SETTLING_PASSES) {
                bytes += outcome.bytes();
                fromMemory += outcome.memoryBytes();
            }
            pause(PAUSE_MS);
        }
        figures.put("live.loop.memory_share", (double) fromMemory / bytes);
        figures.put("live.loop.copied_mb", figure(admin, Metric.PLACEMENT_PROMOTED_BYTES) / MB);
    }

    private void margin(VerifyingClient client, PlacementAdmin admin) throws IOException {
        Random random = new Random(1);
        long fromMemory = 0;
        for (int read = 0; read < READS; read++) {
            fromMemory += client.read(random.nextInt(FILES), 0, FILE).memoryBytes();
            pause(1000 / READS_PER_S);
        }
        pause(PAUSE_MS);
        long moves = figure(admin, Metric.PLACEMENT_PROMOTIONS_DONE) + figure(admin, Metric.PLACEMENT_DROPS_DONE);
        out.printf("%d reads of %d files: %d moves%n", READS, FILES, moves);
        long fill = DATANODES * MARGIN_MEMORY / FILE;
        figures.put("live.margin.moves_per_read", (double) Math.max(0, moves - fill) / READS);
        figures.put("live.margin.memory_share", (double) fromMemory / (READS * FILE));
    }

    private static long figure(PlacementAdmin admin, Metric metric) throws IOException {
        return admin.serviceFigures().getOrDefault(metric.id(), 0L);
    }

    private static void pause(int ms) throws IOException {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }
}
