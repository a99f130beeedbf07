package io.terrace.bench.soak;

import io.terrace.bench.measure.TestRun;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code bin/terrace test soak}. */
@Command(
        name = "soak",
        mixinStandardHelpOptions = true,
        description = {
            "Two clients write, append, truncate, rename, snapshot, delete and read on three DataNodes, under faults drawn from"
                    + " a seed: processes are killed and stopped, links cut, stalled and slowed, volumes and memory filled,"
                    + " bits flipped, the service switched off, policies changed.",
            "Once a minute or more often all is mended, and every byte that was acknowledged is read, with Terrace and without.",
            "As root, volumes and memory are tmpfs of their own; otherwise none becomes full."
        })
public final class SoakTest implements Callable<Integer> {
    @Option(
            names = "--minutes",
            paramLabel = "N",
            defaultValue = "10",
            description = "how long, without start and end (${DEFAULT-VALUE})")
    private int minutes;

    @Option(names = "--seed", paramLabel = "S", defaultValue = "1", description = "what to draw (${DEFAULT-VALUE})")
    private long seed;

    @Option(
            names = "--provider",
            paramLabel = "P",
            defaultValue = "shm",
            description = "how clients read memory: shm, the file, or tcp, as from another host (${DEFAULT-VALUE})")
    private String provider = "shm";

    @Option(
            names = "--ha",
            description =
                    "two NameNodes and three JournalNodes; the standby takes over now and then, also from one that is"
                            + " killed")
    private boolean pair;

    @Option(
            names = "--stock",
            description = "the same on stock HDFS: shows what HDFS loses by itself, which does not fail this command")
    private boolean stock;

    @Option(names = "-D", paramLabel = "KEY=VALUE", description = "one more property for every daemon")
    private Map<String, String> properties = new LinkedHashMap<>();

    @Mixin
    private TestRun testRun = new TestRun();

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (minutes < 1) {
            throw testRun.usage("--minutes is " + minutes + "; it must be at least 1");
        }
        SoakOptions options = new SoakOptions(Duration.ofMinutes(minutes), seed, !stock, pair, provider(), properties);
        int code = testRun.run("soak", (dir, sheet) -> new SoakRun(options, dir, testRun.out(), sheet).run());
        if (code != 0) {
            testRun.out()
                    .printf(
                            "Repeat: bin/terrace test soak --minutes %d --seed %d --provider %s%s --keep%n"
                                    + "Stock:  the same with --stock. What stock loses with this seed is HDFS's own.%n"
                                    + "Read the journals of the clients, then the logs of the daemons at the time of the"
                                    + " first line above: docs/reliability.md#soak%n",
                            minutes, seed, provider.toLowerCase(Locale.ROOT), pair ? " --ha" : "");
            testRun.out().flush();
        }
        return code;
    }

    private SoakOptions.Provider provider() {
        try {
            return SoakOptions.Provider.valueOf(provider.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw testRun.usage("--provider is " + provider + "; it must be shm or tcp");
        }
    }
}
