package io.terrace.bench.conformance;

import io.terrace.bench.conformance.launcher.TestOutcome;
import io.terrace.bench.conformance.launcher.TestRun;
import io.terrace.bench.conformance.launcher.TestRun.Ending;
import io.terrace.bench.conformance.launcher.TestRun.TestResult;
import java.util.HashMap;
import java.util.Map;

/** Runs for tests, described by the names of their tests: {@code "read"} passed, {@code "!read"} failed, {@code "?read"} skipped. */
public final class Runs {
    static final String CLASS_NAME = "a.TestRead";

    private Runs() {}

    static TestRun run(String... tests) {
        return run(Ending.COMPLETE, tests);
    }

    static TestRun run(Ending ending, String... tests) {
        return new TestRun(CLASS_NAME, ending, 1.5, results(tests), Map.of());
    }

    static TestRun reading(long readBytes, long grantedBytes, String... tests) {
        return new TestRun(
                CLASS_NAME,
                Ending.COMPLETE,
                1.5,
                results(tests),
                Map.of(TestRun.Figure.READ_BYTES, readBytes, TestRun.Figure.GRANTED_BYTES, grantedBytes));
    }

    static TestRun logging(Map<String, Long> figures, String... tests) {
        return new TestRun(CLASS_NAME, Ending.COMPLETE, 1.5, results(tests), figures);
    }

    private static Map<String, TestResult> results(String... tests) {
        Map<String, TestResult> results = new HashMap<>();
        for (String test : tests) {
            switch (test.charAt(0)) {
                case '!' -> results.put(test.substring(1), new TestResult(TestOutcome.FAILED, 7, "expected 1\nwas 2"));
                case '?' -> results.put(test.substring(1), new TestResult(TestOutcome.SKIPPED, 0, ""));
                default -> results.put(test, new TestResult(TestOutcome.PASSED, 7, ""));
            }
        }
        return results;
    }
}
