package io.terrace.bench.conformance.launcher;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.terrace.bench.conformance.launcher.TestRun.TestResult;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.UniqueId;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * The main class of a test's own JVM: runs one test class and appends what happens to a {@link ResultFile}.
 *
 * <p>Its class path is Hadoop's test class path and this package, with our jars only on Terrace's side; so this class
 * and what it loads need nothing but the JDK, JUnit and Hadoop.
 *
 * <p>Figures are written once: after the last test, or by a shutdown hook where a test or the runner's time limit ends
 * the JVM. The JVM is halted in the end, because tests leave non-daemon threads and slow hooks behind.
 */
public final class TestJvm {
    private static final int MESSAGE_CHARS = 2000;

    private final Side side;
    private final Path result;
    private final Presence presence = Presence.watched();
    private final AtomicBoolean figuresWritten = new AtomicBoolean();

    private TestJvm(Side side, Path result) {
        this.side = side;
        this.result = result;
    }

    /** Arguments: the side, the test class and the result file to append to. */
    public static void main(String[] args) {
        if (args.length != 3) {
            System.err.println("usage: TestJvm STOCK|TERRACE CLASS RESULT-FILE");
            Runtime.getRuntime().halt(2);
        }
        TestJvm jvm = new TestJvm(Side.valueOf(args[0]), Path.of(args[2]));
        Runtime.getRuntime().addShutdownHook(new Thread(jvm::writeFigures, "figures"));
        endWithRunner();
        try {
            jvm.run(args[1]);
        } catch (Throwable e) {
            // Threads that tests left would keep the JVM running until the time limit.
            e.printStackTrace();
            jvm.writeFigures();
            Runtime.getRuntime().halt(4);
        }
        jvm.writeFigures();
        jvm.append(ResultFile.doneLine());
        Runtime.getRuntime().halt(0);
    }

    /** Ends this JVM with the runner: a killed runner cannot do it. */
    private static void endWithRunner() {
        ProcessHandle.current().parent().ifPresent(runner -> runner.onExit()
                .thenRun(() -> Runtime.getRuntime().halt(5)));
    }

    private void run(String className) {
        append(ResultFile.classLine(className));
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(selectClass(className))
                .build();
        LauncherFactory.create().execute(request, new Recorder());
    }

    private void writeFigures() {
        if (figuresWritten.compareAndSet(false, true)) {
            Map<String, Long> figures = ClientBytes.ofThisJvm(side);
            figures.putAll(presence.figures());
            figures.forEach((id, value) -> append(ResultFile.figureLine(id, value)));
        }
    }

    private synchronized void append(String line) {
        try {
            Files.writeString(
                    result,
                    line + "\n",
                    StandardCharsets.UTF_8,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.WRITE,
                    StandardOpenOption.APPEND);
        } catch (IOException e) {
            e.printStackTrace();
            Runtime.getRuntime().halt(3);
        }
    }

    /** Writes each test down as it ends; a container (class, parameter set) only where it fails. */
    private final class Recorder implements TestExecutionListener {
        private final Map<String, Long> startedNs = new ConcurrentHashMap<>();

        @Override
        public void executionStarted(TestIdentifier test) {
            startedNs.put(test.getUniqueId(), System.nanoTime());
            if (test.isTest()) {
                System.out.println("=== " + name(test));
            }
        }

        @Override
        public void executionSkipped(TestIdentifier test, String reason) {
            append(ResultFile.testLine(name(test), new TestResult(TestOutcome.SKIPPED, 0, firstLines(reason))));
        }

        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult end) {
            boolean failed = end.getStatus() == TestExecutionResult.Status.FAILED;
            if (!test.isTest() && end.getStatus() == TestExecutionResult.Status.SUCCESSFUL) {
                return;
            }
            TestOutcome outcome = failed
                    ? TestOutcome.FAILED
                    : end.getStatus() == TestExecutionResult.Status.ABORTED ? TestOutcome.SKIPPED : TestOutcome.PASSED;
            long millis =
                    (System.nanoTime() - startedNs.getOrDefault(test.getUniqueId(), System.nanoTime())) / 1_000_000;
            String message = end.getThrowable().map(Throwable::toString).orElse("");
            append(ResultFile.testLine(name(test), new TestResult(outcome, millis, firstLines(message))));
            if (failed) {
                System.out.println("=== FAILED " + name(test));
                end.getThrowable().ifPresent(thrown -> thrown.printStackTrace(System.out));
            }
        }

        /** The unique id below the class, e.g. {@code testReads(int)[#2]}; {@code (class)} for the class itself. */
        private String name(TestIdentifier test) {
            StringBuilder name = new StringBuilder();
            for (UniqueId.Segment segment : test.getUniqueIdObject().getSegments()) {
                switch (segment.getType()) {
                    case "engine", "class", "class-template" -> {
                        // The same for every test of a run.
                    }
                    case "class-template-invocation", "test-template-invocation", "dynamic-test" -> name.append('[')
                            .append(segment.getValue())
                            .append(']');
                    default -> name.append(name.length() == 0 ? "" : ".").append(segment.getValue());
                }
            }
            return name.length() == 0 ? "(class)" : name.toString();
        }

        private String firstLines(String text) {
            return text.length() <= MESSAGE_CHARS ? text : text.substring(0, MESSAGE_CHARS);
        }
    }
}
