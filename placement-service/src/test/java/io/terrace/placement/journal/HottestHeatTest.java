package io.terrace.placement.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Comparator;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class HottestHeatTest {

    @Test
    void random_agreesWithASort() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        Map<Long, Double> ranks = new TreeMap<>();
        HottestHeat hottest = new HottestHeat(50, 1_000);
        for (long id = 0; id < 2_000; id++) {
            float heat = random.nextFloat() * 100 + 0.01f;
            long lastMs = random.nextInt(1_000_000);
            ranks.put(id, Math.log(heat) / Math.log(2) + lastMs / 1_000.0);
            hottest.add(id, heat, lastMs);
        }
        hottest.add(9_999, 0, 2_000_000);
        assertThat(hottest.takeHottestFirst())
                .as("seed %d", seed)
                .containsExactly(ranks.entrySet().stream()
                        .sorted(Map.Entry.<Long, Double>comparingByValue(Comparator.reverseOrder()))
                        .limit(50)
                        .mapToLong(Map.Entry::getKey)
                        .toArray());
    }

    @Test
    void fewer_allOfThem() {
        HottestHeat hottest = new HottestHeat(5, 1_000);
        hottest.add(1, 1, 0);
        hottest.add(2, 2, 0);
        assertThat(hottest.takeHottestFirst()).containsExactly(2, 1);
        assertThat(hottest.takeHottestFirst()).isEmpty();
    }
}
