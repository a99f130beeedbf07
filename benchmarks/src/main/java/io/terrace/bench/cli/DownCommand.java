package io.terrace.bench.cli;

import io.terrace.bench.cluster.ClassPath;
import io.terrace.bench.cluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bin/terrace down}. */
@Command(
        name = "down",
        mixinStandardHelpOptions = true,
        description = "Stop a cluster that 'up' started; its data stays unless --purge is given.")
final class DownCommand implements Callable<Integer> {
    @Option(names = "--dir", paramLabel = "D", required = true, description = "directory of the cluster")
    Path dir;

    @Option(names = "--purge", description = "remove the directory and the data too")
    boolean purge;

    @Override
    public Integer call() throws IOException {
        Optional<LocalCluster> cluster = LocalCluster.in(dir, ClassPath.ofThisProcess());
        if (cluster.isPresent()) {
            if (purge) {
                cluster.get().destroy();
            } else {
                cluster.get().down();
            }
        }
        return 0;
    }
}
