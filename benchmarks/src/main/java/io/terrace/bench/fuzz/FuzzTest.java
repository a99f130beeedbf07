package io.terrace.bench.fuzz;

import io.terrace.bench.cluster.ClassPath;
import io.terrace.bench.cluster.MavenJars;
import io.terrace.bench.measure.ResultSheet;
import io.terrace.bench.measure.TestRun;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code bin/terrace test fuzz}: each target in a JVM of its own, under jazzer. */
@Command(
        name = "fuzz",
        mixinStandardHelpOptions = true,
        description = {
            "Feeds every parser that strangers reach with input that coverage guides (jazzer), beginning with valid input. An"
                    + " exception that is no refusal, an error, 25 seconds for one input, or a broken promise is a finding;"
                    + " its input is kept.",
            "The build runs the valid input, and input like it, without a guide."
        })
public final class FuzzTest implements Callable<Integer> {

    private static final int LONGEST_INPUT_SECONDS = 25;
    private static final Pattern RUNS = Pattern.compile("Done (\\d+) runs");
    private static final Pattern COVERAGE = Pattern.compile("cov: (\\d+)");

    @Parameters(paramLabel = "TARGET", arity = "0..*", description = "one of ${COMPLETION-CANDIDATES}; all by default")
    private List<FuzzTargets> targets = List.of(FuzzTargets.values());

    @Option(names = "--seconds", paramLabel = "N", description = "for each target (${DEFAULT-VALUE})")
    private int seconds = 60;

    @Option(
            names = "--corpus",
            paramLabel = "DIR",
            description = "where input that reached something new is kept, to go on from; thrown away by default")
    private Path corpus = Path.of("");

    @Mixin
    private TestRun testRun = new TestRun();

    @Override
    public Integer call() throws IOException, InterruptedException {
        return testRun.run("fuzz", this::fuzz);
    }

    private void fuzz(Path dir, ResultSheet sheet) throws IOException, InterruptedException {
        String jars = MavenJars.of(TestRun.root(), "fuzz", "fuzz", List.of()).resolve().stream()
                .map(Path::toString)
                .collect(Collectors.joining(File.pathSeparator));
        sheet.section(targets.size() + " targets, " + seconds + " s each");
        for (FuzzTargets target : targets) {
            String id = "fuzz." + target.name().toLowerCase(Locale.ROOT);
            Path kept = Files.createDirectories(
                    (corpus.toString().isEmpty() ? dir.resolve("corpus") : corpus.toAbsolutePath())
                            .resolve(target.name()));
            Path found = Files.createDirectories(dir.resolve("found").resolve(target.name()));
            int seeds = writeSeeds(target, kept);
            Path log = dir.resolve(target.name() + ".log");
            int status = jazzer(target, jars, kept, found, log);
            String said = Files.readString(log, StandardCharsets.ISO_8859_1);
            sheet.progress(target + ": input of " + target.writers());
            score(id, seeds, said, sheet);
            sheet.exactly(id + ".findings", status == 0 ? 0 : Math.max(1.0, count(found)), 0);
        }
    }

    /**
     * A target that read nothing has no finding either: it must have read at least the valid input, and something of ours must have
     * been reached by it.
     *
     * @param said by jazzer
     */
    static void score(String id, int seeds, String said, ResultSheet sheet) {
        sheet.atLeast(id + ".runs", last(RUNS, said), Math.max(1, seeds));
        sheet.atLeast(id + ".coverage", last(COVERAGE, said), 1);
    }

    /** Returns how many there are. */
    private static int writeSeeds(FuzzTargets target, Path to) throws IOException {
        try {
            int number = 0;
            for (byte[] seed : target.make().seeds()) {
                Files.write(to.resolve("seed-" + number++), seed);
            }
            return number;
        } catch (IOException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException("no valid input for " + target, e);
        }
    }

    private int jazzer(FuzzTargets target, String jars, Path kept, Path found, Path log)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx1g",
                "-XX:+UseSerialGC",
                "-D" + FuzzMain.TARGET + "=" + target.name(),
                "-cp",
                jars + File.pathSeparator + ClassPath.ofThisProcess().text(),
                "com.code_intelligence.jazzer.Jazzer",
                "--target_class=" + FuzzMain.class.getName(),
                "--instrumentation_includes=io.terrace.**",
                "--custom_hook_includes=io.terrace.**",
                "--reproducer_path=" + found,
                "-artifact_prefix=" + found + "/",
                "-timeout=" + LONGEST_INPUT_SECONDS,
                "-max_total_time=" + seconds,
                kept.toString()));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start()
                .waitFor();
    }

    private static double last(Pattern pattern, String text) {
        double last = 0;
        for (Matcher matcher = pattern.matcher(text); matcher.find(); ) {
            last = Double.parseDouble(matcher.group(1));
        }
        return last;
    }

    private static double count(Path dir) throws IOException {
        try (Stream<Path> files = Files.list(dir)) {
            return files.filter(file -> !file.toString().endsWith(".java")).count();
        }
    }
}
