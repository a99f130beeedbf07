package io.terrace.policy.adaptive;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.policy.cache.CachePolicy;
import it.unimi.dsi.fastutil.HashCommon;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CacheContentsTest {

    private final ObjectRecords records = new ObjectRecords(10_000);
    private final ObjectRanking ranking = new ObjectRanking(records, new ReuseModel(100_000, 0.01), Objective.OBJECTS);
    private final CacheContents cacheContents = new CacheContents(AdaptivePolicy.REAL, records, ranking, 5000);
    private double leastGone;
    private boolean gone;

    /** By brute force, the least worth of all members. */
    private double least(RankingRule rule, long nowMs) {
        double least = Double.POSITIVE_INFINITY;
        for (int slot = 0; slot < records.high(); slot++) {
            if (cacheContents.has(slot)) {
                least = Math.min(least, ranking.worth(rule, slot, nowMs));
            }
        }
        return least;
    }

    private int add(long id, long readMs) {
        int slot = records.add(id, HashCommon.murmurHash3(id));
        records.size(slot, 10);
        records.readMs(slot, readMs);
        return slot;
    }

    @Test
    void adopt_betweenOffers_keepsTheOrder() {
        RankingRule rule = RankingRule.RECENT;
        CachePolicy.Evictions evictions = (object, size) -> {};
        for (int id = 0; id < 600; id++) {
            cacheContents.offer(add(id, 1000 + id), rule, 2000, evictions);
        }
        assertThat(cacheContents.nextToLeave()).as("of 500 that fit").isEqualTo(100);
        int adopted = add(1000, 10);
        cacheContents.adopt(adopted, 2000);
        assertThat(cacheContents.nextToLeave()).isEqualTo(adopted);
        cacheContents.shrink(rule, 2000, (object, size) -> assertThat(object).isEqualTo(1000));
        assertThat(cacheContents.has(adopted)).isFalse();
        assertThat(cacheContents.nextToLeave()).isEqualTo(100);
    }

    @Test
    void offer_worthsThatOnlyRise_alwaysEvictsTheLeast() {
        long seed = new Random().nextLong();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        RankingRule rule = RankingRule.SLOW_DENSITY;
        for (int i = 0; i < 20_000; i++) {
            long nowMs = i * 1000L;
            long id = (long) (Math.abs(random.nextGaussian()) * 600);
            int slot = records.find(id, HashCommon.murmurHash3(id));
            if (slot == ObjectRecords.NONE) {
                slot = records.add(id, HashCommon.murmurHash3(id));
                records.size(slot, 1 + id % 40);
            } else {
                ranking.heat(slot, nowMs - records.readMs(slot), 1);
            }
            records.readMs(slot, nowMs);
            if (!cacheContents.has(slot)) {
                double least = least(rule, nowMs);
                gone = false;
                CachePolicy.Evictions evictions = (object, size) -> {
                    double worth = ranking.worth(rule, records.find(object, HashCommon.murmurHash3(object)), nowMs);
                    leastGone = gone ? Math.min(leastGone, worth) : worth;
                    gone = true;
                };
                cacheContents.offer(slot, rule, nowMs, evictions);
                if (gone) {
                    assertThat(leastGone).isEqualTo(least);
                }
            }
            assertThat(cacheContents.usedBytes()).isLessThanOrEqualTo(5000);
        }
    }
}
