package io.terrace.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.terrace.bench.compare.ComparedFigure.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BuildComparisonTest {
    private static final double LEAST = 0.97;

    private static ComparedFigure only(String id, double[] old, double[] own) {
        BuildComparison comparison = new BuildComparison();
        for (int i = 0; i < old.length; i++) {
            comparison.add(Map.of(id, old[i]), Map.of(id, own[i]));
        }
        assertThat(comparison.figures(LEAST)).hasSize(1);
        return comparison.figures(LEAST).get(0);
    }

    @Test
    void figures_ofTimes_areTurnedSoThatOverOneIsFaster() {
        ComparedFigure figure =
                only("local.pos4k.terrace_us", new double[] {10, 10, 10, 10, 10}, new double[] {5, 8, 10, 12.5, 5});

        assertThat(figure.change()).isEqualTo(1.25);
        assertThat(figure.low()).isEqualTo(0.8);
        assertThat(figure.high()).isEqualTo(2);
        assertThat(figure.old()).isEqualTo(10);
        assertThat(figure.own()).isEqualTo(8);
        assertThat(figure.verdict()).isEqualTo(Verdict.OPEN);
    }

    @Test
    void figures_ofRatesAndRatiosToStock_areBetterWhenLarger() {
        double[] old = {10, 10, 10, 10, 10};
        double[] own = {20, 20, 20, 20, 20};

        for (String id : new String[] {
            "remote.seq.terrace_gb_s",
            "remote.readers4.terrace_reads_s",
            "local.pos4k.tcp",
            "cpu.datanode.remote.pos.tcp"
        }) {
            assertThat(only(id, old, own).change()).as(id).isEqualTo(2);
        }
        for (String id : new String[] {
            "promote.delay_s", "promote.delay_s.worst", "cpu.datanode.terrace_s_gb", "remote.calls.terrace"
        }) {
            assertThat(only(id, old, own).change()).as(id).isEqualTo(0.5);
        }
    }

    @Test
    void figures_underInEveryRound_areUnderAndOthersNot() {
        double[] old = {1, 1, 1, 1, 1};

        assertThat(only("local.seq.tcp", old, new double[] {0.9, 0.95, 0.96, 0.969, 0.8})
                        .verdict())
                .isEqualTo(Verdict.UNDER);
        assertThat(only("local.seq.tcp", old, new double[] {0.9, 0.95, 0.96, 0.97, 0.8})
                        .verdict())
                .isEqualTo(Verdict.OPEN);
        assertThat(only("local.seq.tcp", old, new double[] {0.97, 1, 1, 1, 2}).verdict())
                .isEqualTo(Verdict.REACHED);
    }

    @Test
    void figures_ofFewerThanFiveRounds_decideNothing() {
        ComparedFigure figure = only("local.seq.tcp", new double[] {1, 1, 1, 1}, new double[] {0.5, 0.5, 0.4, 0.6});

        assertThat(figure.verdict()).isEqualTo(Verdict.OPEN);
        assertThat(figure.bounded()).isFalse();
        assertThat(figure.low()).isEqualTo(0.4);
        assertThat(figure.high()).isEqualTo(0.6);
    }

    @Test
    void figures_ofWhatBaselinesTook_areNotOfTerrace() {
        double[] ones = {1};

        for (String id : new String[] {
            "local.pos4k.sctuned_us",
            "local.seq.memcpy_gb_s",
            "cpu.datanode.tcp_s_gb",
            "remote.readers1.stock_reads_s",
            "remote.calls.stock"
        }) {
            assertThat(only(id, ones, ones).ofTerrace()).as(id).isFalse();
        }
        for (String id : new String[] {
            "local.pos4k.sctuned",
            "local.seq.terrace_mapped_gb_s",
            "stock.hot.seq",
            "remote.choice.memory_always_us",
            "local.seq.memcpy.share"
        }) {
            assertThat(only(id, ones, ones).ofTerrace()).as(id).isTrue();
        }
    }

    /** Every figure of {@code bench read}. */
    @Test
    void figures_ofBenchRead_areTurnedAndJudgedAsWhatTheyAre() {
        List<String> reads = List.of("local.pos4k", "local.pos64k");
        List<String> colds = List.of("cold.pos4k.tcp", "cold.seq.tcp");
        List<String> ofOneClient = List.of("", ".median", ".cpu", ".cpu.bound");

        List<String> lessIsBetter =
                new ArrayList<>(List.of("cpu.datanode.terrace_s_gb", "promote.delay_s", "promote.delay_s.worst"));
        List<String> stockTakesLess =
                new ArrayList<>(List.of("cpu.datanode.tcp_s_gb", "cold.pos4k.tcp.datanode.stock_cpu_us"));
        for (String id : reads) {
            lessIsBetter.add(id + ".terrace_us");
            List.of(".tcp_us", ".sc_us", ".sctuned_us").forEach(end -> stockTakesLess.add(id + end));
        }
        colds.forEach(id -> stockTakesLess.add(id + ".stock_us"));

        List<String> moreIsBetter = new ArrayList<>(List.of(
                "local.seq.terrace_gb_s",
                "local.seq.terrace_mapped_gb_s",
                "local.seq.memcpy.share",
                "local.seq.mapped.memcpy.share",
                "local.seq.tcp",
                "local.seq.sc",
                "local.seq.mapped.sc",
                "local.seq.first.terrace_gb_s",
                "local.seq.first.sc",
                "stock.hot.seq",
                "open.hot.tcp",
                "open.hot.tcp.median",
                "cpu.datanode.local.tcp",
                "promote.copy",
                "promote.copy.terrace_gb_s",
                "cold.pos4k.tcp.datanode.cpu"));
        List<String> stockHasMore = new ArrayList<>(List.of(
                "local.seq.tcp_gb_s",
                "local.seq.sc_gb_s",
                "local.seq.memcpy_gb_s",
                "local.seq.first.sc_gb_s",
                "promote.copy.plain_gb_s"));
        for (String id : reads) {
            List.of(".tcp", ".sc", ".sctuned").forEach(end -> moreIsBetter.add(id + end));
        }
        for (String id : colds) {
            moreIsBetter.addAll(List.of(id + ".datanode", id + ".datanode.median"));
            ofOneClient.forEach(end -> moreIsBetter.addAll(List.of(id + end, id + ".class" + end)));
            ofOneClient.forEach(end -> stockHasMore.addAll(List.of(id + ".same" + end, id + ".declined" + end)));
        }

        lessIsBetter.forEach(id -> assertKind(id, 0.5, true));
        stockTakesLess.forEach(id -> assertKind(id, 0.5, false));
        moreIsBetter.forEach(id -> assertKind(id, 2, true));
        stockHasMore.forEach(id -> assertKind(id, 2, false));
        for (String id : colds) {
            assertKind(id + ".allocated", -10, true);
            assertKind(id + ".class.allocated", -10, true);
            assertKind(id + ".same.allocated", -10, false);
            assertKind(id + ".declined.allocated", -10, false);
        }
    }

    /** @param change from 10 to 20 */
    private static void assertKind(String id, double change, boolean ofTerrace) {
        ComparedFigure figure = only(id, new double[] {10}, new double[] {20});
        assertThat(figure.change()).as(id).isEqualTo(change);
        assertThat(figure.ofTerrace()).as(id).isEqualTo(ofTerrace);
        assertThat(figure.byDifference()).as(id).isEqualTo(id.endsWith(".allocated"));
    }

    @Test
    void figures_thatMayBeZeroOrLess_areComparedByDifference() {
        String id = "cold.pos4k.tcp.allocated";
        double[] none = {0, -8, 0, 0, 8};

        ComparedFigure same = only(id, none, none);
        assertThat(same.change()).isZero();
        assertThat(same.verdict()).isEqualTo(Verdict.REACHED);
        assertThat(same.isMedianUnder(LEAST)).isFalse();

        ComparedFigure more = only(id, none, new double[] {360, 352, 360, 360, 368});
        assertThat(more.change()).isEqualTo(-360);
        assertThat(more.verdict()).isEqualTo(Verdict.UNDER);

        ComparedFigure fewer = only(id, new double[] {360, 352, 360, 360, 368}, none);
        assertThat(fewer.verdict()).isEqualTo(Verdict.REACHED);

        ComparedFigure unsure = only(id, none, new double[] {360, 352, 0, 0, 368});
        assertThat(unsure.verdict()).isEqualTo(Verdict.OPEN);
        assertThat(unsure.isMedianUnder(LEAST)).isTrue();
    }

    @Test
    void figures_ofYesOrNo_compareZeros() {
        assertThat(only("remote.calls.equal", new double[] {0, 1}, new double[] {0, 1})
                        .change())
                .isEqualTo(1);
        assertThat(only("remote.calls.equal", new double[] {1}, new double[] {0})
                        .change())
                .isZero();
    }

    @Test
    void figures_withoutNumberInARound_useTheOtherRounds() {
        ComparedFigure figure =
                only("cpu.datanode.local.tcp", new double[] {Double.POSITIVE_INFINITY, 10, 10}, new double[] {
                    10, 9, Double.NaN
                });

        assertThat(figure.change()).isCloseTo(0.9, within(1e-9));
        assertThat(figure.low()).isEqualTo(figure.high());
    }

    @Test
    void missingAndUnmeasured_nameWhatIsNotCompared() {
        BuildComparison comparison = new BuildComparison();
        comparison.add(
                Map.of("a.tcp", 1.0, "b.tcp", 1.0, "c_us", 0.0), Map.of("b.tcp", 1.0, "c_us", 1.0, "d.tcp", 1.0));
        comparison.add(Map.of("b.tcp", 1.0), Map.of("b.tcp", 1.0));

        assertThat(comparison.missing()).containsExactly("a.tcp");
        assertThat(comparison.unmeasured()).containsExactly("c_us");
        assertThat(comparison.figures(LEAST)).extracting(ComparedFigure::id).containsExactly("b.tcp");
    }
}
