package io.terrace.bench.cli;

import io.terrace.bench.cluster.ClusterSpec;
import io.terrace.bench.cluster.TemporaryCluster;
import io.terrace.bench.measure.ResultSheet;
import io.terrace.bench.write.ReplicatedWriteBenchmark;
import io.terrace.bench.write.ShapedBenchmark;
import io.terrace.bench.write.ShapedPlan;
import io.terrace.bench.write.SmallWriteBenchmark;
import io.terrace.bench.write.ThroughBenchmark;
import io.terrace.bench.write.WriteBenchmark;
import io.terrace.bench.write.WritePart;
import io.terrace.bench.write.WritePlan;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** {@code bin/terrace bench write}. */
@Command(
        name = "write",
        mixinStandardHelpOptions = true,
        description = {
            "Writes files: the FileSystem class over the channel against stock HDFS, in interleaved rounds on one"
                    + " cluster, all on loopback, its volumes on tmpfs. Parts R3, NIO, WRITERS, SMALL and FLUSH have three"
                    + " replicas on a cluster of three DataNodes, the others one. Ratios over 1 are better than stock.",
            "Part SHAPED, run only when named, has nine DataNodes in network namespaces with slow links, and needs"
                    + " root.",
            "Exit code 0 also when targets are missed: the figures are the result."
        })
final class BenchWriteCommand implements Callable<Integer> {
    private static final String NAME = "bench-write";
    private static final long MEMORY_BYTES = 64L << 20;
    private static final Path TMPFS = Path.of("/dev/shm");

    @Mixin
    BenchOptions options = new BenchOptions();

    @Option(
            names = "--part",
            paramLabel = "PART",
            description = "only this part, may be repeated: ${COMPLETION-CANDIDATES}")
    List<WritePart> parts = List.of();

    @Option(
            names = "--small-files",
            paramLabel = "N",
            description = "files of a round of part SMALL (24); seven rounds of 286 are 2,000, for which stock HDFS may"
                    + " need an hour")
    @Nullable
    Integer smallFiles;

    @Option(
            names = "--shaped-bytes",
            paramLabel = "SIZE",
            converter = ByteSize.class,
            description = "length of the files of part SHAPED, whose blocks shrink with it (1g)")
    @Nullable
    Long shapedBytes;

    @Option(
            names = "--shaped-case",
            paramLabel = "ID",
            description = "only this figure of part SHAPED, such as write.racks.50; may be repeated")
    List<String> shapedCases = List.of();

    @Option(names = "--shaped-rounds", paramLabel = "N", description = "rounds of part SHAPED (3)")
    @Nullable
    Integer shapedRounds;

    @Option(
            names = "--shaped-retained",
            paramLabel = "SIZE",
            converter = ByteSize.class,
            description = "what the client of part SHAPED may retain (64m); figures say so where it is another size")
    @Nullable
    Long shapedRetained;

    @Override
    public Integer call() throws IOException {
        if (!parts.contains(WritePart.SHAPED)) {
            return options.run(this::run);
        }
        if (parts.size() > 1) {
            throw new ParameterException(options.command.commandLine(), "part SHAPED is run alone");
        }
        if (!ShapedBenchmark.isInside()) {
            return ShapedBenchmark.enter(
                    options.command.root().commandLine().getParseResult().originalArgs(), shapedPlan());
        }
        return options.run(scores -> ShapedBenchmark.run(
                directory().resolveSibling(directory().getFileName() + "-shaped"),
                shapedPlan(),
                options.seed,
                options.properties,
                scores));
    }

    private ShapedPlan shapedPlan() {
        ShapedPlan plan = options.quick ? ShapedPlan.quick() : ShapedPlan.full();
        if (shapedBytes != null) {
            plan = plan.withFileBytes(shapedBytes);
        }
        if (shapedRounds != null) {
            plan = plan.withRounds(shapedRounds);
        }
        if (shapedRetained != null) {
            plan = plan.withRetainedBytes(shapedRetained);
        }
        try {
            return plan.withCases(shapedCases);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(options.command.commandLine(), e.getMessage(), e);
        }
    }

    private void run(ResultSheet scores) throws IOException {
        WritePlan usual = options.quick ? WritePlan.quick() : WritePlan.full();
        WritePlan plan = smallFiles == null ? usual : usual.withSmallFiles(smallFiles);
        Set<WritePart> single =
                parts.isEmpty() ? EnumSet.complementOf(EnumSet.of(WritePart.SHAPED)) : EnumSet.copyOf(parts);
        boolean three = single.remove(WritePart.R3);
        Set<WritePart> replicated = EnumSet.of(WritePart.NIO, WritePart.WRITERS);
        replicated.retainAll(single);
        single.removeAll(replicated);
        Set<WritePart> small = EnumSet.of(WritePart.SMALL, WritePart.FLUSH);
        small.retainAll(single);
        single.removeAll(small);
        boolean through = single.remove(WritePart.THROUGH);
        if (!single.isEmpty()) {
            run(1, single, plan, scores);
        }
        if (three) {
            run(3, EnumSet.of(WritePart.R3), plan, scores);
        }
        if (!replicated.isEmpty()) {
            runReplicated(replicated, plan, scores);
        }
        if (!small.isEmpty()) {
            runSmall(small, plan, scores);
        }
        if (through) {
            runThrough(plan, scores);
        }
    }

    private void runReplicated(Set<WritePart> wanted, WritePlan plan, ResultSheet scores) throws IOException {
        ClusterSpec spec = spec(3, MEMORY_BYTES, plan, WriteBenchmark.settings());
        try (TemporaryCluster cluster = TemporaryCluster.up(directory(), spec);
                ReplicatedWriteBenchmark benchmark =
                        new ReplicatedWriteBenchmark(cluster.cluster(), plan, options.seed, scores)) {
            benchmark.run(wanted);
        }
    }

    private void runSmall(Set<WritePart> wanted, WritePlan plan, ResultSheet scores) throws IOException {
        ClusterSpec spec = spec(3, MEMORY_BYTES, plan, SmallWriteBenchmark.settings());
        try (TemporaryCluster cluster = TemporaryCluster.up(directory(), spec);
                SmallWriteBenchmark benchmark =
                        new SmallWriteBenchmark(cluster.cluster(), plan, options.seed, scores)) {
            benchmark.run(wanted);
        }
    }

    private void runThrough(WritePlan plan, ResultSheet scores) throws IOException {
        ClusterSpec spec = spec(1, ThroughBenchmark.memoryBytes(plan), plan, ThroughBenchmark.settings());
        try (TemporaryCluster cluster = TemporaryCluster.up(directory(), spec);
                ThroughBenchmark benchmark = new ThroughBenchmark(cluster.cluster(), plan, options.seed, scores)) {
            benchmark.run();
        }
    }

    private void run(int datanodes, Set<WritePart> wanted, WritePlan plan, ResultSheet scores) throws IOException {
        ClusterSpec spec = spec(datanodes, MEMORY_BYTES, plan, WriteBenchmark.settings());
        try (TemporaryCluster cluster = TemporaryCluster.up(directory(), spec);
                WriteBenchmark benchmark = new WriteBenchmark(cluster.cluster(), plan, options.seed, scores)) {
            benchmark.run(wanted);
        }
    }

    /** Nothing is copied into memory by a policy while files are written. */
    private ClusterSpec spec(int datanodes, long memoryBytes, WritePlan plan, Map<String, String> more) {
        Map<String, String> all = new LinkedHashMap<>(BenchOptions.ONLY_PINNED);
        all.putAll(more);
        // libhadoop makes stock's checksums as fast as they get, in the DataNode as in this process.
        return ClusterSpec.of(datanodes, memoryBytes)
                .withBlockBytes(plan.blockBytes())
                .withNativeDir(System.getProperty("java.library.path", ""))
                .withProperties(options.over(all));
    }

    /** On tmpfs, unless the user says otherwise, so that no disk's speed is compared. */
    private Path directory() {
        return options.dir == null && Files.isWritable(TMPFS)
                ? TMPFS.resolve("terrace-" + NAME)
                : options.clusters(NAME);
    }
}
