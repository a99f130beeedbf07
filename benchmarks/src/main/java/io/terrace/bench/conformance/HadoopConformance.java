package io.terrace.bench.conformance;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.terrace.bench.conformance.Campaign.ClassResult;
import io.terrace.bench.conformance.jars.HadoopTestJars;
import io.terrace.bench.conformance.jars.OlderLibhadoop;
import io.terrace.bench.conformance.launcher.Side;
import io.terrace.bench.conformance.launcher.TestOutcome;
import io.terrace.bench.conformance.launcher.TestRun;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code terrace test hadoop}: runs test classes of Hadoop's published test jars on stock and with Terrace, and prints
 * the differences. Exit code 0: no class differs; 1: a class differs, or Terrace left a DataNode to stock in it; 2: the
 * run itself could not be made, or a class could not be run on stock or has no verdict.
 */
@Command(
        name = "hadoop",
        mixinStandardHelpOptions = true,
        description =
                "Runs Hadoop's own test classes on stock and with Terrace switched on, and prints the differences.")
public final class HadoopConformance implements Callable<Integer> {
    private static final int NOT_MADE = 2;
    private static final String WRITES = "terrace.client.write.enabled";

    /**
     * Offset from the DataNodes' ports, which the kernel picks from 32768 to 60999, to ports below that range, beside
     * those of the placement service.
     */
    private static final int OUT_OF_EPHEMERAL_PORTS = -29_000;

    @Parameters(arity = "0..*", paramLabel = "CLASS", description = "Only these classes, by simple or full name.")
    private List<String> names = List.of();

    @Option(names = "--short", description = "The short list (under five minutes), for continuous integration.")
    private boolean shortList;

    @Option(
            names = "--hadoop",
            paramLabel = "VERSION",
            defaultValue = "3.5.0",
            description = "The release whose tests are run: 3.5.0 or a 3.4 (${DEFAULT-VALUE})")
    private String hadoop;

    @Option(names = "--shard", defaultValue = "1/1", description = "Part i of n of the list, as i/n.")
    private String shard;

    @Option(
            names = "--jobs",
            paramLabel = "N",
            defaultValue = "1",
            description = "Classes that run at a time, each in a JVM of its own. Default: ${DEFAULT-VALUE}")
    private int jobs;

    @Option(names = "--json", description = "Writes the figures to this file, as one flat object.")
    private @Nullable Path json;

    @Option(
            names = "--dir",
            defaultValue = "${sys:terrace.root:-.}/target/conformance",
            description = "Where results are kept; a run takes up what is there. Default: ${DEFAULT-VALUE}")
    private Path directory;

    @Option(
            names = "--time-limit",
            defaultValue = "900",
            description = "Seconds for one class on one side. Default: ${DEFAULT-VALUE}, as in Hadoop's build")
    private long timeLimitSeconds;

    @Option(
            names = "--heap",
            defaultValue = "4g",
            description = "Heap of a test JVM. Default: ${DEFAULT-VALUE}, as in Hadoop's build")
    private String heap;

    @Option(
            names = "--only",
            description = "Runs each class once on this side only (STOCK, TERRACE), for a later comparison.")
    private @Nullable Side only;

    @Option(
            names = "--lean",
            description =
                    "Stock only where a class fails or skips tests with Terrace: what passes with it cannot differ.")
    private boolean lean;

    @Option(
            names = "--earlier-builds",
            description = "A class that passed with an earlier build of Terrace is not run again.")
    private boolean earlierBuilds;

    @Option(names = "--report-only", description = "Runs nothing, reports what is kept.")
    private boolean reportOnly;

    @Option(names = "--set", description = "A further property of Terrace's side, as key=value. Repeatable.")
    private Map<String, String> properties = Map.of();

    @Option(
            names = "--provider",
            defaultValue = "SHM",
            description = "How clients read the memory: SHM, the file, or TCP, as from another host. Default: SHM")
    private Provider provider;

    @Option(names = "--memory-dir", defaultValue = "/dev/shm", description = "tmpfs. Default: ${DEFAULT-VALUE}")
    private Path memoryParent;

    @Option(
            names = "--native",
            description = "Directory with libhadoop. Default: the one that the build unpacks for this processor")
    private @Nullable Path nativeLibraries;

    @Option(names = "--maven", defaultValue = "mvn", description = "The mvn to call. Default: ${DEFAULT-VALUE}")
    private String maven;

    @Override
    public Integer call() throws InterruptedException {
        try {
            return compare();
        } catch (IOException | IllegalArgumentException e) {
            System.err.println("terrace test hadoop: " + e.getMessage());
            return NOT_MADE;
        }
    }

    private int compare() throws IOException, InterruptedException {
        if (jobs < 1 || jobs > 64) {
            throw new IllegalArgumentException("--jobs is " + jobs + "; it must be 1 to 64");
        }
        Exclusions exclusions = Exclusions.parse(lines("excluded.txt"), provider, writes());
        Exclusions diskOnly = Exclusions.parse(lines("disk-only.txt"), provider, writes());
        List<ListedClass> classes = ClassList.parse(lines(shortList ? "short.txt" : "classes.txt"))
                .named(names)
                .shard(Shard.parse(shard))
                .classes()
                .stream()
                .filter(listed -> !names.isEmpty() || !exclusions.leavesOut(listed.className()))
                .toList();
        if (classes.isEmpty()) {
            throw new IllegalArgumentException("no class is left of the list in shard " + shard);
        }
        TestBed testBed = TestBed.prepare(
                directory.toAbsolutePath(),
                new HadoopTestJars(directory.toAbsolutePath().resolve("maven"), hadoop, maven),
                ownClassPath(),
                provider,
                terraceProperties(),
                nativeLibraries(),
                TestProcess.arguments(heap),
                exclusions,
                diskOnly,
                Duration.ofSeconds(timeLimitSeconds),
                earlierBuilds);
        Campaign campaign = new Campaign(
                testBed.store(),
                runner(testBed, diskOnly),
                HadoopConformance::progress,
                lean ? Verdict::lean : Verdict::of,
                jobs);
        List<ClassResult> results = reportOnly
                ? campaign.keptResults(classes)
                : only != null ? campaign.once(only, classes) : campaign.compare(classes);
        Summary summary = new Summary(results, exclusions, diskOnly);
        print(summary);
        boolean made = only != null && !reportOnly ? summary.ran(only) : summary.complete();
        return summary.differs() ? 1 : made ? 0 : NOT_MADE;
    }

    private boolean writes() {
        return Boolean.parseBoolean(properties.get(WRITES));
    }

    /** A test runs on one host, where the FileSystem class would read through the file. */
    private Map<String, String> terraceProperties() {
        Map<String, String> all = new HashMap<>(properties);
        if (provider == Provider.TCP) {
            all.putIfAbsent("terrace.client.local", "false");
        }
        // DataNodes send replicas on over tcp, and without it stock's stream writes files of several replicas.
        if (provider == Provider.TCP || writes()) {
            all.putIfAbsent("terrace.channel.tcp.port.offset", Integer.toString(OUT_OF_EPHEMERAL_PORTS));
        }
        return all;
    }

    private Campaign.Runner runner(TestBed testBed, Exclusions diskOnly) {
        TestProcess process = new TestProcess(
                Path.of(System.getProperty("java.home"), "bin", "java"),
                new TestProcess.Settings(
                        Duration.ofSeconds(timeLimitSeconds),
                        heap,
                        Path.of(System.getProperty("java.io.tmpdir")),
                        memoryParent,
                        testBed.nativeLibraries()));
        return (side, className, result, log) ->
                process.run(side, className, !diskOnly.leavesOut(className), testBed.classPath(side), result, log);
    }

    private void print(Summary summary) throws IOException {
        summary.table().forEach(System.out::println);
        System.out.println();
        summary.differences().forEach(System.out::println);
        Map<String, Object> figures = summary.figures();
        figures.forEach((name, value) -> System.out.println(name + " " + value));
        if (json != null) {
            Files.writeString(json, new ObjectMapper().writeValueAsString(figures) + "\n", StandardCharsets.UTF_8);
        }
    }

    private static void progress(int number, int of, Side side, TestRun run) {
        System.out.printf(
                Locale.ROOT,
                "[%3d/%d] %-8s %-60s %4d passed %3d failed %3d skipped %7.1f s %s%n",
                number,
                of,
                side.label(),
                run.className().substring(run.className().lastIndexOf('.') + 1),
                run.count(TestOutcome.PASSED),
                run.count(TestOutcome.FAILED),
                run.count(TestOutcome.SKIPPED),
                run.seconds(),
                run.passed() ? "" : run.ending());
        run.failures()
                .forEach((test, message) -> System.out.println(
                        "          " + test + ": " + message.lines().findFirst().orElse("")));
    }

    private @Nullable Path nativeLibraries() {
        Path libraries = nativeLibraries != null
                ? nativeLibraries
                : OlderLibhadoop.unpackedIn(Path.of(System.getProperty("terrace.root", ".")));
        if (Files.isRegularFile(libraries.resolve("libhadoop.so"))) {
            return libraries.toAbsolutePath();
        }
        System.err.println("no libhadoop.so in " + libraries + ": tests that need it skip themselves on both sides");
        return null;
    }

    private static List<Path> ownClassPath() {
        List<Path> entries = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            if (!entry.isEmpty()) {
                entries.add(Path.of(entry));
            }
        }
        return entries;
    }

    private static List<String> lines(String resource) throws IOException {
        return new String(HadoopTestJars.resource(resource), StandardCharsets.UTF_8)
                .lines()
                .toList();
    }
}
