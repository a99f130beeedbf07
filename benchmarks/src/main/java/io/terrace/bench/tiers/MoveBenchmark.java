package io.terrace.bench.tiers;

import io.terrace.bench.cluster.ClusterLayout;
import io.terrace.bench.cluster.ClusterSpec;
import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.cluster.PlacementAdmin;
import io.terrace.bench.cluster.TemporaryCluster;
import io.terrace.bench.load.DataSet;
import io.terrace.bench.load.VerifyingClient;
import io.terrace.bench.measure.ClientVariant;
import io.terrace.bench.measure.PairedRatios;
import io.terrace.bench.measure.ResultSheet;
import io.terrace.conf.TerraceSettings;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.StorageType;

/**
 * What a move of a replica costs, one at a time: its bytes a second over those of a plain copy of the same
 * files, synced, between the same file systems, in turns; and how well it keeps to a rate that is set. The time of the moves is the
 * DataNode's own, from when it begins a move until the old copy is to go.
 */
public final class MoveBenchmark {

    private static final long LIMIT_NS = TimeUnit.MINUTES.toNanos(5);
    private static final long LOOK_MS = 50;
    private static final String DISK = "disk";
    private static final String SSD = "ssd";

    /**
     * How much is moved.
     *
     * @param files of one block each
     * @param rounds in which all go to the other volume
     * @param paceBytesPerSecond the rate that is set
     */
    public record Plan(int files, int fileBytes, int rounds, int paceRounds, long paceBytesPerSecond) {
        /** Some minutes. */
        public static Plan full() {
            return new Plan(8, 64 << 20, 10, 2, 64L << 20);
        }

        /** To see that it works. */
        public static Plan quick() {
            return new Plan(2, 8 << 20, 2, 1, 16L << 20);
        }
    }

    private final Plan plan;
    private final Path dir;
    private final Map<String, String> properties;
    private final ResultSheet scores;
    private final DataSet data;

    /**
     * Of two clusters, one after the other.
     *
     * @param properties of the user, for every daemon and client
     */
    public MoveBenchmark(Plan plan, Path dir, long seed, Map<String, String> properties, ResultSheet scores) {
        this.plan = plan;
        this.dir = dir;
        this.properties = properties;
        this.scores = scores;
        this.data = DataSet.seeded(seed, (long) plan.files() * plan.fileBytes(), plan.fileBytes());
    }

    /** Measures both. */
    public void run() throws IOException {
        Files.createDirectories(dir);
        scores.section(
                "move: " + plan.files() + " replicas of " + plan.fileBytes() + " bytes, between two directories on "
                        + Files.getFileStore(dir).type() + ", one at a time");
        copy();
        pace();
    }

    private void copy() throws IOException {
        try (TemporaryCluster temporary = TemporaryCluster.up(dir.resolve("copy"), spec(0))) {
            Moves moves = new Moves(temporary.cluster());
            try (moves) {
                moves.store();
                moves.toSsd();
                double[] copies = new double[plan.rounds()];
                double[] moved = new double[plan.rounds()];
                for (int round = 0; round < plan.rounds(); round++) {
                    copies[round] = moves.copyNsPerByte();
                    moved[round] = round % 2 == 0 ? moves.toDisk() : moves.toSsd();
                }
                scores.note("move.mb_s", 1e3 / PairedRatios.medianOf(moved), "MB/s");
                scores.note("move.plain_mb_s", 1e3 / PairedRatios.medianOf(copies), "MB/s, a plain copy, synced");
                scores.atLeast("move.copy", new PairedRatios(copies, moved).median(), 0.6);
            }
        }
    }

    private void pace() throws IOException {
        long rate = plan.paceBytesPerSecond();
        try (TemporaryCluster temporary = TemporaryCluster.up(dir.resolve("pace"), spec(rate))) {
            Moves moves = new Moves(temporary.cluster());
            try (moves) {
                moves.store();
                double[] nsPerByte = new double[plan.paceRounds()];
                for (int round = 0; round < plan.paceRounds(); round++) {
                    nsPerByte[round] = round % 2 == 0 ? moves.toSsd() : moves.toDisk();
                }
                double pace = 1e9 / PairedRatios.medianOf(nsPerByte) / rate;
                scores.atLeast("move.pace", pace, 0.9);
                scores.below("move.pace.most", pace, 1.05);
            }
        }
    }

    private ClusterSpec spec(long bytesPerSecond) {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("dfs.datanode.data.dir", "[DISK]file://${hadoop.tmp.dir}/disk,[SSD]file://${hadoop.tmp.dir}/ssd");
        all.put(TerraceSettings.DATANODE_MOVE_THREADS.key(), "1");
        all.put(TerraceSettings.DATANODE_MEMORY_COPY_BANDWIDTH.key(), Long.toString(bytesPerSecond));
        all.put(TerraceSettings.PLACEMENT_VOLUME_BANDWIDTH.key(), "0");
        all.put(TerraceSettings.PLACEMENT_VOLUME_BANDWIDTH_TOTAL.key(), "0");
        all.putAll(properties);
        return ClusterSpec.of(1, 64L << 20).withReplication(1).withProperties(all);
    }

    /** The files of one cluster, which go to and fro. */
    private final class Moves implements AutoCloseable {
        private final LocalCluster cluster;
        private final PlacementAdmin placement;
        private final FileSystem stock;
        private final MappedDelays mapped;
        private final Path volumes;
        private String at = DISK;

        Moves(LocalCluster cluster) throws IOException {
            this.cluster = cluster;
            this.placement = new PlacementAdmin(cluster);
            this.stock = ClientVariant.stock().open(cluster.confStock()).fs();
            this.mapped = new MappedDelays(cluster, stock, data);
            this.volumes = cluster.layout().home(ClusterLayout.datanode(1)).resolve("tmp");
        }

        void store() throws IOException {
            try (VerifyingClient writer = new VerifyingClient(
                    ClientVariant.stock().open(cluster.confStock()).fs(), data)) {
                for (int file = 0; file < plan.files(); file++) {
                    writer.store(file);
                }
            }
        }

        double toDisk() throws IOException {
            return moveTo(DISK, StorageType.DISK);
        }

        double toSsd() throws IOException {
            return moveTo(SSD, StorageType.SSD);
        }

        /** All files; the DataNode's time for a byte. */
        private double moveTo(String tier, StorageType type) throws IOException {
            Map<String, Long> before = figures();
            placement.apply("policy: idecider\nparameters: {threshold: 1000000000}\nrules:\n- path: /data/**\n  tiers: "
                    + tier + "\n");
            mapped.begin(tier, type);
            long deadlineNs = System.nanoTime() + LIMIT_NS;
            while (!mapped.isDone() || moved(before) < bytes()) {
                if (System.nanoTime() > deadlineNs) {
                    throw new IOException(mapped.missing() + " replicas are not on " + tier
                            + "; figures of the service: " + placement.serviceFigures());
                }
                mapped.look();
                pause();
            }
            at = tier;
            Map<String, Long> after = figures();
            double tookNs = 1e6 * (of(after, Metric.VOLUME_MOVED_MS) - of(before, Metric.VOLUME_MOVED_MS));
            return tookNs / moved(before);
        }

        private long bytes() {
            return (long) plan.files() * plan.fileBytes();
        }

        private long moved(Map<String, Long> before) throws IOException {
            return of(figures(), Metric.VOLUME_MOVED_BYTES) - of(before, Metric.VOLUME_MOVED_BYTES);
        }

        private Map<String, Long> figures() throws IOException {
            return PlacementAdmin.figures(placement.nodes().get(0));
        }

        /**
         * Each block file is copied to a new file on the other volume and synced there, in this process: programs that start, and a
         * file that is cut before it is written again, would cost time that no move has.
         */
        double copyNsPerByte() throws IOException {
            Path to = Files.createDirectory(
                    volumes.resolve(at.equals(DISK) ? SSD : DISK).resolve("copied"));
            List<Path> files = ReplicaFiles.dataFiles(volumes.resolve(at));
            long startNs = System.nanoTime();
            for (Path file : files) {
                copy(file, to.resolve(file.getFileName() + ".copy"));
            }
            double tookNs = System.nanoTime() - startNs;
            LocalCluster.deleteTree(to);
            return tookNs / bytes();
        }

        private static void copy(Path file, Path to) throws IOException {
            try (FileChannel from = FileChannel.open(file, StandardOpenOption.READ);
                    FileChannel copy = FileChannel.open(to, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                long bytes = from.size();
                for (long at = 0; at < bytes; ) {
                    at += from.transferTo(at, bytes - at, copy);
                }
                copy.force(true);
            }
        }

        @Override
        public void close() throws IOException {
            placement.close();
            stock.close();
        }
    }

    private static long of(Map<String, Long> figures, Metric metric) {
        return figures.getOrDefault(metric.id(), 0L);
    }

    private static void pause() throws IOException {
        try {
            Thread.sleep(LOOK_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }
}
