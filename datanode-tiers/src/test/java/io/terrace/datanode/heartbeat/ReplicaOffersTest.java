package io.terrace.datanode.heartbeat;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.common.BlockKey;
import io.terrace.common.BlockVersion;
import io.terrace.common.StorageTier;
import io.terrace.datanode.heartbeat.ReplicaOffers.Offer;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Which replicas are offered, and in which sequence. */
class ReplicaOffersTest {

    private static final String POOL = "BP-1";
    private static final int SLICE = 100;
    private static final long NOW_MS = 1_000_000_000;

    private final MetricRegistry metricRegistry = new MetricRegistry();
    private final List<Offer> stored = new ArrayList<>();
    private long nowNs = 1;
    private int walks;
    private long lookNs;
    private final List<Long> looksNs = new ArrayList<>();
    private final ReplicaOffers offers = new ReplicaOffers(
            (pool, tiers) -> {
                walks++;
                Iterator<Offer> all = List.copyOf(stored).iterator();
                return each -> {
                    looksNs.add(nowNs);
                    nowNs += lookNs;
                    for (int i = 0; i < SLICE && all.hasNext(); i++) {
                        each.accept(all.next());
                    }
                    return all.hasNext();
                };
            },
            metricRegistry,
            () -> NOW_MS,
            () -> nowNs);

    /** Replica {@code id} was written so many milliseconds ago, on that tier. */
    private void store(long id, StorageTier tier, long ageMs) {
        stored.add(new Offer(new BlockVersion(new BlockKey(POOL, id, 1_000 + id), 10), tier, NOW_MS - ageMs));
    }

    private void pass(long ns) {
        for (long endNs = nowNs + ns; nowNs < endNs; nowNs += 100_000_000) {
            offers.doWork(nowNs);
        }
    }

    private List<Long> taken() {
        return offers.take(POOL, 100_000).stream()
                .map(offer -> offer.block().key().blockId())
                .toList();
    }

    @Test
    void notAsked_nothingIsWalkedOver() {
        store(1, StorageTier.SSD, 5_000);
        pass(60_000_000_000L);
        assertThat(walks).isZero();
        assertThat(taken()).isEmpty();
    }

    @Test
    void oldEnough_onTiersAskedFor_areOfferedOldestFirst() {
        store(1, StorageTier.SSD, 5_000);
        store(2, StorageTier.SSD, 50_000);
        store(3, StorageTier.SSD, 500_000);
        store(4, StorageTier.NVM, 500_000);
        offers.ask(nowNs, POOL, Map.of(StorageTier.SSD, 20_000L));
        pass(2_000_000_000L);
        assertThat(offers.take(POOL, 1)).hasSize(1);
        assertThat(taken()).containsExactly(2L);
        assertThat(offers.take("BP-2", 10)).isEmpty();
    }

    @Test
    void many_theOldestComeFirst_thenTheNext_thenAllAgain() {
        int count = 2 * ReplicaOffers.MOST_KEPT + 10;
        List<Long> ids =
                new ArrayList<>(LongStream.rangeClosed(1, count).boxed().toList());
        Collections.shuffle(ids, new Random(1));
        ids.forEach(id -> store(id, StorageTier.SSD, 1_000_000 - 10 * id));
        List<Long> told = new ArrayList<>();
        while (told.size() < count) {
            offers.ask(nowNs, POOL, Map.of(StorageTier.SSD, 0L));
            pass(1_000_000_000L);
            List<Long> some = taken();
            assertThat(some).hasSizeLessThanOrEqualTo(ReplicaOffers.MOST_KEPT);
            told.addAll(some);
        }
        assertThat(told).isEqualTo(LongStream.rangeClosed(1, count).boxed().toList());
        assertThat(walks).isEqualTo(3);
        for (int i = 0; i < 3; i++) {
            offers.ask(nowNs, POOL, Map.of(StorageTier.SSD, 0L));
            pass(30_000_000_000L);
        }
        assertThat(taken()).first().isEqualTo(1L);
    }

    @Test
    void nothingTaken_noFurtherWalk() {
        store(1, StorageTier.SSD, 5_000);
        for (int i = 0; i < 10; i++) {
            offers.ask(nowNs, POOL, Map.of(StorageTier.SSD, 0L));
            pass(50_000_000_000L);
        }
        assertThat(walks).isEqualTo(1);
    }

    @Test
    void untilTheNextWalk_passesAQuarterOfTheAge() {
        store(1, StorageTier.SSD, 500_000);
        offers.ask(nowNs, POOL, Map.of(StorageTier.SSD, 120_000L));
        pass(2_000_000_000L);
        assertThat(taken()).containsExactly(1L);
        pass(20_000_000_000L);
        assertThat(walks).isEqualTo(1);
        pass(20_000_000_000L);
        assertThat(walks).isEqualTo(2);
    }

    @Test
    void notAskedAnyMore_whatWaitsIsForgotten() {
        store(1, StorageTier.SSD, 500_000);
        offers.ask(nowNs, POOL, Map.of(StorageTier.SSD, 0L));
        pass(2_000_000_000L);
        pass(ReplicaOffers.FORGOTTEN_NS);
        assertThat(taken()).isEmpty();
        int before = walks;
        pass(ReplicaOffers.ASKED_NS);
        assertThat(walks).isEqualTo(before);
    }

    @Test
    void slowLooks_theWalkRestsNineTimesAsLong() {
        for (int id = 1; id <= 20 * SLICE; id++) {
            store(id, StorageTier.SSD, 5_000);
        }
        lookNs = 1_000_000_000;
        offers.ask(nowNs, POOL, Map.of(StorageTier.SSD, 0L));
        pass(55_000_000_000L);
        assertThat(looksNs).hasSizeBetween(5, 6);
        for (int i = 1; i < looksNs.size(); i++) {
            assertThat(looksNs.get(i) - looksNs.get(i - 1)).isBetween(10 * lookNs, 11 * lookNs);
        }
    }

    @Test
    void notLookedAt_areTheNextOnes_inTheirSequence_andCountOnce() {
        for (int id = 1; id <= 5; id++) {
            store(id, StorageTier.SSD, 5_000 - id);
        }
        offers.ask(nowNs, POOL, Map.of(StorageTier.SSD, 0L));
        pass(2_000_000_000L);
        List<Offer> told = offers.take(POOL, 4);
        offers.looked(POOL, told, 2);
        assertThat(metricRegistry.value(Metric.VOLUME_OFFERED)).isEqualTo(2);
        assertThat(taken()).containsExactly(3L, 4L, 5L);
    }
}
