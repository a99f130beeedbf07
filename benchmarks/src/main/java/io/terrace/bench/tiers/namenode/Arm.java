package io.terrace.bench.tiers.namenode;

import io.terrace.bench.cluster.ClassPath;
import io.terrace.bench.cluster.Daemon;
import io.terrace.bench.cluster.JavaProcess;
import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.cluster.MetricsPage;
import io.terrace.bench.cluster.PlacementAdmin;
import io.terrace.bench.faults.SystemCommand;
import io.terrace.bench.measure.ClientVariant;
import io.terrace.bench.measure.ClientVariant.Client;
import io.terrace.metrics.Metric;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.ClientProtocol;
import org.apache.hadoop.hdfs.server.namenode.ThroughputOperation;
import org.jspecify.annotations.Nullable;

/**
 * One of the two clusters, and its clients. Its daemons are stopped (SIGSTOP) while the other one is measured, so that what runs
 * in a NameNode without a call of a client costs its own calls, and not those of the other.
 */
final class Arm implements Closeable {

    private static final int THREADS = 8;
    private static final int OPENED_BY_A_THREAD = 1_000;
    private static final int MOST_CREATES_A_SECOND = 4_000;
    private static final int BLOCKS_OF_A_NODE = 40;

    /** Until heartbeats and moves are under way. */
    private static final long UNDER_WAY_MS = 500;

    /** The thread that processes reports of replicas holds the write lock under this name. */
    private static final String HOLDS = "[a-z_]*write_lock_process_queue_nanos_";

    /** A turn of an arm: its opens and creates, and what the NameNode did meanwhile. */
    record Turn(Calls opens, Calls creates, double seconds, MovingDataNodes.Sent sent, @Nullable Held held) {}

    /** Calls of a kind, and the processor time of the NameNode meanwhile, whatever it did. */
    record Calls(TimedCalls.Result made, double cpuSeconds) {}

    /**
     * Holds of the read lock by our service, blocks looked at and nanoseconds; holds of the write lock for reports.
     *
     * @param looks the holds, by what for
     */
    record Held(long holds, long blocks, long ns, long reports, double reportNs, List<Look> looks) {}

    /** Holds for one purpose, and nanoseconds. */
    record Look(String asker, long holds, long ns) {}

    private final LocalCluster cluster;
    private final @Nullable PlacementAdmin placement;
    private final @Nullable SenderProcess sender;
    private final Client client;
    private final ThroughputOperation open;
    private final ThroughputOperation create;

    Arm(Path dir, int movingNodes) throws IOException {
        this.cluster = LocalCluster.in(dir, ClassPath.ofThisProcess())
                .orElseThrow(() -> new IOException("no cluster in " + dir));
        this.placement = cluster.spec().terrace() ? new PlacementAdmin(cluster) : null;
        this.sender = movingNodes == 0 ? null : new SenderProcess(cluster, movingNodes, movingNodes * BLOCKS_OF_A_NODE);
        Configuration conf = cluster.confStock();
        this.client = ClientVariant.stock().open(conf);
        ClientProtocol namenode =
                ((DistributedFileSystem) client.fs()).getClient().getNamenode();
        this.open = ThroughputOperation.open(conf, namenode, THREADS, THREADS * OPENED_BY_A_THREAD);
        this.create = ThroughputOperation.create(conf, namenode, THREADS);
        open.prepare(OPENED_BY_A_THREAD);
    }

    /** {@code terrace} or {@code stock}. */
    String name() {
        return placement == null ? "stock" : "terrace";
    }

    void stop() throws IOException {
        signal("STOP");
    }

    void go() throws IOException {
        signal("CONT");
    }

    private void signal(String name) throws IOException {
        for (Daemon daemon : cluster.daemons()) {
            SystemCommand.signal(
                    daemon.process().orElseThrow(() -> new IOException("the " + daemon.name() + " does not run")),
                    name);
        }
    }

    /** Nothing but heartbeats and moves, for a time, and as many times as often. */
    void send(long ms, int hurry) throws IOException {
        if (sender != null) {
            sender.resume(0, hurry);
            JavaProcess.pause(ms);
            sender.pause();
        }
    }

    /**
     * Creates and opens for a time each.
     *
     * @param burnt processors that the process which sends keeps busy besides
     */
    Turn turn(long ms, double burnt) throws IOException {
        int creates = (int) (MOST_CREATES_A_SECOND * ms / 1000);
        create.prepare(creates);
        if (sender != null) {
            sender.resume(burnt, 1);
            JavaProcess.pause(UNDER_WAY_MS);
        }
        long fromNs = System.nanoTime();
        Map<String, Long> before = figures();
        long reportsBefore = reports();
        create.turn();
        Calls created = calls(() -> TimedCalls.run(create::call, THREADS, creates, false, ms));
        Calls opened = calls(() -> TimedCalls.run(open::call, THREADS, OPENED_BY_A_THREAD, true, ms));
        Held held = placement == null ? null : held(before, reportsBefore);
        double seconds = (System.nanoTime() - fromNs) / 1e9;
        MovingDataNodes.Sent sent = sender == null ? new MovingDataNodes.Sent(0, 0) : sender.pause();
        create.cleanUp();
        return new Turn(opened, created, seconds, sent, held);
    }

    private interface Timed {
        TimedCalls.Result run() throws IOException;
    }

    private Calls calls(Timed work) throws IOException {
        Duration before = cpu();
        TimedCalls.Result made = work.run();
        return new Calls(made, cpu().minus(before).toNanos() / 1e9);
    }

    private Held held(Map<String, Long> before, long reportsBefore) throws IOException {
        Map<String, Long> after = figures();
        long meanNs = sender == null ? 0 : new MetricsPage(cluster.ports().namenodeHttp()).value(HOLDS + "avg_time");
        long reports = reports() - reportsBefore;
        return new Held(
                since(before, after, Metric.PLACEMENT_LOCK_HOLDS),
                since(before, after, Metric.PLACEMENT_LOCK_BLOCKS),
                since(before, after, Metric.PLACEMENT_LOCK_NANOSECONDS),
                reports,
                (double) reports * meanNs,
                looks(before, after));
    }

    private static List<Look> looks(Map<String, Long> before, Map<String, Long> after) {
        return List.of(
                new Look(
                        "orders",
                        since(before, after, Metric.PLACEMENT_LOOKS_ORDERS),
                        since(before, after, Metric.PLACEMENT_LOOKS_ORDERS_NANOSECONDS)),
                new Look(
                        "reports",
                        since(before, after, Metric.PLACEMENT_LOOKS_REPORTS),
                        since(before, after, Metric.PLACEMENT_LOOKS_REPORTS_NANOSECONDS)),
                new Look(
                        "reviews",
                        since(before, after, Metric.PLACEMENT_LOOKS_REVIEWS),
                        since(before, after, Metric.PLACEMENT_LOOKS_REVIEWS_NANOSECONDS)),
                new Look(
                        "others",
                        since(before, after, Metric.PLACEMENT_LOOKS_OTHERS),
                        since(before, after, Metric.PLACEMENT_LOOKS_OTHERS_NANOSECONDS)));
    }

    private Map<String, Long> figures() throws IOException {
        return placement == null ? Map.of() : placement.serviceFigures();
    }

    /** So far; asking begins the mean of their times anew. Of stock too, so that both have been asked. */
    private long reports() throws IOException {
        return sender == null ? 0 : new MetricsPage(cluster.ports().namenodeHttp()).value(HOLDS + "num_ops");
    }

    private static long since(Map<String, Long> before, Map<String, Long> after, Metric metric) {
        return after.getOrDefault(metric.id(), 0L) - before.getOrDefault(metric.id(), 0L);
    }

    private Duration cpu() throws IOException {
        return cluster.namenode()
                .process()
                .flatMap(process -> process.info().totalCpuDuration())
                .orElseThrow(() -> new IOException("the NameNode does not run"));
    }

    @Override
    public void close() throws IOException {
        go();
        client.close();
        if (sender != null) {
            sender.close();
        }
        if (placement != null) {
            placement.close();
        }
    }
}
