package io.terrace.bench.conformance;

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
 * @param suspects tests that did not pass in any run with Terrace so far
 */
record Verdict(State state, Set<String> suspects) {
    /** Runs that may be made on each side. */
    static final int RUNS = 3;

    /** What is known of a class. */
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
        boolean whole = terrace.stream().anyMatch(run -> run.passed() && run.count(Outcome.SKIPPED) == 0);
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
        if (terrace.stream().anyMatch(TestRun::passed)) {
            Set<String> left = passedOnlyOnStock(stock, terrace);
            State state = left.isEmpty() ? State.SAME : terrace.size() < RUNS ? State.NEEDS_TERRACE : State.DIFFERS;
            return new Verdict(state, left);
        }
        Set<String> suspects = new TreeSet<>();
        stock.forEach(run -> suspects.addAll(run.testNames()));
        terrace.forEach(run -> suspects.addAll(run.testNames()));
        suspects.removeIf(test -> terrace.stream().anyMatch(run -> !run.failed(test)));
        boolean passesOnStock =
                stock.stream().anyMatch(run -> run.passed() || suspects.stream().anyMatch(run::passed));
        if (passesOnStock) {
            return new Verdict(terrace.size() < RUNS ? State.NEEDS_TERRACE : State.DIFFERS, suspects);
        }
        if (stock.size() < RUNS) {
            return new Verdict(State.NEEDS_STOCK, suspects);
        }
        boolean ran = stock.stream().anyMatch(run -> !run.tests().isEmpty());
        return new Verdict(ran ? State.FAILS_ON_STOCK : State.NOT_RUN, suspects);
    }

    /** Tests that no run with Terrace failed and none passed either. */
    private static Set<String> passedOnlyOnStock(List<TestRun> stock, List<TestRun> terrace) {
        Set<String> tests = new TreeSet<>();
        stock.forEach(run -> run.testNames().stream().filter(run::passed).forEach(tests::add));
        tests.removeIf(test -> terrace.stream()
                .anyMatch(run -> run.passed(test) || run.tests().containsKey(test) && run.failed(test)));
        return tests;
    }
}
