package io.terrace.bench.cli;

import io.terrace.bench.apps.SparkApplication;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code bin/terrace run spark}. */
@Command(
        name = "spark",
        mixinStandardHelpOptions = true,
        description = {
            "A Spark program reads and sorts lines that are pinned in memory, each time with a Spark of its own in one JVM,"
                    + " on stock HDFS over TCP and on Terrace (local, tcp) in turns.",
            "The jars are resolved by Maven when it is first run. Exit code 0 also when targets are missed."
        })
final class RunSparkCommand implements Callable<Integer> {
    /** Spark ignores a location called localhost. */
    private static final Map<String, String> NAMED_BY_ADDRESS = Map.of("dfs.datanode.hostname", "127.0.0.1");

    @Mixin
    BenchOptions options = new BenchOptions();

    @Option(names = "--megabytes", defaultValue = "512", description = "of lines (${DEFAULT-VALUE})")
    int megabytes;

    @Option(names = "--rounds", defaultValue = "3", description = "of all three (${DEFAULT-VALUE})")
    int rounds;

    @Override
    public Integer call() throws IOException {
        return options.run(scores -> RunCommand.onCluster(
                "run-spark", options, NAMED_BY_ADDRESS, (cluster, root, dir) -> new SparkApplication(
                                cluster, dir, options.quick ? 64 : megabytes, options.quick ? 1 : rounds, scores)
                        .run(root)));
    }
}
