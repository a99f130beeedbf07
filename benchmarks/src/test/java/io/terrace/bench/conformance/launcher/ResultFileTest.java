package io.terrace.bench.conformance.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.bench.conformance.launcher.TestRun.Ending;
import io.terrace.bench.conformance.launcher.TestRun.TestResult;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class ResultFileTest {
    @Test
    void parse_whatWasWritten() throws IOException {
        TestResult failure = new TestResult(TestOutcome.FAILED, 12, "tab\there,\nback\\slash \\n");

        TestRun run = ResultFile.parse(List.of(
                        ResultFile.classLine("a.TestRead"),
                        ResultFile.testLine("reads(int)[#1]", new TestResult(TestOutcome.PASSED, 3, "")),
                        ResultFile.testLine("seeks()", failure),
                        ResultFile.figureLine("bytes.read", 4096),
                        ResultFile.doneLine(),
                        ResultFile.endedLine(Ending.COMPLETE, 2.5)))
                .orElseThrow();

        assertThat(run.className()).isEqualTo("a.TestRead");
        assertThat(run.tests()).containsOnlyKeys("reads(int)[#1]", "seeks()").containsEntry("seeks()", failure);
        assertThat(run.figure("bytes.read")).isEqualTo(4096);
        assertThat(run.seconds()).isEqualTo(2.5);
        assertThat(run.passed()).isFalse();
    }

    @Test
    void parse_lastLineMissing() throws IOException {
        assertThat(ResultFile.parse(List.of(ResultFile.classLine("a.TestRead"), ResultFile.doneLine())))
                .isEmpty();
    }

    @Test
    void parse_testReportedTwice() throws IOException {
        TestRun run = ResultFile.parse(List.of(
                        ResultFile.testLine("reads()", new TestResult(TestOutcome.FAILED, 1, "first")),
                        ResultFile.testLine("reads()", new TestResult(TestOutcome.PASSED, 1, "")),
                        ResultFile.endedLine(Ending.COMPLETE, 1)))
                .orElseThrow();

        assertThat(run.failures()).containsEntry("reads()", "first");
    }

    @Test
    void parse_malformedLine() throws IOException {
        for (String bad : List.of("nonsense", "test\tonly", "test\tx\tMAYBE\t1\t", "figure\tx\tmany")) {
            assertThatThrownBy(() -> ResultFile.parse(List.of(bad, ResultFile.endedLine(Ending.COMPLETE, 1))))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(bad);
            assertThat(ResultFile.parse(List.of(bad, ResultFile.endedLine(Ending.CRASHED, 1))))
                    .as("torn as the JVM was killed")
                    .hasValueSatisfying(run -> assertThat(run.tests()).isEmpty());
        }
    }
}
