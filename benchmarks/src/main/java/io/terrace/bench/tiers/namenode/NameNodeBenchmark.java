package io.terrace.bench.tiers.namenode;

import io.terrace.bench.cluster.ClassPath;
import io.terrace.bench.cluster.ClusterSpec;
import io.terrace.bench.cluster.JavaProcess;
import io.terrace.bench.cluster.MetricsPage;
import io.terrace.bench.cluster.TemporaryCluster;
import io.terrace.bench.conformance.jars.HadoopTestJars;
import io.terrace.bench.measure.PairedRatios;
import io.terrace.bench.measure.ResultSheet;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.hadoop.util.VersionInfo;

/**
 * Opens and creates of files a second, by eight threads with the operations of NNThroughputBenchmark, at a NameNode with the
 * placement service over those at a stock one, in turns. Both NameNodes are real daemons on the same settings, started anew for
 * every few pairs, since two JVMs of one program are not equally fast. Both make audit events and discard them, as Hadoop's own
 * log4j.properties has it.
 */
public final class NameNodeBenchmark {

    private static final long MEMORY_BYTES = 64L << 20;
    private static final int HEAP_MB = 1_024;
    private static final int LIMIT_SECONDS = 590;
    private static final double LEAST_IDLE = 0.98;
    private static final double LEAST_BUSY = 0.95;
    private static final double MOST_LOCK_SHARE = 0.001;

    /**
     * How much is measured.
     *
     * @param starts of both NameNodes
     * @param pairs for each start; in a pair each NameNode has two turns
     * @param runMs time of the creates, and of the opens, of a turn
     * @param movingNodes DataNodes that send heartbeats and move replicas in a busy cluster
     */
    public record Plan(int starts, int pairs, long runMs, int movingNodes) {
        /** Less than ten minutes each for an idle and a busy cluster. */
        public static Plan full() {
            return new Plan(4, 5, 1_200, 50);
        }

        /** To see that it works. */
        public static Plan quick() {
            return new Plan(1, 2, 300, 10);
        }

        /** The same with more or fewer starts, and so pairs. */
        public Plan withStarts(int others) {
            return new Plan(others, pairs, runMs, movingNodes);
        }
    }

    private final Plan plan;
    private final Path dir;
    private final Path jars;
    private final Map<String, String> properties;
    private final ResultSheet scores;

    /**
     * Of two clusters at a time.
     *
     * @param jars where the class path of Hadoop's tests is kept
     * @param properties of the user, for every daemon and client
     */
    public NameNodeBenchmark(Plan plan, Path dir, Path jars, Map<String, String> properties, ResultSheet scores) {
        this.plan = plan;
        this.dir = dir;
        this.jars = jars;
        this.properties = properties;
        this.scores = scores;
    }

    /** Without clients of other kinds, moves, or DataNodes but one. */
    public void idle() throws IOException {
        measure("namenode.idle", 0, LEAST_IDLE);
    }

    /** With heartbeats and moves of many DataNodes. */
    public void busy() throws IOException {
        measure("namenode.busy", plan.movingNodes(), LEAST_BUSY);
    }

    private void measure(String id, int movingNodes, double least) throws IOException {
        scores.section(id + ": " + plan.starts() * plan.pairs() + " pairs of 2 x " + plan.runMs()
                + " ms for opens, and for creates; "
                + (movingNodes == 0
                        ? "nothing else"
                        : "heartbeats and moves of " + movingNodes
                                + " DataNodes, which cost the host as much at the stock NameNode")
                + "; audit events are made and discarded");
        ThroughputLog log = new ThroughputLog();
        for (int start = 0; start < plan.starts(); start++) {
            try (TemporaryCluster stock = TemporaryCluster.up(dir.resolve("stock"), spec(false));
                    TemporaryCluster terrace = TemporaryCluster.up(dir.resolve("terrace"), spec(true))) {
                log.add(clients(stock, terrace, movingNodes));
            }
        }
        for (String operation : List.of(ThroughputMain.OPEN, ThroughputMain.CREATE)) {
            double[] stock = log.perSecond(operation, "stock");
            double[] ours = log.perSecond(operation, "terrace");
            scores.note(id + "." + operation + ".stock_s", PairedRatios.medianOf(stock), "a second, stock");
            scores.note(id + "." + operation + ".terrace_s", PairedRatios.medianOf(ours), "a second");
            // These are rates, so more is better.
            PairedRatios ratios = new PairedRatios(ours, stock);
            scores.progress(operation + ", pair by pair: "
                    + IntStream.range(0, ours.length)
                            .mapToObj(pair -> String.format(Locale.ROOT, "%.3f", ours[pair] / stock[pair]))
                            .collect(Collectors.joining(" ")));
            scores.note(id + "." + operation + ".median", ratios.median(), "of stock");
            scores.atLeast(id + "." + operation, ratios.lowerBound(), least);
            cpu(id + "." + operation + ".cpu", log.cpuUs(operation, "stock"), log.cpuUs(operation, "terrace"));
        }
        scores.below(id + ".lock_share", log.lockShare(), MOST_LOCK_SHARE);
        for (String asker : log.askers()) {
            scores.note(id + ".lock_share." + asker, log.lockShare(asker), "of it for " + asker);
            scores.note(id + ".lock_holds_s." + asker, log.holdsPerSecond(asker), "holds a second for " + asker);
        }
        scores.note(id + ".lock_holds_s", log.holdsPerSecond(), "holds of the read lock a second");
        scores.note(id + ".lock_blocks_s", log.blocksPerSecond(), "blocks looked at under it a second");
        if (movingNodes > 0) {
            scores.note(id + ".sender", log.sender("terrace"), "processors kept busy by the sender, ours");
            scores.note(id + ".moves_s", log.movesPerSecond(), "moves a second");
            scores.note(id + ".write_lock_us", log.writeLockUs(), "us of write lock a move");
        }
    }

    private void cpu(String id, double[] stockUs, double[] oursUs) throws IOException {
        scores.note(id + ".stock", PairedRatios.medianOf(stockUs), "us of the NameNode's processor time a call, stock");
        scores.note(id + ".terrace", PairedRatios.medianOf(oursUs), "us a call");
        PairedRatios ratios = new PairedRatios(stockUs, oursUs);
        scores.note(id + ".median", ratios.median(), "stock's time over ours, turn by turn");
        scores.note(id + ".bound", ratios.lowerBound(), "at least, with 95 % confidence");
    }

    private String clients(TemporaryCluster stock, TemporaryCluster terrace, int movingNodes) throws IOException {
        Path conf = stock.cluster().layout().confStock();
        Path logs = stock.cluster().layout().logs();
        return new JavaProcess.Home(logs, ClassPath.ofThisProcess().text() + File.pathSeparator + testJars())
                .run(
                        "throughput",
                        conf,
                        List.of(
                                "-Xmx1g",
                                "-Dlog4j.configuration=io/terrace/bench/tiers/namenode/throughput-log4j.properties"),
                        List.of(
                                ThroughputMain.class.getName(),
                                stock.cluster().layout().dir().toString(),
                                terrace.cluster().layout().dir().toString(),
                                Integer.toString(plan.pairs()),
                                Long.toString(plan.runMs()),
                                Integer.toString(movingNodes)),
                        LIMIT_SECONDS);
    }

    private String testJars() throws IOException {
        try {
            return new HadoopTestJars(jars, VersionInfo.getVersion(), "mvn")
                    .resolve().stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while Maven resolved Hadoop's test jars", e);
        }
    }

    private ClusterSpec spec(boolean terrace) {
        Map<String, String> all = new LinkedHashMap<>(MetricsPage.SETTINGS);
        // NNThroughputBenchmark's files have tiny blocks.
        all.put("dfs.namenode.fs-limits.min-block-size", "16");
        all.put("dfs.namenode.lock.detailed-metrics.enabled", "true");
        if (terrace) {
            // No DataNode is lost while the processes are stopped.
            all.put("terrace.placement.node.expiry", "5m");
            all.put("dfs.namenode.audit.loggers", "default,io.terrace.placement.hdfs.namesystem.AnnotationAuditLogger");
        }
        all.putAll(properties);
        return ClusterSpec.of(1, MEMORY_BYTES)
                .withReplication(1)
                .withTerrace(terrace)
                .withHeapMb(HEAP_MB)
                .withProperties(all);
    }
}
