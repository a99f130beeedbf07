package io.terrace.bench.measure;

import java.io.PrintWriter;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** The figures of a run, each printed as soon as it is known, with its target and whether it is reached. */
public final class ResultSheet {
    private final PrintWriter out;
    private final Map<String, Number> figures = new LinkedHashMap<>();
    private int missed;

    public ResultSheet(PrintWriter out) {
        this.out = out;
    }

    /** Prints a heading for the figures that follow. */
    public void section(String title) {
        out.println();
        out.println(title);
        out.flush();
    }

    /** Prints the progress of the run. */
    public void progress(String line) {
        out.println("  " + line);
        out.flush();
    }

    /** A figure without a target. */
    public void note(String id, double value, String unit) {
        figures.put(id, value);
        out.printf(Locale.ROOT, "  %-28s %10.3f %s%n", id, value, unit);
        out.flush();
    }

    /** A figure that should be at least the target. */
    public void atLeast(String id, double value, double target) {
        score(id, value, target, value >= target, "at least");
    }

    /** A figure that should be at most the target. */
    public void atMost(String id, double value, double target) {
        score(id, value, target, value <= target, "at most");
    }

    /** A figure that should be below the target. */
    public void below(String id, double value, double target) {
        score(id, value, target, value < target, "under");
    }

    /** A figure that should be one value. */
    public void exactly(String id, double value, double target) {
        score(id, value, target, value == target, "exactly");
    }

    private void score(String id, double value, double target, boolean reached, String relation) {
        figures.put(id, value);
        missed += reached ? 0 : 1;
        out.printf(
                Locale.ROOT,
                "  %-28s %10.3f   target: %s %-6s  %s%n",
                id,
                value,
                relation,
                target,
                reached ? "reached" : "MISSED");
        out.flush();
    }

    /** Figure to number, flat, in the order of the run. */
    public Map<String, Number> figures() {
        return Collections.unmodifiableMap(new LinkedHashMap<>(figures));
    }

    /** Figures whose target was not reached. */
    public int missed() {
        return missed;
    }
}
