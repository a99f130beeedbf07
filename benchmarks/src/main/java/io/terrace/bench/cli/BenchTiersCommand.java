package io.terrace.bench.cli;

import io.terrace.bench.cluster.ClusterSpec;
import io.terrace.bench.cluster.TemporaryCluster;
import io.terrace.bench.measure.ResultSheet;
import io.terrace.bench.tiers.AutoBenchmark;
import io.terrace.bench.tiers.AutoPlan;
import io.terrace.bench.tiers.DuringBenchmark;
import io.terrace.bench.tiers.MoveBenchmark;
import io.terrace.bench.tiers.NvmBenchmark;
import io.terrace.bench.tiers.SatisfyBenchmark;
import io.terrace.bench.tiers.SpillBenchmark;
import io.terrace.bench.tiers.TiersBenchmark;
import io.terrace.bench.tiers.TiersPart;
import io.terrace.bench.tiers.WalkPlan;
import io.terrace.bench.tiers.YieldBenchmark;
import io.terrace.bench.tiers.namenode.NameNodeBenchmark;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code bin/terrace bench tiers}. */
@Command(
        name = "tiers",
        mixinStandardHelpOptions = true,
        description = {
            "Moves replicas between the volumes of two DataNodes by rules of the policy file, under readers that compare"
                    + " every byte: stock over TCP, stock short-circuit, and grants (WALK). Compares skewed reads of files"
                    + " on disk with stock and with a range of tiers (AUTO). Changes storage policies, with a rule that"
                    + " satisfies them, and kills the NameNode half-way (SATISFY). Compares positional reads of NVM through"
                    + " grants with those of memory and with stock's short-circuit reads (NVM). Compares moves with cp and sync,"
                    + " and their speed with a rate that is set (MOVE). Writes more to SSDs than they hold, with stock and with"
                    + " a range of tiers (SPILL). Lets stock's Mover take home what climbed (YIELD). Compares the times of"
                    + " reads with and without moves on the same DataNode (DURING). Runs NNThroughputBenchmark"
                    + " against a NameNode with the plugin and a stock one in turns (NAMENODE), also while 50 DataNodes send"
                    + " heartbeats and move replicas (NAMENODE_BUSY).",
            "All volumes are directories of one file system; for AUTO the DataNodes delay reads by storage type.",
            "Exit code 0 also when targets are missed: the figures are the result."
        })
final class BenchTiersCommand implements Callable<Integer> {
    private static final String NAME = "bench-tiers";
    private static final int DATANODES = 2;
    private static final long MEMORY_BYTES = 64L << 20;

    @Mixin
    BenchOptions options = new BenchOptions();

    @Option(
            names = "--part",
            paramLabel = "PART",
            description = "only this part, may be repeated: ${COMPLETION-CANDIDATES}")
    List<TiersPart> parts = List.of();

    @Option(
            names = "--starts",
            paramLabel = "N",
            description =
                    "how often NAMENODE and NAMENODE_BUSY start both NameNodes, for five pairs each (4). Pairs of several"
                            + " runs may be put together: they are printed")
    int starts;

    @Override
    public Integer call() throws IOException {
        return options.run(this::run);
    }

    private void run(ResultSheet scores) throws IOException {
        Set<TiersPart> wanted = parts.isEmpty() ? EnumSet.allOf(TiersPart.class) : EnumSet.copyOf(parts);
        if (wanted.contains(TiersPart.WALK)) {
            walk(scores);
        }
        if (wanted.contains(TiersPart.AUTO)) {
            AutoPlan plan = options.quick ? AutoPlan.quick() : AutoPlan.full();
            Path at = options.clusters(NAME).resolve("auto");
            new AutoBenchmark(plan, at, options.seed, options.properties, scores).run();
        }
        if (wanted.contains(TiersPart.SATISFY)) {
            Path at = options.clusters(NAME).resolve("satisfy");
            new SatisfyBenchmark(options.quick ? 20 : 200, at, options.seed, options.properties, scores).run();
        }
        if (wanted.contains(TiersPart.MOVE)) {
            move(scores);
        }
        if (wanted.contains(TiersPart.NVM)) {
            Path at = options.clusters(NAME).resolve("nvm");
            new NvmBenchmark(
                            options.measurementPlan(), at, options.seed, options.over(BenchOptions.ONLY_PINNED), scores)
                    .run();
        }
        if (wanted.contains(TiersPart.SPILL)) {
            Path at = options.clusters(NAME).resolve("spill");
            new SpillBenchmark(options.quick ? 32 : 128, 8, at, options.seed, options.properties, scores).run();
        }
        if (wanted.contains(TiersPart.YIELD)) {
            Path at = options.clusters(NAME).resolve("yield");
            new YieldBenchmark(
                            options.quick ? 20 : 100,
                            options.quick ? 10 : 60,
                            at,
                            options.seed,
                            options.properties,
                            scores)
                    .run();
        }
        if (wanted.contains(TiersPart.DURING)) {
            DuringBenchmark.Plan plan = options.quick ? DuringBenchmark.Plan.quick() : DuringBenchmark.Plan.full();
            Path at = options.clusters(NAME).resolve("during");
            new DuringBenchmark(plan, at, options.seed, options.over(BenchOptions.ONLY_PINNED), scores).run();
        }
        if (wanted.contains(TiersPart.NAMENODE)) {
            nameNode("namenode", scores).idle();
        }
        if (wanted.contains(TiersPart.NAMENODE_BUSY)) {
            nameNode("namenode-busy", scores).busy();
        }
    }

    private NameNodeBenchmark nameNode(String name, ResultSheet scores) {
        NameNodeBenchmark.Plan plan = options.quick ? NameNodeBenchmark.Plan.quick() : NameNodeBenchmark.Plan.full();
        return new NameNodeBenchmark(
                starts > 0 ? plan.withStarts(starts) : plan,
                options.clusters(NAME).resolve(name),
                TargetDirectory.path().resolve("hadoop-test-jars"),
                options.over(BenchOptions.ONLY_PINNED),
                scores);
    }

    private void move(ResultSheet scores) throws IOException {
        MoveBenchmark.Plan plan = options.quick ? MoveBenchmark.Plan.quick() : MoveBenchmark.Plan.full();
        Path at = options.clusters(NAME).resolve("move");
        new MoveBenchmark(plan, at, options.seed, options.over(BenchOptions.ONLY_PINNED), scores).run();
    }

    private void walk(ResultSheet scores) throws IOException {
        WalkPlan plan = options.quick ? WalkPlan.quick() : WalkPlan.full();
        ClusterSpec spec = ClusterSpec.of(DATANODES, MEMORY_BYTES)
                .withReplication(1)
                .withNativeDir(System.getProperty("java.library.path", ""))
                .withProperties(settings());
        try (TemporaryCluster cluster =
                        TemporaryCluster.up(options.clusters(NAME).resolve("walk"), spec);
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
