package io.terrace.placementctl.cluster;

import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.PlacementEngine;
import io.terrace.placement.PlacementSettings;
import io.terrace.placement.control.ControlSettings;
import io.terrace.placement.heartbeat.Heartbeat;
import io.terrace.placement.heartbeat.HeartbeatSettings;
import io.terrace.placement.move.FirstReadSettings;
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
import java.util.Random;
import java.util.function.LongConsumer;

/**
 * A trace read by clients on the hosts of several DataNodes, with the placement service's own engine deciding. A client
 * reads a copy in memory wherever it is, else the replica on its host, else any. What is asked for at one moment is in
 * memory after the next heartbeats at best.
 */
public final class ClusterReplay {

    /**
     * Under which conditions.
     *
     * @param memoryBytes of each DataNode
     * @param moveBytesPerS that each DataNode may copy; 0 for no limit
     * @param reach part of the reads by clients that find copies wherever they are; the others are of the replica that stock
     *     chooses
     * @param seed of what is drawn
     * @param firstReads copies before reads
     */
    public record Conditions(
            long[] memoryBytes, long moveBytesPerS, double reach, long seed, FirstReadSettings firstReads) {

        /** Without copies before reads. */
        public Conditions(long[] memoryBytes, long moveBytesPerS, double reach, long seed) {
            this(memoryBytes, moveBytesPerS, reach, seed, FirstReadSettings.OFF);
        }
    }

    /**
     * What came of it.
     *
     * @param local hits whose copy was on the reader's host
     * @param homesChanged blocks whose home became another DataNode
     * @param ahead reads served by copies that were made before them: first reads, and those of files that are read on
     * @param vainBytes of such copies that were not read in time, or not where they were
     * @param engineNs processor time of the engine for each read, with the heartbeat that brings it
     */
    public record Outcome(
            long reads,
            long hits,
            long local,
            double readBytes,
            double hitBytes,
            double promotedBytes,
            long promotions,
            long homesChanged,
            long ahead,
            double vainBytes,
            double engineNs) {

        public double hitRatio() {
            return (double) hits / Math.max(1, reads);
        }

        public double moved() {
            return promotedBytes / Math.max(1, readBytes);
        }
    }

    /** Processor time, since benchmarks share their machine. */
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private static final long PERIOD_MS = 250;
    private static final long TURN_MS = 10_000;
    /** Copies before reads are ordered with the turns. */
    private static final long TURN_FOR_COPIES_MS = 500;

    /** Until a block that was written is looked at. */
    private static final long WRITTEN_MS = 1_250;

    private static final long NEVER_MS = Long.MAX_VALUE / 4;

    /** Promotions of all DataNodes together: one alone carries out as many as all others, and as many may wait for it. */
    private static final int IN_FLIGHT = 2000;

    private static final int WAITING = 5120;

    /** Blocks whose heat is kept, of all DataNodes together. */
    public static final int TRACKED = 2_000_000;

    private static final int ROWS_PER_REPORT = 1 << 14;

    private final Trace trace;
    private final ReplayedNamespace namespace;
    private final ReplayedDataNode[] nodes;
    private final PlacementEngine engine;
    private final MetricRegistry metricRegistry = new MetricRegistry();
    private final Random random;
    private final ClusterReads reads;
    private final double reach;
    private long engineNs;
    private final boolean isAhead;
    private final long turnMs;
    private long turnedMs = -TURN_MS;

    public ClusterReplay(
            Trace trace, ReplayedNamespace namespace, ClusterReads reads, PolicySpec policy, Conditions conditions) {
        this.trace = trace;
        this.namespace = namespace;
        this.reads = reads;
        this.reach = conditions.reach;
        random = new Random(conditions.seed);
        nodes = new ReplayedDataNode[conditions.memoryBytes.length];
        for (int node = 0; node < nodes.length; node++) {
            nodes[node] = new ReplayedDataNode(
                    node, conditions.memoryBytes[node], PERIOD_MS, block -> namespace.block((int) block));
        }
        isAhead = conditions.firstReads.isOn();
        turnMs = isAhead ? TURN_FOR_COPIES_MS : TURN_MS;
        PlacementSettings settings = settings(policy, nodes.length, conditions);
        engine = new PlacementEngine(settings, namespace, metricRegistry);
        engine.activate(1, OperatorState.initial());
    }

    /** The defaults, but that DataNodes report only where there is something. */
    private static PlacementSettings settings(PolicySpec policy, int nodes, Conditions conditions) {
        PlacementSettings defaults = PlacementSettings.from(key -> null);
        VolumeMoveSettings volumes = defaults.moves().volumes();
        return new PlacementSettings(
                new PolicyChoice(policy, Source.SETTINGS, 0),
                new MoveSettings(
                        conditions.moveBytesPerS,
                        0,
                        Math.max(1, IN_FLIGHT / nodes),
                        Math.max(1, WAITING / nodes),
                        NEVER_MS,
                        NEVER_MS,
                        volumes),
                new HeatSettings(TRACKED, defaults.heat().halfLifeMs()),
                new HeartbeatSettings((int) PERIOD_MS, NEVER_MS, NEVER_MS, Integer.MAX_VALUE),
                ControlSettings.OFF,
                conditions.firstReads);
    }

    /** @param progress told of rows now and then */
    public Outcome run(LongConsumer progress) {
        long count = 0;
        long hits = 0;
        long local = 0;
        double readBytes = 0;
        double hitBytes = 0;
        for (int row = 0; row < trace.rows(); row++) {
            long nowMs = trace.timeMs(row);
            int object = trace.object(row);
            int host = reads.host(row);
            advance(nowMs);
            if (row % ROWS_PER_REPORT == 0) {
                progress.accept(row);
            }
            if (trace.isWrite(row)) {
                wrote(nowMs, object, reads.servedBy(row));
                continue;
            }
            int server = random.nextDouble() >= reach ? replica(row, host) : copy(row, host);
            boolean hit = nodes[server].hasInMemory(object);
            long bytes = trace.bytes(row);
            count++;
            hits += hit ? 1 : 0;
            local += hit && reads.hostOf(server) == host ? 1 : 0;
            readBytes += bytes;
            hitBytes += hit ? bytes : 0;
            nodes[server].read(nowMs, object, bytes);
        }
        double promotedBytes = 0;
        long promotions = 0;
        for (ReplayedDataNode node : nodes) {
            promotedBytes += node.promotedBytes();
            promotions += node.promotions();
        }
        return new Outcome(
                count,
                hits,
                local,
                readBytes,
                hitBytes,
                promotedBytes,
                promotions,
                metricRegistry.value(Metric.PLACEMENT_HOMES_CHANGED),
                metricRegistry.value(Metric.PLACEMENT_FIRST_READ_SERVED)
                        + metricRegistry.value(Metric.PLACEMENT_READ_AHEAD_SERVED),
                metricRegistry.value(Metric.PLACEMENT_FIRST_READ_VAIN_BYTES)
                        + metricRegistry.value(Metric.PLACEMENT_READ_AHEAD_VAIN_BYTES),
                (double) engineNs / Math.max(1, count));
    }

    private void wrote(long nowMs, int object, int server) {
        if (server != ClusterReads.NONE && namespace.isHeldBy(object, server)) {
            nodes[server].wrote(nowMs, object);
        }
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
            if (dueMs - turnedMs >= turnMs) {
                engine.turn(dueMs);
                turnedMs = dueMs;
            }
            Heartbeat heartbeat = next.heartbeat();
            next.take(dueMs, engine.heartbeat(dueMs, heartbeat));
            if (isAhead && !heartbeat.heat().isEmpty()) {
                next.due(dueMs + WRITTEN_MS - PERIOD_MS);
            }
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
    private int copy(int row, int host) {
        int object = trace.object(row);
        int found = ClusterReads.NONE;
        for (int holder : namespace.holders(object)) {
            if (nodes[holder].hasInMemory(object)) {
                if (reads.hostOf(holder) == host) {
                    return holder;
                }
                found = found == ClusterReads.NONE ? holder : found;
            }
        }
        return found == ClusterReads.NONE ? replica(row, host) : found;
    }

    /** The one that stock chooses: on the reader's host, else the one that was read where it was recorded, else any. */
    private int replica(int row, int host) {
        int object = trace.object(row);
        int[] holders = namespace.holders(object);
        for (int holder : holders) {
            if (reads.hostOf(holder) == host) {
                return holder;
            }
        }
        int recorded = reads.servedBy(row);
        return recorded != ClusterReads.NONE && namespace.isHeldBy(object, recorded)
                ? recorded
                : holders[random.nextInt(holders.length)];
    }
}
