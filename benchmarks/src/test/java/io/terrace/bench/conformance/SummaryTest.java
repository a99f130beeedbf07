package io.terrace.bench.conformance;

import static io.terrace.bench.conformance.Runs.logging;
import static io.terrace.bench.conformance.Runs.reading;
import static io.terrace.bench.conformance.Runs.run;
import static io.terrace.bench.conformance.launcher.TestRun.Figure.CHANNEL_WRITTEN_BYTES;
import static io.terrace.bench.conformance.launcher.TestRun.Figure.ERASURE_CODED_BYTES;
import static io.terrace.bench.conformance.launcher.TestRun.Figure.GRANTED_BYTES;
import static io.terrace.bench.conformance.launcher.TestRun.Figure.READ_BYTES;
import static io.terrace.bench.conformance.launcher.TestRun.Figure.WRITTEN_BYTES;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.terrace.bench.conformance.Campaign.ClassResult;
import io.terrace.bench.conformance.launcher.Side;
import io.terrace.bench.conformance.launcher.TestRun;
import io.terrace.bench.conformance.launcher.TestRun.Ending;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SummaryTest {
    private static ClassResult result(String name, List<TestRun> stock, List<TestRun> terrace) {
        return new ClassResult(new ListedClass("reads", "a." + name), Verdict.of(stock, terrace), stock, terrace);
    }

    private static final ClassResult SAME =
            result("Same", List.of(run("read", "?seek")), List.of(reading(1000, 700, "read", "?seek")));
    private static final ClassResult DIFFERS =
            result("Differs", List.of(run("read")), List.of(run("!read"), run("!read"), reading(1000, 100, "!read")));
    private static final ClassResult SKIPS =
            result("Skips", List.of(run("read", "seek")), Collections.nCopies(3, run("read", "?seek")));
    private static final ClassResult OPEN = result("Open", List.of(run("read")), List.of());

    @Test
    void figures_flatJson() throws Exception {
        Summary summary = new Summary(
                List.of(SAME, DIFFERS, OPEN),
                Exclusions.parse(List.of("a.Other  why", "a.Same#slow  why"), Provider.SHM, false),
                Exclusions.parse(List.of("a.Same  reads damage"), Provider.SHM, false));

        JsonNode json = new ObjectMapper().readTree(new ObjectMapper().writeValueAsString(summary.figures()));

        assertThat(json.get("classes").intValue()).as("open ones do not count").isEqualTo(2);
        assertThat(json.get("tests").intValue()).isEqualTo(3);
        assertThat(json.get("differing").intValue()).isEqualTo(1);
        assertThat(json.get("bytes.granted.share").doubleValue())
                .as("without the class that runs without copies")
                .isEqualTo(0.1);
        assertThat(json.get("bytes.granted.share.of.all").doubleValue())
                .as("with what it read")
                .isEqualTo(0.05);
        assertThat(json.get("classes.excluded").intValue()).isEqualTo(1);
        assertThat(json.get("classes.without.copies").intValue()).isEqualTo(1);
        assertThat(json.get("tests.skipped.only.with.terrace").intValue()).isZero();
        assertThat(json).allMatch(JsonNode::isValueNode);
        assertThat(summary.differs()).isTrue();
    }

    @Test
    void share_withoutWhatHadoopDoesNotCount() {
        ClassResult direct = result("Direct", List.of(run("read")), List.of(reading(0, 1_000_000, "read")));
        Summary summary = new Summary(List.of(SAME, DIFFERS, direct), Exclusions.NONE, Exclusions.NONE);

        assertThat(summary.figures())
                .containsEntry("bytes.granted.share", 0.4)
                .containsEntry("bytes.granted.share.of.all", 0.4)
                .containsEntry("classes.reading", 2)
                .containsEntry("classes.reading.uncounted", 1);
        assertThat(summary.table()).anySatisfy(line -> assertThat(line).contains("Direct", "yes"));
    }

    @Test
    void share_withoutErasureCodedFiles() {
        ClassResult striped = result(
                "Striped",
                List.of(run("read")),
                List.of(logging(Map.of(READ_BYTES, 900L, ERASURE_CODED_BYTES, 900L), "read")));
        ClassResult mixed = result(
                "Mixed",
                List.of(run("read")),
                List.of(logging(Map.of(READ_BYTES, 900L, ERASURE_CODED_BYTES, 800L, GRANTED_BYTES, 75L), "read")));
        Summary summary = new Summary(List.of(striped, mixed), Exclusions.NONE, Exclusions.NONE);

        assertThat(summary.figures())
                .containsEntry("bytes.granted.share", 0.75)
                .containsEntry("bytes.granted.share.of.all", 0.0417)
                .containsEntry("bytes.read", 100L)
                .containsEntry("bytes.read.erasure-coded", 1700L)
                .containsEntry("classes.reading", 1);
    }

    @Test
    void share_ofWhatWasWritten() {
        ClassResult most = result(
                "Most",
                List.of(run("write")),
                List.of(logging(Map.of(WRITTEN_BYTES, 1000L, CHANNEL_WRITTEN_BYTES, 900L), "write")));
        ClassResult none =
                result("None", List.of(run("write")), List.of(logging(Map.of(WRITTEN_BYTES, 1000L), "write")));
        ClassResult uncounted = result(
                "Uncounted", List.of(run("write")), List.of(logging(Map.of(CHANNEL_WRITTEN_BYTES, 900L), "write")));
        Summary summary = new Summary(List.of(most, none, uncounted), Exclusions.NONE, Exclusions.NONE);

        assertThat(summary.figures())
                .containsEntry("bytes.written.share", 0.45)
                .containsEntry("bytes.written.channel", 900L)
                .containsEntry("bytes.written", 2000L);
    }

    @Test
    void figures_nothingRead() {
        Summary summary = new Summary(
                List.of(result("Same", List.of(run("read")), List.of(run("read")))), Exclusions.NONE, Exclusions.NONE);

        assertThat(summary.figures())
                .doesNotContainKeys("bytes.granted.share", "bytes.written.share")
                .containsEntry("differing", 0);
        assertThat(summary.differs()).isFalse();
    }

    @Test
    void classesThatWereRunAgain_areCountedBySide() {
        ClassResult flaky = result("Flaky", List.of(run("read")), List.of(run("!read"), run("read")));
        ClassResult failing =
                result("Failing", List.of(run("!read"), run("!read"), run("!read")), List.of(run("!read")));
        Summary summary = new Summary(List.of(SAME, flaky, failing), Exclusions.NONE, Exclusions.NONE);

        assertThat(summary.differs()).isFalse();
        assertThat(summary.figures())
                .containsEntry("classes.same", 2)
                .containsEntry("classes.retried.terrace", 1)
                .containsEntry("classes.retried.stock", 1);
    }

    @Test
    void differences_nameTestAndMessage() {
        assertThat(new Summary(List.of(SAME, DIFFERS, SKIPS), Exclusions.NONE, Exclusions.NONE).differences())
                .contains("a.Differs differs", "  read: expected 1", "  three times of three: read")
                .contains("a.Skips differs", "  three times of three: seek")
                .contains("a.Skips skips only with Terrace: [seek]");
    }

    @Test
    void differences_nameTheTestsOfAClassThatIsSkippedAsAWhole() {
        ClassResult skipped = result("Skipped", List.of(run("read", "?seek")), List.of(run("?(class)")));
        assertThat(new Summary(List.of(skipped), Exclusions.NONE, Exclusions.NONE).differences())
                .containsExactly("a.Skipped skips only with Terrace: [read]");
    }

    @Test
    void classWithoutTerrace_isNamed() {
        ClassResult stock = result("Stock", List.of(run("read")), List.of(logging(Map.of("datanodes", 3L), "read")));
        ClassResult used = result(
                "Used",
                List.of(run("read")),
                List.of(logging(Map.of("datanodes", 3L, "datanodes.with.terrace", 3L, "evictions", 5L), "read")));
        Summary summary = new Summary(List.of(SAME, stock, used), Exclusions.NONE, Exclusions.NONE);

        assertThat(summary.figures())
                .containsEntry("classes", 2)
                .containsEntry("tests", 3)
                .containsEntry("classes.without.terrace", 1)
                .containsEntry("datanodes", 6L)
                .containsEntry("datanodes.with.terrace", 3L)
                .containsEntry("evictions", 5L)
                .containsEntry("classes.evicting", 1);
        assertThat(summary.differences()).anySatisfy(line -> assertThat(line).startsWith("a.Stock started"));
        assertThat(summary.table())
                .anySatisfy(line -> assertThat(line).contains("Stock").endsWith("-  without Terrace"))
                .anySatisfy(line -> assertThat(line).contains("Used").endsWith(" 5  "));
        assertThat(summary.differs()).isFalse();
    }

    @Test
    void classWhoseDataNodesAreAllStock_isNamed_whateverItsNameNodesAre() {
        ClassResult stock = result(
                "Stock",
                List.of(run("read")),
                List.of(logging(Map.of("datanodes", 3L, "namenodes", 1L, "namenodes.with.terrace", 1L), "read")));
        Summary summary = new Summary(List.of(SAME, stock), Exclusions.NONE, Exclusions.NONE);

        assertThat(summary.figures()).containsEntry("classes.without.terrace", 1);
        assertThat(summary.differences()).anySatisfy(line -> assertThat(line).startsWith("a.Stock started"));
    }

    @Test
    void classWithoutVerdict_isNotComplete() {
        assertThat(new Summary(List.of(SAME), Exclusions.NONE, Exclusions.NONE).complete())
                .isTrue();
        Summary open = new Summary(List.of(SAME, OPEN), Exclusions.NONE, Exclusions.NONE);
        assertThat(open.complete()).isFalse();
        assertThat(open.ran(Side.STOCK)).isTrue();
        assertThat(open.ran(Side.TERRACE)).isFalse();
    }

    @Test
    void tierThatFailedMeanwhile_isNoPass() {
        ClassResult broken =
                result("Broken", List.of(run("read")), List.of(logging(Map.of("terrace.broke.off", 1L), "read")));
        Summary summary = new Summary(List.of(broken), Exclusions.NONE, Exclusions.NONE);

        assertThat(summary.differs()).isTrue();
        assertThat(summary.differences()).anySatisfy(line -> assertThat(line).startsWith("a.Broken: Terrace failed"));
    }

    @Test
    void tierThatFailedInAnEarlierRun_isNoPass() {
        ClassResult broken = result(
                "Broken", List.of(run("read")), List.of(logging(Map.of("terrace.broke.off", 1L), "read"), run("read")));
        Summary summary = new Summary(List.of(broken), Exclusions.NONE, Exclusions.NONE);

        assertThat(summary.differs()).isTrue();
        assertThat(summary.figures()).containsEntry("classes.terrace.broke.off", 1);
    }

    @Test
    void runOnDaemonsWithoutTerrace_isNoPass() {
        ClassResult stock =
                result("Stock", List.of(run("read")), List.of(logging(Map.of(TestRun.Figure.DATANODES, 1L), "read")));
        ClassResult terrace = result(
                "Terrace",
                List.of(run("read")),
                List.of(logging(
                        Map.of(TestRun.Figure.DATANODES, 1L, TestRun.Figure.DATANODES_WITH_TERRACE, 1L), "read")));
        assertThat(new Summary(List.of(stock), Exclusions.NONE, Exclusions.NONE).differs())
                .isTrue();
        assertThat(new Summary(List.of(stock, terrace), Exclusions.NONE, Exclusions.NONE).differs())
                .as("one class has a dataset of its own")
                .isFalse();
    }

    @Test
    void clientThatDidNotFit_isNoPass() {
        ClassResult unfit =
                result("Unfit", List.of(run("read")), List.of(logging(Map.of("client.fs.not_linked", 1L), "read")));
        assertThat(new Summary(List.of(unfit), Exclusions.NONE, Exclusions.NONE).differs())
                .isTrue();
    }

    @Test
    void classThatStockCannotRun_isSaid() {
        TestRun nothing = run(Ending.CRASHED);
        ClassResult gone = result("Gone", List.of(nothing, nothing, nothing), List.of(nothing));
        Summary summary = new Summary(List.of(gone), Exclusions.NONE, Exclusions.NONE);

        assertThat(summary.complete()).isFalse();
        assertThat(summary.differences()).anySatisfy(line -> assertThat(line).contains("a.Gone could not be run"));
    }

    @Test
    void table_saysWhatIsLeftOut() {
        Summary summary = new Summary(
                List.of(SAME),
                Exclusions.parse(List.of("a.Same#slow  why"), Provider.SHM, false),
                Exclusions.parse(List.of("a.Same  reads damage"), Provider.SHM, false));
        assertThat(summary.table()).anySatisfy(line -> assertThat(line).endsWith("1 test left out, no copies"));
    }

    @Test
    void table_oneLineAClass() {
        assertThat(new Summary(List.of(SAME, DIFFERS, OPEN), Exclusions.NONE, Exclusions.NONE).table())
                .hasSize(4)
                .anySatisfy(line -> assertThat(line).contains("Differs", "0/1 of 3", "0.10", "DIFFERS"));
    }
}
