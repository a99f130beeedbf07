package io.terrace.bench.conformance.launcher;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * One run of one class in one JVM.
 *
 * @param className the class
 * @param ending how the JVM ended
 * @param seconds from start to end of the JVM
 * @param tests each test method (with its invocation, where it is parameterised) and how it ended
 * @param figures figures written by the JVM as it ended, by id; see {@link Figure}
 */
public record TestRun(
        String className, Ending ending, double seconds, Map<String, TestResult> tests, Map<String, Long> figures) {
    public TestRun {
        tests = Map.copyOf(tests);
        figures = Map.copyOf(figures);
    }

    /** How a test JVM ended. */
    public enum Ending {
        /** Every test was run to its end. */
        COMPLETE,
        /** Ended by us: the class's time limit was over. */
        TIMED_OUT,
        /** Ended by itself before the last test. */
        CRASHED
    }

    /** The figures that a run leaves behind. */
    public static final class Figure {
        /** Bytes that the client read through grants. */
        public static final String GRANTED_BYTES = "bytes.granted";
        /** All bytes that HDFS clients of the JVM read. */
        public static final String READ_BYTES = "bytes.read";
        /** Those of erasure-coded files, whose blocks Terrace does not serve. */
        public static final String ERASURE_CODED_BYTES = "bytes.read.erasure-coded";
        /** All bytes that HDFS clients of the JVM wrote. */
        public static final String WRITTEN_BYTES = "bytes.written";
        /** Those that all DataNodes of their blocks acknowledged over the channel. */
        public static final String CHANNEL_WRITTEN_BYTES = "client.write.bytes";
        /** Starts of DataNodes, all of them and those that Terrace served. */
        public static final String DATANODES = "datanodes";

        public static final String DATANODES_WITH_TERRACE = "datanodes.with.terrace";
        /** Starts of NameNodes, all of them and those with a placement service. */
        public static final String NAMENODES = "namenodes";

        public static final String NAMENODES_WITH_TERRACE = "namenodes.with.terrace";
        /** How often copies were evicted for others. */
        public static final String EVICTIONS = "evictions";
        /** How often Terrace failed, as it started or later, and left its DataNode to stock. */
        public static final String BROKE_OFF = "terrace.broke.off";

        /** How often the FileSystem class did not fit Hadoop's version and left reads to stock. */
        public static final String NOT_LINKED = "client.fs.not_linked";

        private Figure() {}
    }

    /**
     * How one test ended.
     *
     * @param outcome passed, failed or skipped
     * @param millis its duration
     * @param message first lines of the failure, empty where there is none
     */
    public record TestResult(TestOutcome outcome, long millis, String message) {}

    /** Whether the class as a whole passed: run to its end, with at least one test and no failure. */
    public boolean passed() {
        return ending == Ending.COMPLETE
                && !tests.isEmpty()
                && tests.values().stream().noneMatch(test -> test.outcome() == TestOutcome.FAILED);
    }

    /** Whether this test was run and passed. */
    public boolean passed(String test) {
        TestResult result = tests.get(test);
        return result != null && result.outcome() == TestOutcome.PASSED;
    }

    /** Whether this test failed; one that was never reached (crash, time limit) failed too. */
    public boolean failed(String test) {
        TestResult result = tests.get(test);
        return result == null ? !passed() : result.outcome() == TestOutcome.FAILED;
    }

    public int count(TestOutcome outcome) {
        return (int) tests.values().stream()
                .filter(test -> test.outcome() == outcome)
                .count();
    }

    /** Names of the failed tests with their messages, in order. */
    public Map<String, String> failures() {
        Map<String, String> failures = new TreeMap<>();
        tests.forEach((name, result) -> {
            if (result.outcome() == TestOutcome.FAILED) {
                failures.put(name, result.message());
            }
        });
        return failures;
    }

    public Set<String> testNames() {
        return new TreeSet<>(tests.keySet());
    }

    public long figure(String id) {
        return figures.getOrDefault(id, 0L);
    }
}
