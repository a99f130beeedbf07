package io.terrace.bench.tiers;

import io.terrace.bench.cluster.ClusterSpec;
import io.terrace.bench.cluster.JavaProcess;
import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.cluster.PlacementAdmin;
import io.terrace.bench.cluster.TemporaryCluster;
import io.terrace.bench.load.DataSet;
import io.terrace.bench.load.VerifyingClient;
import io.terrace.bench.measure.ClientVariant;
import io.terrace.bench.measure.ClientVariant.Client;
import io.terrace.bench.measure.PairedRatios;
import io.terrace.bench.measure.ResultSheet;
import io.terrace.bench.read.BenchFiles;
import io.terrace.conf.TerraceSettings;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DistributedFileSystem;

/**
 * How long positional reads of 4 KB take while the DataNode that serves them moves other replicas between its volumes at a
 * rate that is set, against the same reads without moves. Stock clients over TCP and short-circuit, one after the other, with
 * and without moves in turns.
 */
public final class DuringBenchmark {

    private static final int READ_BYTES = 4 << 10;
    private static final long LIMIT_NS = TimeUnit.MINUTES.toNanos(2);
    private static final long LOOK_MS = 50;
    private static final double LEAST_P50 = 0.9;
    private static final double LEAST_P99 = 0.5;

    /**
     * How much is read and moved.
     *
     * @param files that are moved, of one block each; at the rate, they take longer than both windows
     * @param windowMs for how long each kind of client reads at a time
     * @param rounds each with and without moves
     * @param bytesPerSecond the rate of moves
     */
    public record Plan(int files, int fileBytes, long readBytes, int windowMs, int rounds, long bytesPerSecond) {
        /** About four minutes. */
        public static Plan full() {
            return new Plan(16, 64 << 20, 128L << 20, 3_000, 12, 100L << 20);
        }

        /** To see that it works. */
        public static Plan quick() {
            return new Plan(8, 8 << 20, 16L << 20, 500, 2, 16L << 20);
        }
    }

    private final Plan plan;
    private final Path dir;
    private final long seed;
    private final Map<String, String> properties;
    private final ResultSheet scores;
    private final DataSet moved;

    /**
     * Of one cluster.
     *
     * @param properties of the user, for every daemon and client
     */
    public DuringBenchmark(Plan plan, Path dir, long seed, Map<String, String> properties, ResultSheet scores) {
        this.plan = plan;
        this.dir = dir;
        this.seed = seed;
        this.properties = properties;
        this.scores = scores;
        this.moved = DataSet.seeded(seed, (long) plan.files() * plan.fileBytes(), plan.fileBytes());
    }

    /** Measures all. */
    public void run() throws IOException {
        Files.createDirectories(dir);
        scores.section("during: reads of 4 KB while the same DataNode moves replicas of " + (plan.fileBytes() >> 20)
                + " MB between two directories on " + Files.getFileStore(dir).type() + ", "
                + (plan.bytesPerSecond() >> 20) + " MB a second");
        scores.progress("media: none is modelled, in neither case: the wait for one would hide what moves cost");
        try (TemporaryCluster temporary = TemporaryCluster.up(dir, spec())) {
            LocalCluster cluster = temporary.cluster();
            if (cluster.spec().nativeDir().isEmpty()) {
                throw new IOException(
                        "stock reads short-circuit only with libhadoop: set JAVA_LIBRARY_PATH to its directory");
            }
            try (Client tcp = ClientVariant.stock().open(cluster.confStock());
                    Client shortCircuit =
                            ClientVariant.shortCircuit(cluster, READ_BYTES).open(cluster.confStock());
                    Moves moves = new Moves(cluster)) {
                moves.store();
                org.apache.hadoop.fs.Path file = new BenchFiles((DistributedFileSystem) tcp.fs(), seed)
                        .store("still", 1, plan.readBytes())
                        .get(0);
                BenchFiles.requireSame(tcp, shortCircuit, file);
                try (Reads overTcp = new Reads(tcp, file);
                        Reads passed = new Reads(shortCircuit, file)) {
                    measure(List.of(overTcp, passed), moves);
                }
            }
        }
    }

    private ClusterSpec spec() {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("dfs.datanode.data.dir", "[DISK]file://${hadoop.tmp.dir}/disk,[SSD]file://${hadoop.tmp.dir}/ssd");
        all.put(TerraceSettings.PLACEMENT_VOLUME_BANDWIDTH.key(), Long.toString(plan.bytesPerSecond()));
        all.put(TerraceSettings.PLACEMENT_VOLUME_BANDWIDTH_TOTAL.key(), "0");
        // Before the first read the DataNode is idle, and what is ordered then would be moved as fast as it can be.
        all.put(TerraceSettings.PLACEMENT_IDLE_BANDWIDTH.key(), "0");
        all.putAll(properties);
        return ClusterSpec.of(1, 64L << 20)
                .withReplication(1)
                .withNativeDir(System.getProperty("java.library.path", ""))
                .withProperties(all);
    }

    private void measure(List<Reads> clients, Moves moves) throws IOException {
        without(clients, -1, false);
        for (int round = 0; round < plan.rounds(); round++) {
            // Which is first changes, so that nothing that only grows or shrinks tells them apart.
            if (round % 2 == 0) {
                without(clients, round, true);
                with(clients, moves, round);
            } else {
                with(clients, moves, round);
                without(clients, round, true);
            }
        }
        double p50 = Double.POSITIVE_INFINITY;
        double p99 = Double.POSITIVE_INFINITY;
        for (Reads client : clients) {
            p50 = Math.min(p50, noted(client, "p50", client.p50Us));
            p99 = Math.min(p99, noted(client, "p99", client.p99Us));
        }
        scores.note("during.moved_mb_s", moves.bytesPerSecond() / 1e6, "MB/s moved meanwhile");
        scores.atLeast("during.p50", p50, LEAST_P50);
        scores.atLeast("during.p99", p99, LEAST_P99);
    }

    private double noted(Reads client, String percentile, Windows windows) {
        String id = "during." + client.name + "." + percentile;
        PairedRatios ratios = new PairedRatios(windows.without, windows.with);
        scores.note(id + ".without_us", PairedRatios.medianOf(windows.without), "us");
        scores.note(id + ".with_us", PairedRatios.medianOf(windows.with), "us");
        scores.note(id, ratios.median(), "time without moves over time with");
        scores.note(id + ".bound", ratios.lowerBound(), "its lower bound");
        return ratios.median();
    }

    private void without(List<Reads> clients, int round, boolean counts) throws IOException {
        for (Reads client : clients) {
            Histogram times = client.read(round);
            if (counts) {
                client.p50Us.without[round] = times.getValueAtPercentile(50) / 1e3;
                client.p99Us.without[round] = times.getValueAtPercentile(99) / 1e3;
            }
        }
    }

    private void with(List<Reads> clients, Moves moves, int round) throws IOException {
        moves.begin();
        for (Reads client : clients) {
            Histogram times = client.read(round);
            client.p50Us.with[round] = times.getValueAtPercentile(50) / 1e3;
            client.p99Us.with[round] = times.getValueAtPercentile(99) / 1e3;
        }
        moves.requireMoving();
        moves.await();
    }

    /** The same percentile of each round. */
    private static final class Windows {
        final double[] without;
        final double[] with;

        Windows(int rounds) {
            without = new double[rounds];
            with = new double[rounds];
        }
    }

    /** One client, with a stream that stays open. */
    private final class Reads implements AutoCloseable {
        final String name;
        final Windows p50Us = new Windows(plan.rounds());
        final Windows p99Us = new Windows(plan.rounds());
        private final FSDataInputStream in;
        private final byte[] buffer = new byte[READ_BYTES];

        Reads(Client client, org.apache.hadoop.fs.Path file) throws IOException {
            this.name = client.name();
            this.in = client.fs().open(file);
        }

        /** Nanoseconds of each read of a window; the same places in all windows of a round. */
        Histogram read(int round) throws IOException {
            Histogram times = new Histogram(3);
            SplittableRandom random = new SplittableRandom(seed + round);
            long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(plan.windowMs());
            for (long startNs = System.nanoTime(); startNs < endNs; startNs = System.nanoTime()) {
                in.readFully(random.nextLong(plan.readBytes() / READ_BYTES) * READ_BYTES, buffer, 0, READ_BYTES);
                times.recordValue(System.nanoTime() - startNs);
            }
            return times;
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }

    /** The other files, which go to and fro. */
    private final class Moves implements AutoCloseable {
        private final LocalCluster cluster;
        private final PlacementAdmin placement;
        private final FileSystem stock;
        private final MappedDelays mapped;
        private String to = "disk";
        private long beganNs;
        private double seconds;
        private long bytes;

        Moves(LocalCluster cluster) throws IOException {
            this.cluster = cluster;
            this.placement = new PlacementAdmin(cluster);
            this.stock = ClientVariant.stock().open(cluster.confStock()).fs();
            this.mapped = new MappedDelays(cluster, stock, moved);
        }

        void store() throws IOException {
            try (VerifyingClient writer = new VerifyingClient(
                    ClientVariant.stock().open(cluster.confStock()).fs(), moved)) {
                for (int file = 0; file < plan.files(); file++) {
                    writer.store(file);
                }
            }
        }

        /** All are to go to the other volume; returns when moves were ordered. */
        void begin() throws IOException {
            to = to.equals("disk") ? "ssd" : "disk";
            long sent = sent();
            mapped.begin(to, to.equals("disk") ? StorageType.DISK : StorageType.SSD);
            placement.apply("policy: idecider\nparameters: {threshold: 1000000000}\nrules:\n- path: /data/**\n  tiers: "
                    + to + "\n");
            long deadlineNs = System.nanoTime() + LIMIT_NS;
            while (sent() == sent) {
                requireBefore(deadlineNs);
                JavaProcess.pause(LOOK_MS);
            }
            beganNs = System.nanoTime();
        }

        private long sent() throws IOException {
            return placement.serviceFigures().getOrDefault(Metric.PLACEMENT_VOLUME_MOVES_SENT.id(), 0L);
        }

        void requireMoving() throws IOException {
            mapped.look();
            if (mapped.isDone()) {
                throw new IOException("all replicas were moved before the reads were over, in less than "
                        + (System.nanoTime() - beganNs) / 1e9 + " s: the rate did not hold");
            }
        }

        void await() throws IOException {
            long deadlineNs = System.nanoTime() + LIMIT_NS;
            while (!mapped.isDone()) {
                requireBefore(deadlineNs);
                JavaProcess.pause(LOOK_MS);
                mapped.look();
            }
            seconds += (System.nanoTime() - beganNs) / 1e9;
            bytes += moved.lengthBytes();
        }

        double bytesPerSecond() {
            return bytes / seconds;
        }

        private void requireBefore(long deadlineNs) throws IOException {
            if (System.nanoTime() > deadlineNs) {
                throw new IOException(mapped.missing() + " replicas are not on " + to + "; figures of the service: "
                        + placement.serviceFigures());
            }
        }

        @Override
        public void close() throws IOException {
            placement.close();
            stock.close();
        }
    }
}
