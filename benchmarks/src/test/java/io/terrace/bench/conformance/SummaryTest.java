package io.terrace.bench.conformance;

import static io.terrace.bench.conformance.Runs.reading;
import static io.terrace.bench.conformance.Runs.run;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.terrace.bench.conformance.Campaign.ClassResult;
import java.util.List;
import org.junit.jupiter.api.Test;

class SummaryTest {
    private static ClassResult result(String name, List<TestRun> stock, List<TestRun> terrace) {
        return new ClassResult(new ListedClass("reads", "a." + name), Verdict.of(stock, terrace), stock, terrace);
    }

    private static final ClassResult SAME =
            result("Same", List.of(run("read", "seek")), List.of(reading(1000, 700, "read", "?seek")));
    private static final ClassResult DIFFERS =
            result("Differs", List.of(run("read")), List.of(run("!read"), run("!read"), reading(1000, 100, "!read")));
    private static final ClassResult OPEN = result("Open", List.of(run("read")), List.of());

    @Test
    void figures_flatJson() throws Exception {
        Summary summary = new Summary(
                List.of(SAME, DIFFERS, OPEN), Exclusions.parse(List.of("a.Other  why", "a.Same#slow  why")));

        JsonNode json = new ObjectMapper().readTree(new ObjectMapper().writeValueAsString(summary.figures()));

        assertThat(json.get("classes").intValue()).as("open ones do not count").isEqualTo(2);
        assertThat(json.get("tests").intValue()).isEqualTo(3);
        assertThat(json.get("differing").intValue()).isEqualTo(1);
        assertThat(json.get("bytes.granted.share").doubleValue()).isEqualTo(0.4);
        assertThat(json.get("classes.excluded").intValue()).isEqualTo(1);
        assertThat(json.get("tests.skipped.only.with.terrace").intValue()).isEqualTo(1);
        assertThat(json).allMatch(JsonNode::isValueNode);
        assertThat(summary.differs()).isTrue();
    }

    @Test
    void figures_nothingRead() {
        Summary summary =
                new Summary(List.of(result("Same", List.of(run("read")), List.of(run("read")))), Exclusions.NONE);

        assertThat(summary.figures()).doesNotContainKey("bytes.granted.share").containsEntry("differing", 0);
        assertThat(summary.differs()).isFalse();
    }

    @Test
    void differences_nameTestAndMessage() {
        assertThat(new Summary(List.of(SAME, DIFFERS), Exclusions.NONE).differences())
                .contains("a.Differs differs", "  read: expected 1", "  three times of three: read")
                .contains("a.Same skips only with Terrace: [seek]");
    }

    @Test
    void differences_nameTheTestsOfAClassThatIsSkippedAsAWhole() {
        ClassResult skipped = result("Skipped", List.of(run("read", "?seek")), List.of(run("?(class)")));
        assertThat(new Summary(List.of(skipped), Exclusions.NONE).differences())
                .containsExactly("a.Skipped skips only with Terrace: [read]");
    }

    @Test
    void table_oneLineAClass() {
        assertThat(new Summary(List.of(SAME, DIFFERS, OPEN), Exclusions.NONE).table())
                .hasSize(4)
                .anySatisfy(line -> assertThat(line).contains("Differs", "0/1 of 3", "0.10", "DIFFERS"));
    }
}
