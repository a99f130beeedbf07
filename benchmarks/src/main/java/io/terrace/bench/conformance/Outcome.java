package io.terrace.bench.conformance;

/** How one test method ended. */
enum Outcome {
    PASSED,
    FAILED,
    /** Not run, or given up by an assumption of its own (no native library, another operating system). */
    SKIPPED
}
