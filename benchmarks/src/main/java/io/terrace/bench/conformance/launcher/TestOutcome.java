package io.terrace.bench.conformance.launcher;

/** How one test method ended. */
public enum TestOutcome {
    PASSED,
    FAILED,
    /** Not run, or given up by an assumption of its own (no native library, another operating system). */
    SKIPPED
}
