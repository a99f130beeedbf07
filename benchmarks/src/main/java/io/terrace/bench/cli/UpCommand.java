package io.terrace.bench.cli;

import io.terrace.bench.cluster.ClassPath;
import io.terrace.bench.cluster.ClusterSpec;
import io.terrace.bench.cluster.LocalCluster;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code bin/terrace up}. */
@Command(
        name = "up",
        mixinStandardHelpOptions = true,
        description = {
            "Start a NameNode and DataNodes, each its own JVM on loopback, and wait until they serve.",
            "A directory that holds a cluster already is started again with its data; --dir alone is enough then."
        })
final class UpCommand implements Callable<Integer> {
    @Option(names = "--dir", paramLabel = "D", required = true, description = "directory of the cluster")
    Path dir;

    @Mixin
    ClusterOptions options;

    @Spec
    CommandSpec command;

    @Override
    public Integer call() throws IOException {
        long startNs = System.nanoTime();
        ClassPath classPath = ClassPath.ofThisProcess();
        Optional<LocalCluster> known = onlyDirGiven() ? LocalCluster.in(dir, classPath) : Optional.empty();
        ClusterSpec spec = known.isPresent() ? known.get().spec() : options.spec();
        LocalCluster cluster = LocalCluster.up(dir, spec, classPath, new SplittableRandom());
        double seconds = (System.nanoTime() - startNs) / 1e9;
        Path at = cluster.layout().dir();
        PrintWriter out = command.commandLine().getOut();
        out.printf(
                Locale.ROOT,
                "%s is up after %.1f s: %d DataNodes, %s%n",
                cluster.fileSystemUri(),
                seconds,
                spec.datanodes(),
                spec.terrace() ? ByteSize.text(spec.memoryBytes()) + " of memory tier each" : "without Terrace");
        out.printf("  web      http://localhost:%d/%n", cluster.ports().namenodeHttp());
        out.printf(
                "  client   java -cp %s:$(cat %s) org.apache.hadoop.fs.FsShell -ls /%n",
                cluster.layout().conf(), cluster.layout().classpathFile());
        out.printf("  stock    the same with %s%n", cluster.layout().confStock());
        out.printf("  stop     bin/terrace down --dir %s%n", at);
        out.flush();
        return 0;
    }

    /** Without options, an existing cluster is started with those it was created with. */
    private boolean onlyDirGiven() {
        return command.commandLine().getParseResult().matchedOptions().size() == 1;
    }
}
