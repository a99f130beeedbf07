package io.terrace.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class ResultSheetTest {
    @Test
    void figures_withTargets_sayWhetherTheyAreReached() {
        StringWriter text = new StringWriter();
        ResultSheet scores = new ResultSheet(new PrintWriter(text));

        scores.atLeast("a.ratio", 2.0, 2.0);
        scores.atLeast("b.ratio", 1.9, 2.0);
        scores.below("c.delay_s", 2.0, 2.0);
        scores.note("d.speed", 3.5, "GB/s");

        assertThat(scores.missed()).isEqualTo(2);
        assertThat(scores.figures())
                .containsOnlyKeys("a.ratio", "b.ratio", "c.delay_s", "d.speed")
                .containsEntry("b.ratio", 1.9);
        assertThat(text.toString().lines())
                .satisfiesExactly(
                        a -> assertThat(a).contains("a.ratio", "at least 2.0").endsWith("reached"),
                        b -> assertThat(b).endsWith("MISSED"),
                        c -> assertThat(c).contains("under 2.0").endsWith("MISSED"),
                        d -> assertThat(d).endsWith("GB/s"));
    }
}
