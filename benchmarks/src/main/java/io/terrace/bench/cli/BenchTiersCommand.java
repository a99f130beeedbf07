package io.terrace.bench.cli;

import io.terrace.bench.cluster.ClusterSpec;
import io.terrace.bench.cluster.TemporaryCluster;
import io.terrace.bench.measure.ResultSheet;
import io.terrace.bench.tiers.TiersBenchmark;
import io.terrace.bench.tiers.WalkPlan;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code bin/terrace bench tiers}. */
@Command(
        name = "tiers",
        mixinStandardHelpOptions = true,
        description = {
            "Moves replicas between the volumes of two DataNodes by rules of the policy file, under readers that compare"
                    + " every byte: stock over TCP, stock short-circuit, and grants. All volumes are directories of one"
                    + " file system.",
            "Exit code 0 also when targets are missed: the figures are the result."
        })
final class BenchTiersCommand implements Callable<Integer> {
    private static final String NAME = "bench-tiers";
    private static final int DATANODES = 2;
    private static final long MEMORY_BYTES = 64L << 20;

    @Mixin
    BenchOptions options = new BenchOptions();

    @Override
    public Integer call() throws IOException {
        return options.run(this::run);
    }

    private void run(ResultSheet scores) throws IOException {
        WalkPlan plan = options.quick ? WalkPlan.quick() : WalkPlan.full();
        ClusterSpec spec = ClusterSpec.of(DATANODES, MEMORY_BYTES)
                .withReplication(1)
                .withNativeDir(System.getProperty("java.library.path", ""))
                .withProperties(settings());
        try (TemporaryCluster cluster = TemporaryCluster.up(options.clusters(NAME), spec);
                TiersBenchmark benchmark = new TiersBenchmark(cluster.cluster(), plan, options.seed, scores)) {
            benchmark.walk();
        }
    }

    private Map<String, String> settings() {
        Map<String, String> all = new LinkedHashMap<>(BenchOptions.ONLY_PINNED);
        all.putAll(TiersBenchmark.settings());
        return options.over(all);
    }
}
