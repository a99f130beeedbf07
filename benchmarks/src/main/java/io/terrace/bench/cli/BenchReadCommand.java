package io.terrace.bench.cli;

import io.terrace.bench.cluster.ClusterException;
import io.terrace.bench.cluster.ClusterSpec;
import io.terrace.bench.read.Effort;
import io.terrace.bench.read.Part;
import io.terrace.bench.read.PromotionBenchmark;
import io.terrace.bench.read.ReadBenchmark;
import io.terrace.bench.read.Scoreboard;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.apache.hadoop.net.unix.DomainSocket;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

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

    @Option(names = "--json", paramLabel = "FILE", description = "write the figures there, one flat object")
    @Nullable
    Path json;

    @Option(names = "--dir", paramLabel = "D", description = "directory of the clusters (benchmarks/target/bench-read)")
    @Nullable
    Path dir;

    @Option(names = "--quick", description = "few short rounds, to see that everything works")
    boolean quick;

    @Option(
            names = "--part",
            paramLabel = "PART",
            description = "only this part, may be repeated: ${COMPLETION-CANDIDATES}")
    List<Part> parts = List.of();

    @Option(names = "--seed", defaultValue = "1", description = "of the data (${DEFAULT-VALUE})")
    long seed;

    @Option(names = "-D", paramLabel = "KEY=VALUE", description = "one more property for every daemon and client")
    Map<String, String> properties = new LinkedHashMap<>();

    @Spec
    CommandSpec command;

    @Override
    public Integer call() throws IOException {
        String nativeDir = System.getProperty("java.library.path", "");
        if (DomainSocket.getLoadingFailureReason() != null) {
            throw new ClusterException("no libhadoop for stock short-circuit reads in " + nativeDir + ": "
                    + DomainSocket.getLoadingFailureReason());
        }
        PrintWriter out = command.commandLine().getOut();
        Scoreboard scores = new Scoreboard(out);
        Effort effort = quick ? Effort.quick() : Effort.full();
        Path at = dir == null ? TargetDirectory.path().resolve("bench-read") : dir;
        // What is cold must stay cold however often it is read, and what is hot is pinned.
        ClusterSpec still = ClusterSpec.of(1, MEMORY_BYTES)
                .withBlockBytes(BLOCK_BYTES)
                .withNativeDir(nativeDir)
                .withProperties(with(properties, "terrace.placement.idecider.threshold", "1000000000"));
        Set<Part> wanted = parts.isEmpty() ? EnumSet.allOf(Part.class) : EnumSet.copyOf(parts);
        if (!wanted.equals(EnumSet.of(Part.PROMOTE))) {
            try (TemporaryCluster cluster = TemporaryCluster.up(at.resolve("still"), still);
                    ReadBenchmark benchmark = new ReadBenchmark(cluster.cluster(), effort, seed, scores)) {
                benchmark.run(wanted);
            }
        }
        ClusterSpec moving = ClusterSpec.of(1, MEMORY_BYTES)
                .withBlockBytes(BLOCK_BYTES)
                .withProperties(with(properties, "terrace.placement.move.bandwidth", "0"));
        if (wanted.contains(Part.PROMOTE)) {
            try (TemporaryCluster cluster = TemporaryCluster.up(at.resolve("moving"), moving);
                    PromotionBenchmark benchmark = new PromotionBenchmark(cluster.cluster(), seed, scores)) {
                benchmark.run(effort.promotions(), effort.promotions(), effort.fileBytes());
            }
        }
        out.printf("%n%d figures, %d missed their target%n", scores.figures().size(), scores.missed());
        out.flush();
        if (json != null) {
            FiguresFile.write(json, scores.figures());
        }
        return 0;
    }

    private static Map<String, String> with(Map<String, String> user, String key, String value) {
        Map<String, String> all = new LinkedHashMap<>(Map.of(key, value));
        all.putAll(user);
        return all;
    }
}
