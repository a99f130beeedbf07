package io.terrace.policy.adaptive;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.policy.shelf.Shelf;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ResidencyTest {

    private final Records records = new Records(10_000);
    private final Ranking ranking = new Ranking(records, new ReturnModel(100_000, 0.01));
    private final Residency residency = new Residency(AdaptiveShelf.REAL, records, ranking, 5000);
    private double leastGone;
    private boolean gone;

    /** By brute force, the least worth of all members. */
    private double least(Rule rule, long nowMs) {
        double least = Double.POSITIVE_INFINITY;
        for (int slot = 0; slot < records.high(); slot++) {
            if (residency.has(slot)) {
                least = Math.min(least, ranking.worth(rule, slot, nowMs));
            }
        }
        return least;
    }

    @Test
    void offer_worthsThatOnlyRise_alwaysEvictsTheLeast() {
        long seed = new Random().nextLong();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        Rule rule = Rule.SLOW_DENSITY;
        for (int i = 0; i < 20_000; i++) {
            long nowMs = i * 1000L;
            long id = (long) (Math.abs(random.nextGaussian()) * 600);
            int slot = records.find(id, Hash.of(id));
            if (slot == Records.NONE) {
                slot = records.add(id, Hash.of(id));
                records.size(slot, 1 + id % 40);
            } else {
                ranking.heat(slot, nowMs - records.readMs(slot), 1);
            }
            records.readMs(slot, nowMs);
            if (!residency.has(slot)) {
                double least = least(rule, nowMs);
                gone = false;
                Shelf.Evictions evictions = (object, size) -> {
                    double worth = ranking.worth(rule, records.find(object, Hash.of(object)), nowMs);
                    leastGone = gone ? Math.min(leastGone, worth) : worth;
                    gone = true;
                };
                residency.offer(slot, rule, nowMs, evictions);
                if (gone) {
                    assertThat(leastGone).isEqualTo(least);
                }
            }
            assertThat(residency.usedBytes()).isLessThanOrEqualTo(5000);
        }
    }
}
