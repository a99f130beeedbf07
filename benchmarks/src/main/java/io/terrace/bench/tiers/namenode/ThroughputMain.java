package io.terrace.bench.tiers.namenode;

import io.terrace.bench.cluster.ClassPath;
import io.terrace.bench.cluster.JavaProcess;
import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.cluster.MetricsPage;
import io.terrace.bench.cluster.PlacementAdmin;
import io.terrace.bench.measure.ClientVariant;
import io.terrace.bench.measure.ClientVariant.Client;
import io.terrace.metrics.Metric;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.SafeModeAction;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.server.namenode.NNThroughputBenchmark;
import org.jspecify.annotations.Nullable;

/**
 * The process of the clients: runs NNThroughputBenchmark against two clusters in turns. Before each run it prints {@link #RUN};
 * the benchmark itself logs the operations a second. A process of its own, since the class path of {@code bin/terrace} has no
 * test jars.
 *
 * <p>Arguments: the directories of the stock cluster and of the one with Terrace, pairs, files, DataNodes that move replicas.
 */
public final class ThroughputMain {

    /** Followed by the operation and the cluster. */
    static final String RUN = "RUN";

    /** Followed by nanoseconds of a run with Terrace, and of those our service's hold of the lock. */
    static final String HELD = "HELD";

    /**
     * Followed by moves, holds of the NameNode's write lock for reports of replicas, and the nanoseconds that one took on the
     * average. One hold is for all reports that wait.
     */
    static final String REPORTED = "REPORTED";

    static final String OPEN = "open";
    static final String CREATE = "create";

    private static final String KEEP = "-keepResults";
    private static final int THREADS = 8;

    /** An open takes a third of the time. */
    private static final int OPENS_OF_A_CREATE = 3;

    private static final int WARM_UPS = 2;
    private static final int BLOCKS_OF_A_NODE = 40;

    /** Until moves and heartbeats are under way. */
    private static final long UNDER_WAY_MS = 1_000;

    /** The thread that processes reports of replicas holds it under this name. */
    private static final String HOLDS = "[a-z_]*write_lock_process_queue_nanos_";

    private ThroughputMain() {}

    public static void main(String[] args) throws Exception {
        int pairs = Integer.parseInt(args[2]);
        int files = Integer.parseInt(args[3]);
        int movingNodes = Integer.parseInt(args[4]);
        try (Side stock = new Side(Path.of(args[0]), files, movingNodes);
                Side terrace = new Side(Path.of(args[1]), files, movingNodes)) {
            List<Side> order = new ArrayList<>(List.of(stock, terrace));
            for (Side side : order) {
                side.warmUp();
            }
            for (int pair = 0; pair < pairs; pair++) {
                for (Side side : order) {
                    side.measure();
                }
                order.add(order.remove(0));
            }
        }
    }

    /** One of the two clusters. */
    private static final class Side implements Closeable {
        private final LocalCluster cluster;
        private final int files;
        private final @Nullable PlacementAdmin placement;
        private final @Nullable MovingDataNodes moving;

        Side(Path dir, int files, int movingNodes) throws IOException {
            this.cluster = LocalCluster.in(dir, ClassPath.ofThisProcess())
                    .orElseThrow(() -> new IOException("no cluster in " + dir));
            this.files = files;
            this.placement = cluster.spec().terrace() ? new PlacementAdmin(cluster) : null;
            this.moving = movingNodes == 0 ? null : moving(movingNodes);
        }

        private MovingDataNodes moving(int nodes) throws IOException {
            MovingDataNodes begun = new MovingDataNodes(cluster, placement);
            try (Client client = ClientVariant.stock().open(cluster.confStock())) {
                begun.start((DistributedFileSystem) client.fs(), nodes, nodes * BLOCKS_OF_A_NODE);
            }
            return begun;
        }

        /** Until the JVMs have compiled what runs; the files to open stay. */
        void warmUp() throws Exception {
            if (moving != null) {
                moving.resume();
            }
            run(OPEN, KEEP);
            for (int i = 0; i < WARM_UPS; i++) {
                run(CREATE);
                run(OPEN, "-useExisting", KEEP);
            }
            if (moving != null) {
                moving.pause();
            }
        }

        void measure() throws Exception {
            if (moving != null) {
                moving.resume();
                JavaProcess.pause(UNDER_WAY_MS);
            }
            measure(CREATE);
            measure(OPEN);
            if (moving != null) {
                moving.pause();
            }
        }

        private void measure(String operation) throws Exception {
            Map<String, Long> before = placement == null ? Map.of() : placement.serviceFigures();
            long holds = holds();
            long movesBefore = moving == null ? 0 : moving.moves();
            System.out.println(RUN + " " + operation + " " + (placement == null ? "stock" : "terrace"));
            long beganNs = System.nanoTime();
            if (operation.equals(OPEN)) {
                run(operation, "-useExisting", KEEP);
            } else {
                run(operation);
            }
            long tookNs = System.nanoTime() - beganNs;
            if (placement != null) {
                Map<String, Long> after = placement.serviceFigures();
                System.out.println(HELD + " " + tookNs + " " + since(before, after, Metric.PLACEMENT_LOCK_NANOSECONDS));
                if (moving != null) {
                    long moves = moving.moves() - movesBefore;
                    MetricsPage page = new MetricsPage(cluster.ports().namenodeHttp());
                    long meanNs = page.value(HOLDS + "avg_time");
                    System.out.println(REPORTED + " " + moves + " " + (holds() - holds) + " " + meanNs);
                }
            }
        }

        /** So far; asking begins the mean of their times anew. */
        private long holds() throws IOException {
            return moving == null || placement == null
                    ? 0
                    : new MetricsPage(cluster.ports().namenodeHttp()).value(HOLDS + "num_ops");
        }

        private static long since(Map<String, Long> before, Map<String, Long> after, Metric metric) {
            return after.getOrDefault(metric.id(), 0L) - before.getOrDefault(metric.id(), 0L);
        }

        private void run(String operation, String... more) throws Exception {
            int count = operation.equals(OPEN) ? OPENS_OF_A_CREATE * files : files;
            List<String> words = new ArrayList<>(List.of(
                    "-op", operation, "-threads", Integer.toString(THREADS), "-files", Integer.toString(count)));
            if (operation.equals(CREATE)) {
                words.add("-close");
            }
            words.addAll(List.of(more));
            NNThroughputBenchmark.runBenchmark(cluster.confStock(), words.toArray(new String[0]));
            if (words.contains(KEEP)) {
                // The benchmark saves the namespace, in safe mode.
                try (Client client = ClientVariant.stock().open(cluster.confStock())) {
                    ((DistributedFileSystem) client.fs()).setSafeMode(SafeModeAction.LEAVE);
                }
            }
        }

        @Override
        public void close() throws IOException {
            if (moving != null) {
                moving.close();
            }
            if (placement != null) {
                placement.close();
            }
        }
    }
}
