package io.terrace.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.terrace.bench.compare.ComparedFigure.Verdict;
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

        assertThat(figure.ratio()).isEqualTo(1.25);
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
            assertThat(only(id, old, own).ratio()).as(id).isEqualTo(2);
        }
        for (String id : new String[] {
            "promote.delay_s", "promote.delay_s.worst", "cpu.datanode.terrace_s_gb", "remote.calls.terrace"
        }) {
            assertThat(only(id, old, own).ratio()).as(id).isEqualTo(0.5);
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

    @Test
    void figures_ofYesOrNo_compareZeros() {
        assertThat(only("remote.calls.equal", new double[] {0, 1}, new double[] {0, 1})
                        .ratio())
                .isEqualTo(1);
        assertThat(only("remote.calls.equal", new double[] {1}, new double[] {0})
                        .ratio())
                .isZero();
    }

    @Test
    void figures_withoutNumberInARound_useTheOtherRounds() {
        ComparedFigure figure =
                only("cpu.datanode.local.tcp", new double[] {Double.POSITIVE_INFINITY, 10, 10}, new double[] {
                    10, 9, Double.NaN
                });

        assertThat(figure.ratio()).isCloseTo(0.9, within(1e-9));
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
