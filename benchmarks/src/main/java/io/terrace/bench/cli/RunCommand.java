package io.terrace.bench.cli;

import io.terrace.bench.cluster.ClusterSpec;
import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.cluster.TemporaryCluster;
import io.terrace.bench.read.RemoteBenchmark;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Command;

/** {@code bin/terrace run}. */
@Command(
        name = "run",
        mixinStandardHelpOptions = true,
        description = "Run unchanged applications on stock HDFS and with Terrace, and compare.",
        subcommands = {RunHBaseCommand.class, RunMapReduceCommand.class, RunSparkCommand.class})
final class RunCommand {
    private static final long MEMORY_BYTES = 3L << 30;

    /** An application and what is measured of it. */
    interface Workload {
        /**
         * @param root of the checkout
         * @param dir for the application's files
         */
        void run(LocalCluster cluster, Path root, Path dir) throws IOException;
    }

    private RunCommand() {}

    /** Runs a workload on a cluster of one DataNode with the tcp channel, where only pinned files are in memory. */
    static void onCluster(String name, BenchOptions options, Workload workload) throws IOException {
        onCluster(name, options, Map.of(), workload);
    }

    /** The same, with properties that the workload needs in every daemon and client. */
    static void onCluster(String name, BenchOptions options, Map<String, String> properties, Workload workload)
            throws IOException {
        Map<String, String> settings = new LinkedHashMap<>(RemoteBenchmark.settings());
        settings.putAll(BenchOptions.ONLY_PINNED);
        settings.putAll(properties);
        ClusterSpec spec = ClusterSpec.of(1, MEMORY_BYTES)
                .withNativeDir(System.getProperty("java.library.path", ""))
                .withProperties(options.over(settings));
        Path at = options.clusters(name);
        try (TemporaryCluster cluster = TemporaryCluster.up(at.resolve("cluster"), spec)) {
            workload.run(cluster.cluster(), TargetDirectory.root(), at.resolve("application"));
        }
    }
}
