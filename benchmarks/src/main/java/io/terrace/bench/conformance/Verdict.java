package io.terrace.bench.conformance;

import io.terrace.bench.conformance.launcher.TestOutcome;
import io.terrace.bench.conformance.launcher.TestRun;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * What the runs of one class on both sides say so far, and which run is wanted next.
 *
 * <p>The rule: a class differs if it fails three times of three with Terrace and passes once of three on stock. It is
 * asked of the class as a whole and of each of its tests, so that a test which fails on stock anyway cannot hide another
 * one that fails only with Terrace. A test that passes on stock and is skipped, or not there, three times of three with
 * Terrace differs likewise. A class of which stock runs no test, three times of three, is not there or cannot be run here.
 *
 * @param state what is known
 * @param suspects tests that passed on stock, and in no run with Terrace so far
 */
record Verdict(State state, Set<String> suspects) {
    /** Runs that may be made on each side. */
    static final int RUNS = 3;

    /** The judgement of a class. */
    enum State {
        NEEDS_STOCK,
        NEEDS_TERRACE,
        /** Passed with Terrace at least once of three. */
        SAME,
        /** Fails on stock as it does with Terrace, three times of three. */
        FAILS_ON_STOCK,
        /** No test of it was run on stock, three times of three. */
        NOT_RUN,
        DIFFERS
    }

    Verdict {
        suspects = Set.copyOf(suspects);
    }

    /** Whether another run could change it. */
    boolean open() {
        return state == State.NEEDS_STOCK || state == State.NEEDS_TERRACE;
    }

    /**
     * As {@link #of}, but a class that passes with Terrace, every test of it, is judged without stock, from which it cannot
     * differ. One that skips a test could: stock says whether that test skips itself there too.
     */
    static Verdict lean(List<TestRun> stock, List<TestRun> terrace) {
        if (terrace.isEmpty()) {
            return new Verdict(State.NEEDS_TERRACE, Set.of());
        }
        boolean whole = terrace.stream().anyMatch(run -> run.passed() && run.count(TestOutcome.SKIPPED) == 0);
        return whole ? new Verdict(State.SAME, Set.of()) : of(stock, terrace);
    }

    /** Judges the runs of both sides. */
    static Verdict of(List<TestRun> stock, List<TestRun> terrace) {
        if (stock.isEmpty()) {
            return new Verdict(State.NEEDS_STOCK, Set.of());
        }
        if (terrace.isEmpty()) {
            return new Verdict(State.NEEDS_TERRACE, Set.of());
        }
        Set<String> suspects = passedOnlyOnStock(stock, terrace);
        boolean passes = terrace.stream().anyMatch(TestRun::passed);
        if (!suspects.isEmpty() || (!passes && stock.stream().anyMatch(TestRun::passed))) {
            return new Verdict(terrace.size() < RUNS ? State.NEEDS_TERRACE : State.DIFFERS, suspects);
        }
        if (passes) {
            return new Verdict(State.SAME, Set.of());
        }
        if (stock.size() < RUNS) {
            return new Verdict(State.NEEDS_STOCK, Set.of());
        }
        boolean ran = stock.stream().anyMatch(run -> !run.tests().isEmpty());
        return new Verdict(ran ? State.FAILS_ON_STOCK : State.NOT_RUN, Set.of());
    }

    /** Tests that some run on stock passed and no run with Terrace: it failed them, skipped them or did not have them. */
    private static Set<String> passedOnlyOnStock(List<TestRun> stock, List<TestRun> terrace) {
        Set<String> tests = new TreeSet<>();
        stock.forEach(run -> run.testNames().stream().filter(run::passed).forEach(tests::add));
        tests.removeIf(test -> terrace.stream().anyMatch(run -> run.passed(test)));
        return tests;
    }
}
