package io.terrace.bench.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ZipfTest {
    @Test
    void draw_manyTimes_followsTheLaw() {
        Zipf zipf = new Zipf(100, 1.0);
        SplittableRandom random = new SplittableRandom(5);
        int draws = 200_000;
        int[] counts = new int[100];
        for (int i = 0; i < draws; i++) {
            counts[zipf.draw(random)]++;
        }
        double harmonic = 5.18738;

        assertThat(counts[0] / (double) draws).isCloseTo(1 / harmonic, within(0.005));
        assertThat(counts[9] / (double) draws).isCloseTo(0.1 / harmonic, within(0.002));
        assertThat(zipf.share(25)).isCloseTo(3.81596 / harmonic, within(1e-4));
        assertThat(zipf.share(100)).isEqualTo(1);
    }

    @Test
    void draw_withoutSkew_reachesFirstAndLastRank() {
        Zipf zipf = new Zipf(2, 0);
        SplittableRandom random = new SplittableRandom(5);
        int sum = 0;
        for (int i = 0; i < 10_000; i++) {
            sum += zipf.draw(random);
        }

        assertThat(sum).isBetween(4_800, 5_200);
    }
}
