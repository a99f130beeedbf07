package io.terrace.bench.cli;

import io.terrace.bench.apps.MapReduceApplication;
import java.io.IOException;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code bin/terrace run mapreduce}. */
@Command(
        name = "mapreduce",
        mixinStandardHelpOptions = true,
        description = {
            "MapReduce over YARN, ResourceManager and NodeManager as processes of their own with the default memory checks."
                    + " TestDFSIO and TeraGen write; TestDFSIO and TeraSort read input that is pinned in memory, and"
                    + " TeraValidate checks the result. Jobs are on stock HDFS over TCP and on Terrace (local, tcp) in"
                    + " turns.",
            "The jars are resolved by Maven when it is first run. Exit code 0 also when targets are missed."
        })
final class RunMapReduceCommand implements Callable<Integer> {
    @Mixin
    BenchOptions options = new BenchOptions();

    @Option(names = "--megabytes", defaultValue = "512", description = "written, sorted and read (${DEFAULT-VALUE})")
    int megabytes;

    @Option(names = "--rounds", defaultValue = "3", description = "of all three (${DEFAULT-VALUE})")
    int rounds;

    @Option(
            names = "--part",
            paramLabel = "PART",
            description = "only this part, may be repeated: ${COMPLETION-CANDIDATES}")
    Set<MapReduceApplication.Part> parts = EnumSet.allOf(MapReduceApplication.Part.class);

    @Override
    public Integer call() throws IOException {
        return options.run(scores ->
                RunCommand.onCluster("run-mapreduce", options, (cluster, root, dir) -> new MapReduceApplication(
                                cluster, dir, options.quick ? 64 : megabytes, options.quick ? 1 : rounds, scores)
                        .run(root, parts)));
    }
}
