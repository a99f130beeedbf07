package io.terrace.bench.upgrade;

import io.terrace.bench.cluster.ClassPath;
import io.terrace.bench.measure.TestRun;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.apache.log4j.FileAppender;
import org.apache.log4j.LogManager;
import org.apache.log4j.Logger;
import org.apache.log4j.PatternLayout;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code bin/terrace test upgrade}. */
@Command(
        name = "upgrade",
        mixinStandardHelpOptions = true,
        description = {
            "Puts Terrace on a stock cluster with two NameNodes, host by host, upgrades HDFS with it, rolling and all daemons at"
                    + " once, finalized and rolled back, and takes it out for good.",
            "Clients read, write and compare every byte meanwhile; at the end stock daemons must find nothing of Terrace."
        })
public final class UpgradeTest implements Callable<Integer> {
    @Option(names = "--seed", paramLabel = "S", defaultValue = "1", description = "of the files (${DEFAULT-VALUE})")
    private long seed;

    @Option(
            names = "--earlier",
            paramLabel = "TREE",
            description = "source tree of an earlier version, which was built: it comes first, and this one follows")
    private @Nullable Path earlier;

    @Mixin
    private TestRun testRun = new TestRun();

    @Override
    public Integer call() throws IOException, InterruptedException {
        ClassPath jars = earlier == null ? null : ClassPath.ofTree(earlier);
        return testRun.run("upgrade", (dir, sheet) -> {
            logTo(dir.resolve("clients.log"));
            new UpgradeRun(dir, seed, jars, sheet).run();
        });
    }

    /** Clients of this process warn of each connection that a restart cuts. */
    private static void logTo(Path file) throws IOException {
        Logger root = LogManager.getRootLogger();
        root.removeAllAppenders();
        root.addAppender(
                new FileAppender(new PatternLayout("%d{HH:mm:ss,SSS} %-5p [%t] %c{1}: %m%n"), file.toString()));
    }
}
