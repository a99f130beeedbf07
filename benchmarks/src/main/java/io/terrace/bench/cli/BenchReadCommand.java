package io.terrace.bench.cli;

import io.terrace.bench.cluster.ClusterException;
import io.terrace.bench.cluster.ClusterSpec;
import io.terrace.bench.cluster.TemporaryCluster;
import io.terrace.bench.measure.MeasurementPlan;
import io.terrace.bench.measure.ResultSheet;
import io.terrace.bench.read.PromotionBenchmark;
import io.terrace.bench.read.ReadBenchmark;
import io.terrace.bench.read.ReadPart;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.apache.hadoop.net.unix.DomainSocket;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code bin/terrace bench read}. */
@Command(
        name = "read",
        mixinStandardHelpOptions = true,
        description = {
            "Reads of stock HDFS (TCP; short-circuit with libhadoop, default and tuned buffer) and of Terrace, hot and"
                    + " cold, in interleaved rounds on one cluster. Ratios over 1 are better than stock.",
            "Exit code 0 also when targets are missed: the figures are the result."
        })
final class BenchReadCommand implements Callable<Integer> {
    private static final long BLOCK_BYTES = 128L << 20;
    private static final long MEMORY_BYTES = 2L << 30;

    @Mixin
    BenchOptions options = new BenchOptions();

    @Option(
            names = "--part",
            paramLabel = "PART",
            description = "only this part, may be repeated: ${COMPLETION-CANDIDATES}")
    List<ReadPart> parts = List.of();

    @Override
    public Integer call() throws IOException {
        String nativeDir = System.getProperty("java.library.path", "");
        if (DomainSocket.getLoadingFailureReason() != null) {
            throw new ClusterException("no libhadoop for stock short-circuit reads in " + nativeDir + ": "
                    + DomainSocket.getLoadingFailureReason());
        }
        return options.run(scores -> run(nativeDir, scores));
    }

    private void run(String nativeDir, ResultSheet scores) throws IOException {
        MeasurementPlan plan = options.measurementPlan();
        Path at = options.clusters("bench-read");
        // Cold files must stay on disk however often they are read; hot files are pinned.
        ClusterSpec still = ClusterSpec.of(1, MEMORY_BYTES)
                .withBlockBytes(BLOCK_BYTES)
                .withNativeDir(nativeDir)
                .withProperties(options.over(BenchOptions.ONLY_PINNED));
        Set<ReadPart> wanted = parts.isEmpty() ? EnumSet.allOf(ReadPart.class) : EnumSet.copyOf(parts);
        if (!wanted.equals(EnumSet.of(ReadPart.PROMOTE))) {
            try (TemporaryCluster cluster = TemporaryCluster.up(at.resolve("still"), still);
                    ReadBenchmark benchmark = new ReadBenchmark(cluster.cluster(), plan, options.seed, scores)) {
                benchmark.run(wanted);
                if (wanted.contains(ReadPart.COLD)) {
                    try (TemporaryCluster stock = TemporaryCluster.up(at.resolve("stock"), still.withTerrace(false))) {
                        benchmark.coldAgainst(stock.cluster());
                    }
                }
            }
        }
        ClusterSpec moving = ClusterSpec.of(1, MEMORY_BYTES)
                .withBlockBytes(BLOCK_BYTES)
                .withProperties(options.over(
                        Map.of("terrace.placement.policy", "idecider", "terrace.placement.move.bandwidth", "0")));
        if (wanted.contains(ReadPart.PROMOTE)) {
            try (TemporaryCluster cluster = TemporaryCluster.up(at.resolve("moving"), moving);
                    PromotionBenchmark benchmark = new PromotionBenchmark(cluster.cluster(), options.seed, scores)) {
                benchmark.run(plan.promotions(), plan.promotions(), plan.fileBytes());
            }
        }
    }
}
