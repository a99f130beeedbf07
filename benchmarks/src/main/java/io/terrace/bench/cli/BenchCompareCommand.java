package io.terrace.bench.cli;

import io.terrace.bench.cluster.ClassPath;
import io.terrace.bench.compare.BenchProcess;
import io.terrace.bench.compare.BuildClassPath;
import io.terrace.bench.compare.BuildComparison;
import io.terrace.bench.compare.ComparedFigure;
import io.terrace.bench.compare.ComparedFigure.Verdict;
import io.terrace.bench.measure.ResultsFile;
import io.terrace.bench.read.ReadPart;
import io.terrace.bench.read.RemotePart;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code bin/terrace bench compare}. */
@Command(
        name = "compare",
        mixinStandardHelpOptions = true,
        description = {
            "Whole runs of bench read and bench remote by another build and by this one, in turns. Each figure is compared"
                    + " within each round: over 1 is better than the other build.",
            "What only stock or a plain copy took is shown, but not judged."
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:no figure is clearly under --least",
            "1:the upper bound of a figure is under --least, a figure is missing in this build, or a run failed",
            "2:the command line is wrong"
        })
final class BenchCompareCommand implements Callable<Integer> {
    /** The benchmarks that are compared, with the names of their parts. */
    enum Bench {
        READ(ReadPart.values()),
        REMOTE(RemotePart.values());

        private final List<String> parts;

        Bench(Enum<?>[] parts) {
            this.parts = Arrays.stream(parts).map(Enum::name).toList();
        }

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The name is also a directory. Both names have the same length, so paths do too. */
    private record Build(String name, ClassPath classPath) {}

    @Option(
            names = "--with",
            required = true,
            paramLabel = "JAR-DIR",
            description = "the other build: root of a checkout that was built, or a directory of the Terrace jars"
                    + " (benchmarks, policies, rdma-channel, datanode-tiers, placement-service), which then run with this"
                    + " build's libraries")
    Path with = Path.of("");

    @Option(
            names = "--rounds",
            defaultValue = "5",
            paramLabel = "N",
            description = "runs of each benchmark by each build (${DEFAULT-VALUE}); fewer than five decide nothing")
    int rounds;

    @Option(
            names = "--least",
            defaultValue = "0.97",
            paramLabel = "RATIO",
            description = "wanted of each figure of this build, as a share of the other's (${DEFAULT-VALUE})")
    double least;

    @Option(names = "--only", paramLabel = "BENCH", description = "only this benchmark: ${COMPLETION-CANDIDATES}")
    @Nullable
    Bench only;

    @Option(
            names = "--part",
            paramLabel = "PART",
            description = "only this part of the benchmarks that have it, may be repeated; see their --help")
    List<String> parts = List.of();

    @Mixin
    BenchOptions options = new BenchOptions();

    @Spec
    CommandSpec command;

    /** Runs that failed and were repeated, by build. */
    private final Map<String, Integer> failures = new TreeMap<>();

    @Override
    public Integer call() throws IOException {
        Map<Bench, List<String>> chosen = chosen();
        Build own = new Build("new", ClassPath.ofThisProcess());
        Build old = new Build("old", BuildClassPath.in(with, own.classPath()));
        PrintWriter out = command.commandLine().getOut();
        BuildComparison comparison = new BuildComparison();
        try {
            run(chosen, old, own, comparison, out);
        } catch (IOException e) {
            // Rounds take long: report those that are complete.
            if (comparison.rounds() > 0) {
                report(comparison, out);
            }
            throw e;
        }
        return report(comparison, out);
    }

    /** The parts of each benchmark that is run; an empty list is all of them. */
    private Map<Bench, List<String>> chosen() {
        require(rounds >= 1, "--rounds " + rounds + " is less than 1");
        require(least > 0 && least <= 1, "--least " + least + " is not above 0 and at most 1");
        List<Bench> benches = only == null ? List.of(Bench.values()) : List.of(only);
        List<String> wanted =
                parts.stream().map(part -> part.toUpperCase(Locale.ROOT)).toList();
        for (String part : wanted) {
            require(
                    benches.stream().anyMatch(bench -> bench.parts.contains(part)),
                    "--part " + part + " is none of "
                            + String.join(
                                    ", ",
                                    benches.stream()
                                            .flatMap(bench -> bench.parts.stream())
                                            .distinct()
                                            .toList()));
        }
        Map<Bench, List<String>> chosen = new LinkedHashMap<>();
        for (Bench bench : benches) {
            List<String> own = wanted.stream().filter(bench.parts::contains).toList();
            if (wanted.isEmpty() || !own.isEmpty()) {
                chosen.put(bench, own);
            }
        }
        return chosen;
    }

    private void require(boolean holds, String message) {
        if (!holds) {
            throw new ParameterException(command.commandLine(), message);
        }
    }

    private void run(Map<Bench, List<String>> chosen, Build old, Build own, BuildComparison comparison, PrintWriter out)
            throws IOException {
        int turns = 2 * rounds * chosen.size();
        int turn = 0;
        long startNs = System.nanoTime();
        for (int round = 1; round <= rounds; round++) {
            Map<Build, Map<String, Double>> figures = Map.of(old, new LinkedHashMap<>(), own, new LinkedHashMap<>());
            for (Bench bench : chosen.keySet()) {
                // Alternate which build comes first.
                for (Build build : round % 2 == 1 ? List.of(old, own) : List.of(own, old)) {
                    String what = "bench " + bench.word() + " of the " + build.name() + " build";
                    turn++;
                    out.printf("  turn %d of %d, round %d: %s ...%n", turn, turns, round, what);
                    out.flush();
                    Objects.requireNonNull(figures.get(build))
                            .putAll(figures(what, build, bench, chosen.getOrDefault(bench, List.of()), round));
                    long leftNs = (System.nanoTime() - startNs) / turn * (turns - turn);
                    out.printf("    done, about %d s left%n", TimeUnit.NANOSECONDS.toSeconds(leftNs));
                    out.flush();
                }
            }
            comparison.add(Objects.requireNonNull(figures.get(old)), Objects.requireNonNull(figures.get(own)));
        }
    }

    /** The figures of one run of a benchmark by a build. */
    private Map<String, Double> figures(String what, Build build, Bench bench, List<String> parts, int round)
            throws IOException {
        Path dir = options.clusters("bench-compare").toAbsolutePath().resolve(build.name());
        Files.createDirectories(dir);
        Path json = dir.resolve(bench.word() + "-" + round + ".json");
        Files.deleteIfExists(json);
        List<String> words = new ArrayList<>(List.of(TerraceCommand.class.getName(), "bench", bench.word()));
        words.addAll(List.of(
                "--json", json.toString(), "--dir", dir.resolve(bench.word()).toString()));
        words.addAll(List.of("--seed", Long.toString(options.seed)));
        if (options.quick) {
            words.add("--quick");
        }
        parts.forEach(part -> words.addAll(List.of("--part", part)));
        options.properties.forEach((key, value) -> words.addAll(List.of("-D", key + "=" + value)));
        Path log = dir.resolve(bench.word() + "-" + round + ".log");
        int failed = BenchProcess.run(what, build.classPath(), words, log);
        failures.merge(build.name(), failed, Integer::sum);
        return ResultsFile.read(json);
    }

    /** Prints the table, writes the file, and returns the exit code. */
    private int report(BuildComparison comparison, PrintWriter out) throws IOException {
        List<ComparedFigure> figures = comparison.figures(least);
        boolean bounded = figures.stream().anyMatch(ComparedFigure::bounded);
        out.printf(
                "%n  %-36s %10s %10s %7s  %-15s%n",
                "medians, rounds: " + comparison.rounds(), "old", "new", "new/old", bounded ? "95 % bounds" : "range");
        Map<String, Number> written = new LinkedHashMap<>();
        for (ComparedFigure figure : figures) {
            out.printf(
                    Locale.ROOT,
                    "  %-36s %10.3f %10.3f %7.3f  %6.3f to %6.3f  %s%n",
                    figure.id(),
                    figure.old(),
                    figure.own(),
                    figure.change(),
                    figure.low(),
                    figure.high(),
                    (figure.byDifference() ? "fewer, " : "")
                            + (figure.ofTerrace() ? text(figure.verdict()) : "(not judged)"));
            written.put(figure.id() + ".old", figure.old());
            written.put(figure.id() + ".new", figure.own());
            String change = figure.id() + (figure.byDifference() ? ".fewer" : ".ratio");
            written.put(change, figure.change());
            written.put(change + ".low", figure.low());
            written.put(change + ".high", figure.high());
        }
        failures.forEach((build, failed) -> written.put("failed_runs." + build, failed));
        int exitCode = sum(comparison, figures, out);
        out.flush();
        if (options.json != null) {
            ResultsFile.write(options.json, written);
        }
        return exitCode;
    }

    private int sum(BuildComparison comparison, List<ComparedFigure> figures, PrintWriter out) {
        List<ComparedFigure> judged =
                figures.stream().filter(ComparedFigure::ofTerrace).toList();
        List<String> under = ids(judged, figure -> figure.verdict() == Verdict.UNDER);
        List<String> medianUnder =
                ids(judged, figure -> figure.verdict() == Verdict.OPEN && figure.isMedianUnder(least));
        out.printf(
                Locale.ROOT,
                "%n%d figures judged: %d at least %s, %d open, %d under%n",
                judged.size(),
                ids(judged, figure -> figure.verdict() == Verdict.REACHED).size(),
                least,
                ids(judged, figure -> figure.verdict() == Verdict.OPEN).size(),
                under.size());
        if (!judged.isEmpty() && judged.stream().noneMatch(ComparedFigure::bounded)) {
            out.println("Too few rounds to decide anything: --rounds must be at least 5.");
        }
        failures.forEach((build, failed) -> {
            if (failed > 0) {
                out.println("runs of the " + build + " build that failed and were repeated: " + failed + ", logs in "
                        + options.clusters("bench-compare").resolve(build));
            }
        });
        list("under", under, out);
        list("open, with a median under", medianUnder, out);
        list("measured by the old build, missing in this one", comparison.missing(), out);
        list("in no round a number in both builds, not compared", comparison.unmeasured(), out);
        return under.isEmpty() && comparison.missing().isEmpty() ? 0 : 1;
    }

    private static List<String> ids(List<ComparedFigure> figures, Predicate<ComparedFigure> wanted) {
        return figures.stream().filter(wanted).map(ComparedFigure::id).toList();
    }

    private static void list(String title, Collection<String> ids, PrintWriter out) {
        if (!ids.isEmpty()) {
            out.println(title + ": " + String.join(", ", ids));
        }
    }

    private static String text(Verdict verdict) {
        return verdict == Verdict.UNDER ? "UNDER" : verdict.name().toLowerCase(Locale.ROOT);
    }
}
