package io.terrace.channel.verbs;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** Runs test classes where there is a device and no Maven: in the guest of {@code bin/terrace test verbs}. */
public final class VerbsSuite {
    private VerbsSuite() {}

    /** Arguments: a file for the counts, then names of test classes, or Class#method. Skipped tests count as failed: there is a device. */
    public static void main(String[] arguments) throws Exception {
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(Arrays.stream(arguments)
                        .skip(1)
                        .map(name -> name.contains("#") ? selectMethod(name) : selectClass(name))
                        .toList())
                .build();
        SummaryGeneratingListener summary = new SummaryGeneratingListener();
        StuckTestWatch watch = new StuckTestWatch(System.out);
        watch.start();
        LauncherFactory.create().execute(request, summary, new Progress(System.out, watch));
        var counts = summary.getSummary();
        counts.printFailuresTo(new java.io.PrintWriter(System.out, true, java.nio.charset.StandardCharsets.UTF_8), 40);
        long failed = counts.getTestsFailedCount()
                + counts.getTestsSkippedCount()
                + counts.getTestsAbortedCount()
                + counts.getContainersFailedCount()
                + counts.getContainersAbortedCount()
                + counts.getContainersSkippedCount();
        Files.writeString(
                Path.of(arguments[0]),
                "{\"tests\": " + counts.getTestsFoundCount() + ", \"failed\": " + failed + "}\n");
        System.exit(failed == 0 && counts.getTestsFoundCount() > 0 ? 0 : 1);
    }

    /** One line a test, so that a guest that hangs has said where. */
    private record Progress(PrintStream out, StuckTestWatch watch) implements TestExecutionListener {
        @Override
        public void executionStarted(TestIdentifier test) {
            if (test.isTest()) {
                out.println(test.getDisplayName() + " ...");
                watch.started();
            }
        }

        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            if (test.isTest() || result.getStatus() != TestExecutionResult.Status.SUCCESSFUL) {
                out.println("  " + result.getStatus()
                        + result.getThrowable().map(e -> " " + e).orElse(""));
            }
        }
    }
}
