package io.terrace.bench.policy;

import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.PlacementEngine;
import io.terrace.placement.PlacementSettings;
import io.terrace.placement.heartbeat.HeartbeatSettings;
import io.terrace.placement.policy.PolicyChoice;
import io.terrace.placement.policy.PolicyChoice.Source;
import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.placement.state.HeatSettings;
import io.terrace.placement.state.MoveSettings;
import io.terrace.placement.state.OperatorState;
import io.terrace.placement.state.VolumeMoveSettings;
import io.terrace.policy.replay.Trace;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Map;
import java.util.Random;

/**
 * A trace read by clients on the hosts of several DataNodes, with the placement service's own engine deciding. A client
 * reads a copy in memory wherever it is, else the replica on its host, else any. What is asked for at one moment is in
 * memory after the next heartbeats at best.
 */
final class ClusterReplay {

    /**
     * Who reads.
     *
     * @param hosts the first so many hosts, all equally often
     * @param reach part of the reads by clients that find copies wherever they are; the others are of the replica that stock
     *     chooses
     */
    record Readers(int hosts, double reach) {}

    /**
     * What came of it.
     *
     * @param local hits whose copy was on the reader's host
     * @param homesChanged blocks whose home became another DataNode
     * @param engineNs processor time of the engine for each read, with the heartbeat that brings it
     */
    record Outcome(
            long reads,
            long hits,
            long local,
            double readBytes,
            double promotedBytes,
            long promotions,
            long homesChanged,
            double engineNs) {

        double hitRatio() {
            return (double) hits / reads;
        }

        double moved() {
            return promotedBytes / readBytes;
        }
    }

    /** Processor time, since benchmarks share their machine. */
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private static final long PERIOD_MS = 250;
    private static final long TURN_MS = 10_000;
    private static final long NEVER_MS = Long.MAX_VALUE / 4;

    /** Promotions of all DataNodes together: one alone carries out as many as all others, and as many may wait for it. */
    private static final int IN_FLIGHT = 2000;

    private static final int WAITING = 5120;

    /** Records that the policies of all DataNodes have together. */
    private static final int TRACKED = 2_000_000;

    private final Trace trace;
    private final ReplayedNamespace namespace;
    private final ReplayedDataNode[] nodes;
    private final PlacementEngine engine;
    private final MetricRegistry metricRegistry = new MetricRegistry();
    private final Random random;
    private final Readers readers;
    private long engineNs;
    private long turnedMs = -TURN_MS;

    /** @param memoryBytes of each DataNode */
    ClusterReplay(Trace trace, ReplayedNamespace namespace, long[] memoryBytes, Readers readers, long seed) {
        this.trace = trace;
        this.namespace = namespace;
        this.readers = readers;
        random = new Random(seed);
        nodes = new ReplayedDataNode[memoryBytes.length];
        for (int node = 0; node < nodes.length; node++) {
            nodes[node] =
                    new ReplayedDataNode(node, memoryBytes[node], PERIOD_MS, block -> namespace.block((int) block));
        }
        engine = new PlacementEngine(settings(nodes.length), namespace, metricRegistry);
        engine.activate(1, OperatorState.initial());
    }

    /** The defaults, but that DataNodes report only where there is something, and moves wait for no budget. */
    private static PlacementSettings settings(int nodes) {
        PlacementSettings defaults = PlacementSettings.from(key -> null);
        VolumeMoveSettings volumes = defaults.moves().volumes();
        String tracked = Integer.toString(TRACKED / nodes);
        return new PlacementSettings(
                new PolicyChoice(PolicySpec.plain(PolicyVariant.OURS, Map.of("tracked", tracked)), Source.SETTINGS, 0),
                new MoveSettings(0, 0, IN_FLIGHT / nodes, WAITING / nodes, NEVER_MS, NEVER_MS, volumes),
                new HeatSettings(TRACKED, defaults.heat().halfLifeMs()),
                new HeartbeatSettings((int) PERIOD_MS, NEVER_MS, NEVER_MS, Integer.MAX_VALUE));
    }

    Outcome run() {
        long reads = 0;
        long hits = 0;
        long local = 0;
        double readBytes = 0;
        for (int row = 0; row < trace.rows(); row++) {
            if (trace.isWrite(row)) {
                continue;
            }
            long nowMs = trace.timeMs(row);
            advance(nowMs);
            int object = trace.object(row);
            int reader = random.nextInt(readers.hosts);
            int server = random.nextDouble() >= readers.reach ? replica(object, reader) : copy(object, reader);
            boolean hit = nodes[server].hasInMemory(object);
            reads++;
            hits += hit ? 1 : 0;
            local += hit && server == reader ? 1 : 0;
            readBytes += namespace.block(object).lengthBytes();
            nodes[server].read(nowMs, object);
        }
        double promotedBytes = 0;
        long promotions = 0;
        for (ReplayedDataNode node : nodes) {
            promotedBytes += node.promotedBytes();
            promotions += node.promotions();
        }
        return new Outcome(
                reads,
                hits,
                local,
                readBytes,
                promotedBytes,
                promotions,
                metricRegistry.value(Metric.PLACEMENT_HOMES_CHANGED),
                (double) engineNs / reads);
    }

    /** Sends the heartbeats that are due, in the order of time. */
    private void advance(long nowMs) {
        while (true) {
            ReplayedDataNode next = nodes[0];
            for (ReplayedDataNode node : nodes) {
                next = node.dueMs() < next.dueMs() ? node : next;
            }
            long dueMs = next.dueMs();
            if (dueMs > nowMs) {
                return;
            }
            long beganNs = THREADS.getCurrentThreadCpuTime();
            if (dueMs - turnedMs >= TURN_MS) {
                engine.turn(dueMs);
                turnedMs = dueMs;
            }
            next.take(dueMs, engine.heartbeat(dueMs, next.heartbeat()));
            engineNs += THREADS.getCurrentThreadCpuTime() - beganNs;
            callForOrders(dueMs);
        }
    }

    /** Where orders wait, every DataNode asks for them within a period, as it does all the time in a cluster. */
    private void callForOrders(long nowMs) {
        if (engine.engineStatus().waiting() > 0) {
            for (ReplayedDataNode node : nodes) {
                node.due(nowMs);
            }
        }
    }

    /** The DataNode that a client reads from which finds copies: the one on its host first. */
    private int copy(int object, int reader) {
        if (namespace.isHeldBy(object, reader) && nodes[reader].hasInMemory(object)) {
            return reader;
        }
        for (int replica = 0; replica < namespace.replication(); replica++) {
            int holder = namespace.holder(object, replica);
            if (nodes[holder].hasInMemory(object)) {
                return holder;
            }
        }
        return replica(object, reader);
    }

    /** The one that stock chooses. */
    private int replica(int object, int reader) {
        return namespace.isHeldBy(object, reader)
                ? reader
                : namespace.holder(object, random.nextInt(namespace.replication()));
    }
}
