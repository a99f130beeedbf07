package io.terrace.bench.conformance.launcher;

import io.terrace.bench.conformance.launcher.TestRun.Ending;
import io.terrace.bench.conformance.launcher.TestRun.TestResult;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The file in which one run is written down: lines of tab-separated fields, appended as the tests end, so that a JVM that
 * dies leaves what it had.
 *
 * <pre>
 * class   NAME
 * test    NAME  PASSED|FAILED|SKIPPED  MILLIS  MESSAGE
 * figure  ID    VALUE
 * done                                    (the test JVM: every test was run)
 * ended   COMPLETE|TIMED_OUT|CRASHED  SECONDS  (the runner, last)
 * </pre>
 *
 * A test that is reported twice keeps its worse result.
 */
public final class ResultFile {
    private static final String CLASS = "class";
    private static final String TEST = "test";
    private static final String FIGURE = "figure";
    private static final String DONE = "done";
    private static final String ENDED = "ended";

    private ResultFile() {}

    public static String classLine(String className) {
        return line(CLASS, className);
    }

    public static String testLine(String test, TestResult result) {
        return line(TEST, test, result.outcome().name(), Long.toString(result.millis()), result.message());
    }

    static String figureLine(String id, long value) {
        return line(FIGURE, id, Long.toString(value));
    }

    static String doneLine() {
        return line(DONE);
    }

    public static String endedLine(Ending ending, double seconds) {
        return line(ENDED, ending.name(), Double.toString(seconds));
    }

    /** Whether the test JVM had written that every test was run. */
    public static boolean isDone(List<String> lines) {
        return lines.contains(DONE);
    }

    /**
     * The run that these lines describe, or nothing where the last line is missing (the runner was stopped in between).
     *
     * <p>A JVM that is killed tears the line that it writes: such a line is left out of a run that is not complete.
     *
     * @throws IOException where a line is not of this format
     */
    public static Optional<TestRun> parse(List<String> lines) throws IOException {
        String className = "";
        Map<String, TestResult> tests = new HashMap<>();
        Map<String, Long> figures = new HashMap<>();
        Optional<IOException> torn = Optional.empty();
        for (String line : lines) {
            String[] fields = line.split("\t", -1);
            try {
                switch (fields[0]) {
                    case CLASS -> className = unescape(fields[1]);
                    case TEST -> tests.merge(
                            unescape(fields[1]),
                            new TestResult(
                                    TestOutcome.valueOf(fields[2]), Long.parseLong(fields[3]), unescape(fields[4])),
                            ResultFile::worse);
                    case FIGURE -> figures.put(unescape(fields[1]), Long.parseLong(fields[2]));
                    case DONE -> {
                        // The runner's last line repeats it as COMPLETE.
                    }
                    case ENDED -> {
                        Ending ending = Ending.valueOf(fields[1]);
                        if (torn.isPresent() && ending == Ending.COMPLETE) {
                            throw torn.get();
                        }
                        return Optional.of(
                                new TestRun(className, ending, Double.parseDouble(fields[2]), tests, figures));
                    }
                    default -> torn = Optional.of(new IOException("not a line of a result: " + line));
                }
            } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
                torn = Optional.of(new IOException("not a line of a result: " + line, e));
            }
        }
        return Optional.empty();
    }

    private static TestResult worse(TestResult one, TestResult other) {
        return one.outcome() == TestOutcome.FAILED ? one : other;
    }

    private static String line(String... fields) {
        StringBuilder line = new StringBuilder();
        for (String field : fields) {
            if (line.length() > 0) {
                line.append('\t');
            }
            line.append(escape(field));
        }
        return line.toString();
    }

    private static String escape(String text) {
        return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\r", "").replace("\n", "\\n");
    }

    private static String unescape(String text) {
        StringBuilder plain = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\\' && i + 1 < text.length()) {
                char next = text.charAt(++i);
                plain.append(next == 't' ? '\t' : next == 'n' ? '\n' : next);
            } else {
                plain.append(c);
            }
        }
        return plain.toString();
    }
}
