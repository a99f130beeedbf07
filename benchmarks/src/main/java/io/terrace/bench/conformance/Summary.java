package io.terrace.bench.conformance;

import io.terrace.bench.conformance.Campaign.ClassResult;
import io.terrace.bench.conformance.Verdict.State;
import io.terrace.bench.conformance.launcher.Side;
import io.terrace.bench.conformance.launcher.TestOutcome;
import io.terrace.bench.conformance.launcher.TestRun;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;

/** The result of a run of the whole list, as figures and as text. */
final class Summary {
    private static final List<String> DAEMONS = List.of(
            TestRun.Figure.DATANODES,
            TestRun.Figure.DATANODES_WITH_TERRACE,
            TestRun.Figure.NAMENODES,
            TestRun.Figure.NAMENODES_WITH_TERRACE);

    private static final String ROW = "%-21s %-42s %-13s %-13s %7s %7s  %s";

    private final List<ClassResult> results;
    private final Exclusions exclusions;
    private final Exclusions diskOnly;

    Summary(List<ClassResult> results, Exclusions exclusions, Exclusions diskOnly) {
        this.results = List.copyOf(results);
        this.exclusions = exclusions;
        this.diskOnly = diskOnly;
    }

    /**
     * Whether a class differs, or passed only because Terrace left a DataNode or a client to stock meanwhile, or Terrace was on no
     * daemon of more than half of the classes: some make a dataset of their own, but not most.
     */
    boolean differs() {
        return count(State.DIFFERS) > 0
                || results.stream().anyMatch(Summary::brokeOff)
                || 2 * results.stream().filter(Summary::withoutTerrace).count() > withDaemons();
    }

    /** Classes that started a daemon with Terrace's properties. */
    private long withDaemons() {
        return results.stream()
                .filter(result ->
                        last(result, TestRun.Figure.DATANODES) > 0 || last(result, TestRun.Figure.NAMENODES) > 0)
                .count();
    }

    /** Whether each class was judged. */
    boolean complete() {
        return results.stream()
                .allMatch(result -> !result.verdict().open() && result.verdict().state() != State.NOT_RUN);
    }

    /** Whether each class ran a test on this side. */
    boolean ran(Side side) {
        return results.stream().allMatch(result -> (side == Side.STOCK ? result.stock() : result.terrace())
                .stream().anyMatch(run -> !run.tests().isEmpty()));
    }

    /**
     * The figures, flat.
     *
     * <p>{@code classes} were judged, and Terrace was on some daemon of theirs if they started any; {@code tests} is their
     * number of test methods; {@code bytes.granted.share} is bytes read through grants over all bytes that HDFS clients read
     * of files that are not erasure-coded, over the last run with Terrace of each class that runs with copies; absent where
     * nothing was read. {@code bytes.granted.share.of.all} has erasure-coded files, and classes that run without copies, in
     * what was read. Hadoop counts what is read through FileSystem alone: a class of which more came through grants than
     * Hadoop counted reads otherwise as well ({@code classes.reading.uncounted}), and is in neither share. {@code evictions}
     * is how often copies made room for another, {@code classes.evicting} in how many classes.
     */
    Map<String, Object> figures() {
        Map<String, Object> figures = new LinkedHashMap<>();
        List<ClassResult> judged =
                results.stream().filter(result -> !result.verdict().open()).toList();
        List<ClassResult> withTerrace =
                judged.stream().filter(result -> !withoutTerrace(result)).toList();
        figures.put("classes", withTerrace.size());
        figures.put("tests", withTerrace.stream().mapToInt(Summary::tests).sum());
        figures.put("differing", count(State.DIFFERS));
        List<Reads> reads = judged.stream()
                .filter(result -> !diskOnly.leavesOut(result.listed().className()))
                .flatMap(Summary::reads)
                .toList();
        List<Reads> counted = reads.stream().filter(Reads::counted).toList();
        long read = counted.stream().mapToLong(Reads::readBytes).sum();
        long granted = counted.stream().mapToLong(Reads::grantedBytes).sum();
        if (read > 0) {
            figures.put("bytes.granted.share", Math.round(10_000.0 * granted / read) / 10_000.0);
        }
        long all = judged.stream()
                .filter(result -> reads(result).allMatch(Reads::counted))
                .mapToLong(result -> last(result, TestRun.Figure.READ_BYTES))
                .sum();
        if (all > 0) {
            figures.put("bytes.granted.share.of.all", Math.round(10_000.0 * granted / all) / 10_000.0);
        }
        figures.put("bytes.granted", granted);
        figures.put("bytes.read", read);
        figures.put(
                TestRun.Figure.ERASURE_CODED_BYTES,
                judged.stream()
                        .mapToLong(result -> last(result, TestRun.Figure.ERASURE_CODED_BYTES))
                        .sum());
        figures.put("classes.reading", counted.size());
        figures.put("classes.reading.uncounted", reads.size() - counted.size());
        WrittenBytes.of(judged).addTo(figures);
        figures.put("classes.run.on.stock", (int)
                judged.stream().filter(result -> !result.stock().isEmpty()).count());
        figures.put("classes.same", count(State.SAME));
        figures.put("classes.retried.terrace", retried(judged, ClassResult::terrace));
        figures.put("classes.retried.stock", retried(judged, ClassResult::stock));
        figures.put("classes.failing.on.stock.too", count(State.FAILS_ON_STOCK));
        figures.put("classes.not.run", count(State.NOT_RUN));
        figures.put("classes.without.copies", (int) judged.stream()
                .filter(result -> diskOnly.leavesOut(result.listed().className()))
                .count());
        figures.put("classes.without.terrace", (int)
                judged.stream().filter(Summary::withoutTerrace).count());
        figures.put("classes.terrace.broke.off", (int)
                judged.stream().filter(Summary::brokeOff).count());
        for (String daemons : DAEMONS) {
            figures.put(
                    daemons,
                    judged.stream().mapToLong(result -> last(result, daemons)).sum());
        }
        figures.put(
                TestRun.Figure.EVICTIONS,
                judged.stream().mapToLong(Summary::evictions).sum());
        figures.put("classes.evicting", (int)
                judged.stream().filter(result -> evictions(result) > 0).count());
        figures.put("classes.excluded", exclusions.count(true));
        figures.put("tests.excluded", exclusions.count(false));
        figures.put("classes.open", results.size() - judged.size());
        figures.put("tests.skipped.only.with.terrace", (int) judged.stream()
                .mapToLong(result -> skippedOnlyWithTerrace(result).size())
                .sum());
        figures.put("seconds.stock", seconds(Side.STOCK));
        figures.put("seconds.terrace", seconds(Side.TERRACE));
        return figures;
    }

    /** The table of classes, one line each, in groups. */
    List<String> table() {
        List<String> lines = new ArrayList<>();
        lines.add(String.format(Locale.ROOT, ROW, "group", "class", "stock", "terrace", "granted", "evicted", ""));
        for (ClassResult result : results) {
            lines.add(String.format(
                    Locale.ROOT,
                    ROW,
                    result.listed().group(),
                    result.listed().simpleName(),
                    runs(result.stock()),
                    runs(result.terrace()),
                    reads(result).map(Reads::share).findFirst().orElse("-"),
                    evictions(result) == 0 ? "-" : evictions(result),
                    verdict(result)));
        }
        return lines;
    }

    /** Each difference with the tests and the messages; empty where there is none. */
    List<String> differences() {
        List<String> lines = new ArrayList<>();
        for (ClassResult result : results) {
            if (result.verdict().state() == State.DIFFERS) {
                lines.add(result.listed().className() + " differs");
                TestRun last = result.terrace().get(result.terrace().size() - 1);
                lines.add("  ended " + last.ending() + " after " + last.seconds() + " s");
                new TreeMap<>(last.failures())
                        .forEach((test, message) -> lines.add("  " + test + ": " + firstLine(message)));
                new TreeSet<>(result.verdict().suspects())
                        .forEach(test -> lines.add("  three times of three: " + test));
            }
            if (result.verdict().state() == State.NOT_RUN) {
                lines.add(result.listed().className()
                        + " could not be run on stock: is the name right, and room on the disk?");
            }
            if (brokeOff(result)) {
                lines.add(result.listed().className() + ": Terrace failed and left a DataNode or a client to stock");
            }
            if (withoutTerrace(result)) {
                lines.add(result.listed().className()
                        + " started DataNodes, or NameNodes, and Terrace was on none of them");
            }
            Set<String> skipped = skippedOnlyWithTerrace(result);
            if (!skipped.isEmpty()) {
                lines.add(result.listed().className() + " skips only with Terrace: " + skipped);
            }
        }
        return lines;
    }

    private String verdict(ClassResult result) {
        List<String> words = new ArrayList<>();
        switch (result.verdict().state()) {
            case SAME -> {
                // Nothing to say.
            }
            case DIFFERS -> words.add("DIFFERS");
            case FAILS_ON_STOCK -> words.add("fails on stock too");
            case NOT_RUN -> words.add("not run");
            case NEEDS_STOCK, NEEDS_TERRACE -> words.add("open");
        }
        String className = result.listed().className();
        long leftOut = exclusions.testsOf(className);
        if (leftOut > 0) {
            words.add(leftOut + (leftOut == 1 ? " test left out" : " tests left out"));
        }
        if (diskOnly.leavesOut(className)) {
            words.add("no copies");
        }
        if (withoutTerrace(result)) {
            words.add("without Terrace");
        }
        return String.join(", ", words);
    }

    /** Classes that were run again on a side: one passing run of three is enough, so these may hide a fault that comes and goes. */
    private static int retried(List<ClassResult> judged, Function<ClassResult, List<TestRun>> side) {
        return (int)
                judged.stream().filter(result -> side.apply(result).size() > 1).count();
    }

    private static boolean brokeOff(ClassResult result) {
        // In any run: that the next one passes takes nothing from it.
        return result.terrace().stream()
                .anyMatch(run -> run.figure(TestRun.Figure.BROKE_OFF) > 0 || run.figure(TestRun.Figure.NOT_LINKED) > 0);
    }

    /** Unknown for results that were kept before the daemons were counted. */
    private static boolean withoutTerrace(ClassResult result) {
        return stock(result, TestRun.Figure.DATANODES, TestRun.Figure.DATANODES_WITH_TERRACE)
                || stock(result, TestRun.Figure.NAMENODES, TestRun.Figure.NAMENODES_WITH_TERRACE);
    }

    private static boolean stock(ClassResult result, String daemons, String withTerrace) {
        return last(result, daemons) > 0 && last(result, withTerrace) == 0;
    }

    private static long evictions(ClassResult result) {
        return last(result, TestRun.Figure.EVICTIONS);
    }

    private static long last(ClassResult result, String figure) {
        List<TestRun> runs = result.terrace();
        return runs.isEmpty() ? 0 : runs.get(runs.size() - 1).figure(figure);
    }

    /** {@code passed/tests} of the best run, and how many runs there were. */
    private static String runs(List<TestRun> runs) {
        if (runs.isEmpty()) {
            return "-";
        }
        TestRun best = runs.get(0);
        for (TestRun run : runs) {
            if (run.passed() || (!best.passed() && run.count(TestOutcome.PASSED) > best.count(TestOutcome.PASSED))) {
                best = run;
            }
        }
        String text = best.count(TestOutcome.PASSED) + "/" + best.tests().size();
        if (best.ending() != TestRun.Ending.COMPLETE) {
            text += best.ending() == TestRun.Ending.TIMED_OUT ? " late" : " died";
        }
        return runs.size() == 1 ? text : text + " of " + runs.size();
    }

    /** The bytes that the last run of a class with Terrace read. */
    private record Reads(long readBytes, long grantedBytes) {
        boolean counted() {
            return grantedBytes <= readBytes;
        }

        String share() {
            return counted() ? String.format(Locale.ROOT, "%.2f", (double) grantedBytes / readBytes) : "yes";
        }
    }

    /** None where it read nothing, or erasure-coded files alone. */
    private static Stream<Reads> reads(ClassResult result) {
        long erasureCoded = last(result, TestRun.Figure.ERASURE_CODED_BYTES);
        Reads reads = new Reads(
                last(result, TestRun.Figure.READ_BYTES) - erasureCoded, last(result, TestRun.Figure.GRANTED_BYTES));
        return Stream.of(reads).filter(some -> some.readBytes() + some.grantedBytes() > 0);
    }

    private static Set<String> skippedOnlyWithTerrace(ClassResult result) {
        Set<String> skipped = new TreeSet<>();
        if (result.stock().isEmpty() || result.terrace().isEmpty()) {
            return skipped;
        }
        // From stock's run: a class that is skipped as a whole names no tests.
        TestRun last = result.terrace().get(result.terrace().size() - 1);
        for (TestRun stock : result.stock()) {
            stock.testNames().stream()
                    .filter(test -> stock.passed(test) && !last.passed(test) && !last.failed(test))
                    .forEach(skipped::add);
        }
        return skipped;
    }

    private static int tests(ClassResult result) {
        return Stream.concat(result.stock().stream(), result.terrace().stream())
                .mapToInt(run -> run.tests().size())
                .max()
                .orElse(0);
    }

    private double seconds(Side side) {
        return Math.round(results.stream()
                .flatMap(result -> (side == Side.STOCK ? result.stock() : result.terrace()).stream())
                .mapToDouble(TestRun::seconds)
                .sum());
    }

    private int count(State state) {
        return (int) results.stream()
                .filter(result -> result.verdict().state() == state)
                .count();
    }

    private static String firstLine(String message) {
        int end = message.indexOf('\n');
        return end < 0 ? message : message.substring(0, end);
    }
}
