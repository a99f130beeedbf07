package io.terrace.bench.scale;

import io.terrace.bench.measure.ResultSheet;
import io.terrace.bench.measure.TestRun;
import io.terrace.conf.TerraceSettings;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.hdfs.namesystem.NamesystemView;
import io.terrace.placement.policy.PolicyChoice;
import io.terrace.placement.state.BlockHeat;
import io.terrace.placement.state.NamespaceView;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * What the placement service costs with as many DataNodes and blocks as the largest clusters have. A hundredth of the blocks are
 * tracked: 19 of 20 reports of reads are about these, the others about any block; readers come to all three replicas.
 */
@Command(
        name = "scale",
        mixinStandardHelpOptions = true,
        description = {
            "The placement service with 10,000 DataNodes: its processor time, how long a heartbeat takes, its heap, and for how much"
                    + " of the time it holds the NameNode's lock.",
            "SERVICE computes the maps of a NameNode of 100 million blocks, NAMENODE has a real one of as many as fit."
        })
public final class ScaleBenchmark implements Callable<Integer> {

    private enum Part {
        SERVICE,
        NAMENODE
    }

    private static final double MOST_CPU = 0.2;
    private static final double MOST_P99_MS = 5;
    private static final int MOST_BYTES_PER_BLOCK = 400;
    private static final double MOST_LOCK_SHARE = 0.001;

    private static final Set<Metric> COUNTERS = EnumSet.of(
            Metric.PLACEMENT_LOCK_NANOSECONDS,
            Metric.PLACEMENT_LOOKS_ORDERS_NANOSECONDS,
            Metric.PLACEMENT_LOOKS_REPORTS_NANOSECONDS,
            Metric.PLACEMENT_LOCK_HOLDS,
            Metric.PLACEMENT_LOCK_BLOCKS,
            Metric.PLACEMENT_HEAT_UNCONFIRMED,
            Metric.PLACEMENT_PROMOTIONS_SENT);

    /** Of the heartbeats that were to be sent and answered. */
    private static final double LEAST_PACE = 0.99;

    private static final int FILL_STEPS = 10;
    private static final int TRACKED_OF = 100;
    private static final int UNTRACKED_OF = 20;

    @Option(names = "--part", paramLabel = "PART", description = "SERVICE or NAMENODE; both by default")
    private List<Part> parts = List.of(Part.values());

    @Option(names = "--datanodes", paramLabel = "N", description = "how many (${DEFAULT-VALUE})")
    private int dataNodes = 10_000;

    @Option(names = "--blocks", paramLabel = "N", description = "of the cluster in part SERVICE (${DEFAULT-VALUE})")
    private long blocks = 100_000_000;

    @Option(
            names = "--real-blocks",
            paramLabel = "N",
            description = "of the NameNode in part NAMENODE (${DEFAULT-VALUE})")
    private long realBlocks = 10_000_000;

    @Option(names = "--per-second", paramLabel = "N", description = "heartbeats of all DataNodes (${DEFAULT-VALUE})")
    private int perSecond = 1_000;

    @Option(names = "--reads", paramLabel = "N", description = "blocks read between two heartbeats (${DEFAULT-VALUE})")
    private int reads = 10;

    @Option(names = "--seconds", paramLabel = "N", description = "how long it is measured (${DEFAULT-VALUE})")
    private int seconds = 60;

    @Option(names = "--seed", paramLabel = "N", description = "of the reads (${DEFAULT-VALUE})")
    private long seed = 1;

    @Mixin
    private TestRun testRun = new TestRun();

    @Override
    public Integer call() throws IOException, InterruptedException {
        return testRun.run("scale", this::measure);
    }

    private void measure(Path dir, ResultSheet sheet) throws IOException, InterruptedException {
        try {
            measureParts(dir, sheet);
        } catch (TimeoutException e) {
            throw new IOException("the placement loop is stuck", e);
        }
    }

    private void measureParts(Path dir, ResultSheet sheet) throws IOException, InterruptedException, TimeoutException {
        if (parts.contains(Part.SERVICE)) {
            try (RealNameNode nameNode = new RealNameNode(dir.resolve("service"))) {
                nameNode.register(dataNodes);
                BlockSpread spread = new BlockSpread(dataNodes, blocks);
                List<String> uuids = IntStream.range(0, dataNodes)
                        .mapToObj(RealNameNode::uuid)
                        .toList();
                run("scale.service", nameNode, spread, metrics -> new ComputedNamespace(spread, uuids::get), sheet);
            }
        }
        if (parts.contains(Part.NAMENODE)) {
            try (RealNameNode nameNode = new RealNameNode(dir.resolve("namenode"))) {
                nameNode.register(dataNodes);
                BlockSpread spread = new BlockSpread(dataNodes, realBlocks);
                long beganNs = System.nanoTime();
                nameNode.load(spread);
                sheet.progress("loaded in " + TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - beganNs) + " s");
                int lockBlocks = TerraceSettings.PLACEMENT_LOCK_BLOCKS.get(key -> null);
                run(
                        "scale.namenode",
                        nameNode,
                        spread,
                        metrics -> new NamesystemView(nameNode.namesystem(), metrics, lockBlocks),
                        sheet);
                if (!sheet.figures().containsKey("scale.namenode.lock_share")) {
                    throw new IOException("the service never held the NameNode's lock: nothing was looked up");
                }
            }
        }
    }

    private void run(
            String id,
            RealNameNode nameNode,
            BlockSpread spread,
            Function<MetricRegistry, NamespaceView> view,
            ResultSheet sheet)
            throws IOException, InterruptedException, TimeoutException {
        // As many in both parts, or all that there are.
        int trackedRows = Math.toIntExact(Math.min(spread.rows(), blocks / TRACKED_OF / dataNodes));
        int tracked = trackedRows * dataNodes;
        sheet.section(id + ": " + dataNodes + " DataNodes, " + spread.blocks() + " blocks, " + tracked
                + " of them tracked, " + perSecond + " heartbeats a second with " + reads + " blocks each");
        Map<String, String> properties =
                Map.of(TerraceSettings.PLACEMENT_TRACKED_BLOCKS.key(), Integer.toString(tracked));
        int handlers = TerraceSettings.PLACEMENT_HANDLERS.get(key -> null);
        List<ScaleDataNode> nodes = new ArrayList<>();
        for (int i = 0; i < dataNodes; i++) {
            nodes.add(new ScaleDataNode(i, nameNode.pool()));
        }
        try (ScaledService service = new ScaledService(nameNode, properties, PolicyChoice.from(properties::get), view);
                HeartbeatLoad load = new HeartbeatLoad(service.rpc(), spread, handlers)) {
            while (!service.status().active()) {
                TimeUnit.MILLISECONDS.sleep(10);
            }
            long heapBefore = heapBytes();
            load.sendAll(nodes, node -> node.heartbeat(LongStream.empty()));
            long heapWithNodes = heapBytes();
            sheet.note(id + ".heap_node", (double) (heapWithNodes - heapBefore) / dataNodes, "bytes a DataNode");
            fill(service, load, nodes, spread, 0, trackedRows / 2, trackedRows);
            long heapHalf = heapBytes();
            fill(service, load, nodes, spread, trackedRows / 2, trackedRows, trackedRows);
            TimeUnit.SECONDS.sleep(1);
            if (service.status().tracked() != tracked) {
                throw new IOException(service.status().tracked() + " blocks are tracked, not " + tracked);
            }
            long heapFull = heapBytes();
            double perBlock = (double) (heapFull - heapHalf) / (trackedRows - trackedRows / 2) / dataNodes;
            sheet.atMost(id + ".heap_block", perBlock, MOST_BYTES_PER_BLOCK);
            // Of DataNodes whose policies have learned, which does not grow with their blocks.
            double ofNodes = (heapFull - heapBefore - perBlock * tracked) / dataNodes;
            sheet.note(id + ".heap_node_busy", ofNodes, "bytes a DataNode with reads");
            service.resume();
            SplittableRandom random = new SplittableRandom(seed);
            Function<ScaleDataNode, byte[]> heartbeat =
                    node -> node.heartbeat(LongStream.generate(() -> drawn(random, spread, trackedRows, node.number()))
                            .limit(reads)
                            .distinct());
            // Until the code is compiled and the first promotions are over.
            sheet.progress("warm-up");
            load.send(nodes, heartbeat, perSecond, seconds);
            sheet.note(id + ".heap_mb", heapBytes() / 1e6, "MB in all, with the NameNode and what plays the DataNodes");
            Map<Metric, Long> before = counters(service);
            long beganNs = System.nanoTime();
            HeartbeatLoad.Cost cost = load.send(nodes, heartbeat, perSecond, seconds);
            report(id, cost, perSecond, sheet);
            counters(id, before, counters(service), System.nanoTime() - beganNs, sheet);
            // A service that refuses all reports, or orders nothing, costs less.
            sheet.atLeast(
                    id + ".resident",
                    nodes.stream().mapToInt(ScaleDataNode::residentBlocks).sum(),
                    1);
        }
    }

    /**
     * Each DataNode reports reads of what it holds of some rows, a few at a time, over as long as an answer of the NameNode is good. So
     * answers end while it is measured as often as they do in the long run. Rows come in steps, so that those which are read
     * most do not come together.
     */
    private static void fill(
            ScaledService service,
            HeartbeatLoad load,
            List<ScaleDataNode> nodes,
            BlockSpread spread,
            int from,
            int to,
            int rows)
            throws IOException, InterruptedException {
        int steps = Math.min(FILL_STEPS, to - from);
        for (int step = 0; step < steps; step++) {
            int first = from + step;
            for (int replica = 0; replica < BlockSpread.REPLICAS; replica++) {
                int of = replica;
                load.sendAll(
                        nodes,
                        node -> node.heartbeat(IntStream.iterate(first, row -> row < to, row -> row + steps)
                                .mapToLong(row -> spread.held(node.number(), row, of))));
            }
            service.pass(BlockHeat.CONFIRMED_MS * (to - from) / rows / steps);
        }
    }

    /** A block that a DataNode holds: the lower rows of those that are tracked are read more. */
    private static long drawn(SplittableRandom random, BlockSpread spread, int trackedRows, int node) {
        double uniform = random.nextDouble();
        int row = random.nextInt(UNTRACKED_OF) == 0
                ? random.nextInt(spread.rows())
                : (int) (trackedRows * uniform * uniform);
        return spread.held(node, row, random.nextInt(BlockSpread.REPLICAS));
    }

    private static void report(String id, HeartbeatLoad.Cost cost, int perSecond, ResultSheet sheet) {
        // Where fewer were sent, or answered in that time, than were asked for, all other figures are too low.
        sheet.atLeast(id + ".heartbeats", cost.perSecond(), LEAST_PACE * perSecond);
        sheet.note(id + ".cpu_handlers", cost.handlers(), "processors, decoding and encoding");
        sheet.note(id + ".cpu_loop", cost.loop(), "processors, the loop");
        sheet.note(id + ".cpu_process", cost.process(), "processors, with collections and compilation");
        sheet.atMost(id + ".cpu", cost.handlers() + cost.loop(), MOST_CPU);
        Histogram handling = cost.handling();
        sheet.note(id + ".p50", handling.getValueAtPercentile(50) / 1e6, "ms");
        sheet.atMost(id + ".p99", handling.getValueAtPercentile(99) / 1e6, MOST_P99_MS);
        sheet.note(id + ".p999", handling.getValueAtPercentile(99.9) / 1e6, "ms");
        sheet.note(id + ".longest", handling.getMaxValue() / 1e6, "ms");
    }

    private static Map<Metric, Long> counters(ScaledService service) {
        Map<Metric, Long> counters = new EnumMap<>(Metric.class);
        COUNTERS.forEach(metric -> counters.put(metric, service.value(metric)));
        return counters;
    }

    private static void counters(
            String id, Map<Metric, Long> before, Map<Metric, Long> after, long tookNs, ResultSheet sheet) {
        ToDoubleFunction<Metric> perSecond =
                metric -> (after.getOrDefault(metric, 0L) - before.getOrDefault(metric, 0L)) / (tookNs / 1e9);
        ToDoubleFunction<Metric> share = metric -> perSecond.applyAsDouble(metric) / 1e9;
        sheet.note(
                id + ".unconfirmed",
                perSecond.applyAsDouble(Metric.PLACEMENT_HEAT_UNCONFIRMED),
                "reports a second that did not count");
        sheet.note(id + ".promotions", perSecond.applyAsDouble(Metric.PLACEMENT_PROMOTIONS_SENT), "ordered a second");
        if (share.applyAsDouble(Metric.PLACEMENT_LOCK_HOLDS) > 0) {
            sheet.atMost(id + ".lock_share", share.applyAsDouble(Metric.PLACEMENT_LOCK_NANOSECONDS), MOST_LOCK_SHARE);
            sheet.note(
                    id + ".lock_share_orders",
                    share.applyAsDouble(Metric.PLACEMENT_LOOKS_ORDERS_NANOSECONDS),
                    "of it for orders");
            sheet.note(
                    id + ".lock_share_reports",
                    share.applyAsDouble(Metric.PLACEMENT_LOOKS_REPORTS_NANOSECONDS),
                    "of it for reports of reads");
            sheet.note(
                    id + ".lock_holds",
                    perSecond.applyAsDouble(Metric.PLACEMENT_LOCK_HOLDS),
                    "holds of the read lock a second");
            sheet.note(
                    id + ".lock_blocks",
                    perSecond.applyAsDouble(Metric.PLACEMENT_LOCK_BLOCKS),
                    "blocks looked at under it a second");
        }
    }

    private static long heapBytes() throws InterruptedException {
        for (int i = 0; i < 3; i++) {
            System.gc();
            TimeUnit.MILLISECONDS.sleep(200);
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
