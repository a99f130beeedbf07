package io.terrace.bench.conformance;

import io.terrace.bench.conformance.Campaign.ClassResult;
import io.terrace.bench.conformance.Verdict.State;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/** What a run of the whole list says, as figures and as text. */
final class Summary {
    private final List<ClassResult> results;
    private final Exclusions exclusions;

    Summary(List<ClassResult> results, Exclusions exclusions) {
        this.results = List.copyOf(results);
        this.exclusions = exclusions;
    }

    /** Whether a class differs. */
    boolean differs() {
        return count(State.DIFFERS) > 0;
    }

    /**
     * The figures, flat.
     *
     * <p>{@code classes} were judged; {@code tests} is their number of test methods; {@code
     * bytes.granted.share} is bytes read through grants over all bytes read by HDFS clients, over the last run of each
     * class with Terrace; absent where nothing was read.
     */
    Map<String, Object> figures() {
        Map<String, Object> figures = new LinkedHashMap<>();
        List<ClassResult> judged =
                results.stream().filter(result -> !result.verdict().open()).toList();
        figures.put("classes", judged.size());
        figures.put("tests", judged.stream().mapToInt(Summary::tests).sum());
        figures.put("differing", count(State.DIFFERS));
        long read = bytes(judged, TestRun.Figure.READ_BYTES);
        long granted = bytes(judged, TestRun.Figure.GRANTED_BYTES);
        if (read > 0) {
            figures.put("bytes.granted.share", Math.round(10_000.0 * granted / read) / 10_000.0);
        }
        figures.put("bytes.granted", granted);
        figures.put("bytes.read", read);
        figures.put("classes.run.on.stock", (int)
                judged.stream().filter(result -> !result.stock().isEmpty()).count());
        figures.put("classes.same", count(State.SAME));
        figures.put("classes.failing.on.stock.too", count(State.FAILS_ON_STOCK));
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
        lines.add(String.format(
                Locale.ROOT, "%-22s %-52s %-14s %-14s %7s  %s", "group", "class", "stock", "terrace", "granted", ""));
        for (ClassResult result : results) {
            lines.add(String.format(
                    Locale.ROOT,
                    "%-22s %-52s %-14s %-14s %7s  %s",
                    result.listed().group(),
                    result.listed().simpleName(),
                    runs(result.stock()),
                    runs(result.terrace()),
                    share(result.terrace()),
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
            Set<String> skipped = skippedOnlyWithTerrace(result);
            if (!skipped.isEmpty()) {
                lines.add(result.listed().className() + " skips only with Terrace: " + skipped);
            }
        }
        return lines;
    }

    private static String verdict(ClassResult result) {
        return switch (result.verdict().state()) {
            case SAME -> "";
            case DIFFERS -> "DIFFERS";
            case FAILS_ON_STOCK -> "fails on stock too";
            case NEEDS_STOCK, NEEDS_TERRACE -> "open";
        };
    }

    /** {@code passed/tests} of the best run, and how many runs there were. */
    private static String runs(List<TestRun> runs) {
        if (runs.isEmpty()) {
            return "-";
        }
        TestRun best = runs.get(0);
        for (TestRun run : runs) {
            if (run.passed() || (!best.passed() && run.count(Outcome.PASSED) > best.count(Outcome.PASSED))) {
                best = run;
            }
        }
        String text = best.count(Outcome.PASSED) + "/" + best.tests().size();
        if (best.ending() != TestRun.Ending.COMPLETE) {
            text += best.ending() == TestRun.Ending.TIMED_OUT ? " late" : " died";
        }
        return runs.size() == 1 ? text : text + " of " + runs.size();
    }

    private static String share(List<TestRun> runs) {
        if (runs.isEmpty()) {
            return "-";
        }
        TestRun last = runs.get(runs.size() - 1);
        long read = last.figure(TestRun.Figure.READ_BYTES);
        return read == 0
                ? "-"
                : String.format(Locale.ROOT, "%.2f", (double) last.figure(TestRun.Figure.GRANTED_BYTES) / read);
    }

    private static Set<String> skippedOnlyWithTerrace(ClassResult result) {
        Set<String> skipped = new TreeSet<>();
        if (result.stock().isEmpty() || result.terrace().isEmpty()) {
            return skipped;
        }
        // Asked of stock's tests: a class that is skipped as a whole names none of them.
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

    private static long bytes(List<ClassResult> results, String figure) {
        return results.stream()
                .filter(result -> !result.terrace().isEmpty())
                .mapToLong(result ->
                        result.terrace().get(result.terrace().size() - 1).figure(figure))
                .sum();
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
