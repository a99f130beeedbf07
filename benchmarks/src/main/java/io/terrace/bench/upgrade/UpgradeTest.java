package io.terrace.bench.upgrade;

import io.terrace.bench.measure.TestRun;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.apache.log4j.FileAppender;
import org.apache.log4j.LogManager;
import org.apache.log4j.Logger;
import org.apache.log4j.PatternLayout;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code bin/terrace test upgrade}. */
@Command(
        name = "upgrade",
        mixinStandardHelpOptions = true,
        description = {
            "Puts Terrace on a stock cluster with two NameNodes, host by host, makes rolling upgrades of HDFS with it, finalized"
                    + " and rolled back, and takes it out for good.",
            "Clients read, write and compare every byte meanwhile; at the end stock daemons must find nothing of Terrace."
        })
public final class UpgradeTest implements Callable<Integer> {
    @Option(names = "--seed", paramLabel = "S", defaultValue = "1", description = "of the files (${DEFAULT-VALUE})")
    private long seed;

    @Mixin
    private TestRun testRun = new TestRun();

    @Override
    public Integer call() throws IOException, InterruptedException {
        return testRun.run("upgrade", (dir, sheet) -> {
            logTo(dir.resolve("clients.log"));
            new UpgradeRun(dir, seed, sheet).run();
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
