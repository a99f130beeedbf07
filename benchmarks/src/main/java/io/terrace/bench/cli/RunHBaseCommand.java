package io.terrace.bench.cli;

import io.terrace.bench.apps.HBaseApplication;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code bin/terrace run hbase}. */
@Command(
        name = "hbase",
        mixinStandardHelpOptions = true,
        description = {
            "HBase 2.6 with ZooKeeper, master and region server as processes of their own: PerformanceEvaluation loads a"
                    + " table, which is pinned in memory, then reads it at random and scans it, block cache off, with the"
                    + " region server on stock HDFS (TCP, tuned short-circuit) and on Terrace (local, with the"
                    + " table mapped, and tcp) in turns.",
            "The jars are resolved by Maven when it is first run. Exit code 0 also when targets are missed."
        })
final class RunHBaseCommand implements Callable<Integer> {
    private static final int QUICK_ROWS = 20_000;

    @Mixin
    BenchOptions options = new BenchOptions();

    @Option(names = "--rows", defaultValue = "200000", description = "of the table, 1 KB each (${DEFAULT-VALUE})")
    int rows;

    @Option(names = "--rounds", defaultValue = "3", description = "of all four (${DEFAULT-VALUE})")
    int rounds;

    @Override
    public Integer call() throws IOException {
        return options.run(
                scores -> RunCommand.onCluster("run-hbase", options, (cluster, root, dir) -> new HBaseApplication(
                                cluster, dir, options.quick ? QUICK_ROWS : rows, options.quick ? 1 : rounds, scores)
                        .run(root)));
    }
}
