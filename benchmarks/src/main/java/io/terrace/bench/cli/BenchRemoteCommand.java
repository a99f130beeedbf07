package io.terrace.bench.cli;

import io.terrace.bench.cluster.ClusterSpec;
import io.terrace.bench.cluster.TemporaryCluster;
import io.terrace.bench.measure.ResultSheet;
import io.terrace.bench.read.RemoteBenchmark;
import io.terrace.bench.read.RemotePart;
import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code bin/terrace bench remote}. */
@Command(
        name = "remote",
        mixinStandardHelpOptions = true,
        description = {
            "Reads from the memory of another host: the FileSystem class over the tcp channel against stock HDFS over TCP,"
                    + " in interleaved rounds on one cluster, all on loopback. Ratios over 1 are better than stock.",
            "Exit code 0 also when targets are missed: the figures are the result."
        })
final class BenchRemoteCommand implements Callable<Integer> {
    private static final long BLOCK_BYTES = 128L << 20;
    private static final long MEMORY_BYTES = 512L << 20;

    @Mixin
    BenchOptions options = new BenchOptions();

    @Option(
            names = "--part",
            paramLabel = "PART",
            description = "only this part, may be repeated: ${COMPLETION-CANDIDATES}")
    List<RemotePart> parts = List.of();

    @Override
    public Integer call() throws IOException {
        return options.run(this::run);
    }

    private void run(ResultSheet scores) throws IOException {
        // With libhadoop stock computes checksums fastest, in the DataNode and in this process.
        ClusterSpec spec = ClusterSpec.of(1, MEMORY_BYTES)
                .withBlockBytes(BLOCK_BYTES)
                .withNativeDir(System.getProperty("java.library.path", ""))
                .withProperties(options.over(RemoteBenchmark.settings()));
        try (TemporaryCluster cluster = TemporaryCluster.up(options.clusters("bench-remote"), spec);
                RemoteBenchmark benchmark =
                        new RemoteBenchmark(cluster.cluster(), options.measurementPlan(), options.seed, scores)) {
            benchmark.run(parts.isEmpty() ? EnumSet.allOf(RemotePart.class) : EnumSet.copyOf(parts));
        }
    }
}
