package io.terrace.bench.journal;

import io.terrace.bench.measure.ResultSheet;
import io.terrace.bench.measure.TestRun;
import io.terrace.common.StorageTier;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.PlacementEngine;
import io.terrace.placement.PlacementSettings;
import io.terrace.placement.heartbeat.Heartbeat;
import io.terrace.placement.heartbeat.Heartbeat.Heat;
import io.terrace.placement.heartbeat.Heartbeat.TierState;
import io.terrace.placement.journal.Journal;
import io.terrace.placement.policy.PolicyChoice;
import io.terrace.placement.policyfile.PolicyFile;
import io.terrace.placement.policyfile.PolicyFileException;
import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.placement.report.HotBlock;
import io.terrace.placement.state.NamespaceView;
import io.terrace.placement.state.OperatorState;
import io.terrace.protocol.HeartbeatLimits;
import io.terrace.protocol.StampedBlock;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The engine of a standby takes heartbeats about more blocks than its heap tracks, with a real journal; then another one
 * begins with what the journal has. The hottest thousand were read first, so that they left the heap long ago.
 */
@Command(
        name = "journal",
        mixinStandardHelpOptions = true,
        description = {
            "What the journal beside the NameNode costs in memory and on disk, and whether the hottest blocks are known again"
                    + " after a restart.",
            "Memory off the heap is right with TERRACE_OPTS='-Xms3g -Xmx3g -XX:+AlwaysPreTouch'."
        })
public final class JournalBenchmark implements Callable<Integer> {

    private static final int HOTTEST = 1_000;
    private static final long MB = 1 << 20;
    private static final int MOST_BYTES_PER_BLOCK = 400;
    private static final long BEHIND_BYTES = 100_000;
    private static final String[] NODES = {"one", "two"};

    /** Those that hold a replica where a rule gives tiers. */
    private static final List<String> HOLDERS = List.of("one", "two", "three");

    /** Turns in which each block that is tracked is looked at. */
    private static final int LOOKS = 4_000;

    @Option(names = "--blocks", paramLabel = "N", description = "how many are read (${DEFAULT-VALUE})")
    private int blocks = 10_000_000;

    @Mixin
    private TestRun testRun = new TestRun();

    private long nowMs = 1_000;
    private long sequence;

    @Override
    public Integer call() throws IOException, InterruptedException {
        return testRun.run("journal", this::measure);
    }

    private void measure(Path dir, ResultSheet sheet) throws IOException, InterruptedException {
        PlacementSettings settings = PlacementSettings.from(key -> null);
        int tracked = settings.heat().trackedBlocks();
        sheet.section(blocks + " blocks, " + tracked + " of them on the heap");
        long heapBefore = heapBytes();
        PlacementEngine without = new PlacementEngine(settings, new NoFiles(), new MetricRegistry());
        feed(without, 2 * tracked, () -> false);
        long heapWithout = heapBytes();
        sheet.below("journal.heap_per_block", (double) (heapWithout - heapBefore) / tracked, MOST_BYTES_PER_BLOCK);
        long offHeapWithout = residentBytes();
        sheet.note("journal.engine_heap_mb", (double) without.engineStatus().memoryBytes() / MB, "MB");
        without = new PlacementEngine(settings, new NoFiles(), new MetricRegistry());
        ranged(settings, (double) (heapWithout - heapBefore) / tracked, sheet);

        MetricRegistry metrics = new MetricRegistry();
        Journal journal = start(dir, settings, metrics);
        PlacementEngine engine = new PlacementEngine(settings, new NoFiles(), metrics);
        engine.keepIn(journal.engineSide());
        long beganNs = System.nanoTime();
        feed(engine, blocks, () -> metrics.value(Metric.PLACEMENT_JOURNAL_WAITING_BYTES) > BEHIND_BYTES);
        // A minute and its pass, for the blocks that are still on the heap.
        for (int i = 0; i < 600; i++) {
            nowMs += 250;
            engine.turn(nowMs);
            waitWhile(() -> metrics.value(Metric.PLACEMENT_JOURNAL_WAITING_BYTES) > BEHIND_BYTES);
        }
        waitWhile(() -> metrics.value(Metric.PLACEMENT_JOURNAL_WAITING_BYTES) > 0);
        double seconds = (System.nanoTime() - beganNs) / 1e9;
        long written = metrics.value(Metric.PLACEMENT_JOURNAL_HEAT_WRITTEN);
        sheet.note("journal.written", written, "records");
        sheet.note("journal.writes_per_s", written / seconds, "records/s");
        sheet.exactly("journal.lost", metrics.value(Metric.PLACEMENT_JOURNAL_HEAT_LOST), 0);
        double offHeap = (double) (residentBytes() - offHeapWithout) / MB;
        double heap = (double) (heapBytes() - heapWithout) / MB;
        sheet.note("journal.heap_mb", heap, "MB");
        sheet.note("journal.off_heap_mb", offHeap, "MB");
        sheet.below("journal.memory_mb", Math.max(0, heap) + Math.max(0, offHeap), 64);
        journal.close();
        sheet.below("journal.disk_mb", (double) bytesBelow(dir) / MB, 1024);
        restart(dir, settings, sheet);
    }

    /** What is known besides, of where replicas are, if a rule gives them a range of tiers. */
    private void ranged(PlacementSettings settings, double heatBytes, ResultSheet sheet)
            throws IOException, InterruptedException {
        double without = activeBytes(settings, "place: prefer", 0);
        double with = activeBytes(settings, "tiers: disk", settings.heat().trackedBlocks());
        sheet.note("journal.range_heap_per_block", with - without, "bytes more for " + HOLDERS.size() + " replicas");
        sheet.below("journal.ranged_heap_per_block", heatBytes + with - without, MOST_BYTES_PER_BLOCK);
    }

    /** Heap of an active engine for each tracked block, by a rule for all of them that has so many looked at. */
    private double activeBytes(PlacementSettings settings, String words, int looked)
            throws IOException, InterruptedException {
        int tracked = settings.heat().trackedBlocks();
        RangedNamespace files = new RangedNamespace(HOLDERS, JournalBenchmark::block);
        long heapBefore = heapBytes();
        PlacementEngine engine = new PlacementEngine(settings, files, new MetricRegistry());
        engine.policy(nowMs, rule(words));
        engine.activate(1, OperatorState.initial());
        feed(engine, tracked, () -> false);
        for (int i = 0; i < LOOKS; i++) {
            nowMs += 250;
            for (String node : NODES) {
                engine.heartbeat(nowMs, heartbeat(node, List.of()));
            }
            engine.turn(nowMs);
        }
        double bytes = (double) (heapBytes() - heapBefore) / tracked;
        if (files.placedBlocks() < looked || engine.engineStatus().tracked() < tracked) {
            throw new IOException(files.placedBlocks() + " blocks were looked at, and "
                    + engine.engineStatus().tracked() + " are tracked, of " + tracked);
        }
        return bytes;
    }

    private static PolicyChoice rule(String words) throws IOException {
        try {
            PolicySpec spec = PolicyFile.read(
                    "benchmark",
                    "policy: idecider\nparameters: {threshold: 1000000000}\nrules:\n- path: "
                            + RangedNamespace.DIRECTORY + "/**\n  " + words + "\n");
            return new PolicyChoice(spec, PolicyChoice.Source.APPLIED, 1);
        } catch (PolicyFileException e) {
            throw new IOException(e);
        }
    }

    private static StampedBlock block(long id) {
        return new StampedBlock(id, 1_000_000L + id, 128 * MB);
    }

    private void restart(Path dir, PlacementSettings settings, ResultSheet sheet) throws InterruptedException {
        MetricRegistry metrics = new MetricRegistry();
        long beganNs = System.nanoTime();
        Journal journal = start(dir, settings, metrics);
        PlacementEngine engine = new PlacementEngine(settings, new NoFiles(), metrics);
        engine.keepIn(journal.engineSide());
        for (String node : NODES) {
            engine.heartbeat(nowMs, heartbeat(node, List.of()));
        }
        long before = -1;
        long wait = 0;
        while (before <= 0 || metrics.value(Metric.PLACEMENT_JOURNAL_HEAT_LOADED) > before || wait < 8) {
            wait = metrics.value(Metric.PLACEMENT_JOURNAL_HEAT_LOADED) > Math.max(0, before) ? 0 : wait + 1;
            before = metrics.value(Metric.PLACEMENT_JOURNAL_HEAT_LOADED);
            TimeUnit.MILLISECONDS.sleep(250);
            nowMs += 250;
            engine.turn(nowMs);
        }
        // Eight turns without anything new are not part of it.
        sheet.note("journal.load_s", (System.nanoTime() - beganNs) / 1e9 - 2, "s");
        sheet.note("journal.loaded", before, "blocks");
        int same = 0;
        for (HotBlock hot : engine.reports().top(nowMs, HOTTEST)) {
            same += hot.block().id() < HOTTEST ? 1 : 0;
        }
        sheet.atLeast("journal.same_hottest", (double) same / HOTTEST, 0.95);
        journal.close();
    }

    private static Journal start(Path dir, PlacementSettings settings, MetricRegistry metrics) {
        return Journal.start(
                dir.resolve("journal"),
                "BP-1",
                1 << 30,
                settings.heat().trackedBlocks(),
                settings.heat().halfLifeMs(),
                System::currentTimeMillis,
                metrics);
    }

    /** Reads of each block on both DataNodes, as fast as the journal takes them. */
    private void feed(PlacementEngine engine, int count, Waiting behind) throws InterruptedException {
        engine.turn(nowMs);
        for (int from = 0; from < count; from += HeartbeatLimits.ENTRIES) {
            for (int node = 0; node < NODES.length; node++) {
                List<Heat> heat = new ArrayList<>(HeartbeatLimits.ENTRIES);
                for (int id = from; id < Math.min(count, from + HeartbeatLimits.ENTRIES); id++) {
                    long reads = id < HOTTEST ? 10_000 : 1 + (id + node) % 7;
                    heat.add(new Heat(block(id), StorageTier.DISK, false, reads, reads * 65_536, 0, 0, 0, 0));
                }
                engine.heartbeat(nowMs, heartbeat(NODES[node], heat));
            }
            // At the rate of a busy cluster, so that heat of the beginning is not decayed to nothing.
            nowMs += 100;
            engine.turn(nowMs);
            waitWhile(behind);
        }
    }

    @FunctionalInterface
    private interface Waiting {
        boolean goesOn();
    }

    private static void waitWhile(Waiting waiting) throws InterruptedException {
        while (waiting.goesOn()) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }

    private Heartbeat heartbeat(String node, List<Heat> heat) {
        TierState memory = new TierState(StorageTier.MEMORY, 1L << 40, 0, 0, 0, 0);
        return new Heartbeat(
                node,
                node,
                9866,
                1,
                ++sequence,
                List.of(memory),
                heat,
                List.of(),
                false,
                List.of(),
                List.of(),
                0,
                true,
                Map.of(),
                true,
                "");
    }

    private static long heapBytes() throws InterruptedException {
        for (int i = 0; i < 3; i++) {
            System.gc();
            TimeUnit.MILLISECONDS.sleep(200);
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    /** Of this process, in memory. */
    private static long residentBytes() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("\\D+", "")) * 1024;
            }
        }
        throw new IOException("/proc/self/status has no VmRSS");
    }

    private static long bytesBelow(Path dir) throws IOException {
        long bytes = 0;
        try (Stream<Path> files = Files.walk(dir)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                bytes += Files.size(file);
            }
        }
        return bytes;
    }

    /** The maps of a NameNode that a standby does not ask. */
    private static final class NoFiles implements NamespaceView {
        @Override
        public int lockBlocks() {
            return 256;
        }

        @Override
        public List<Verdict> examine(List<Candidate> candidates) {
            return Collections.nCopies(candidates.size(), Verdict.UNKNOWN);
        }

        @Override
        public List<Located> blocksOf(Collection<Long> inodes, int limit) {
            return List.of();
        }
    }
}
