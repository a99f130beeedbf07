package io.terrace.datanode.heartbeat;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is counted is carried once, whatever happens at the same time, and the table stays within its limit. */
final class HeatTableTest {
    private static final int LARGE = 1 << 16;

    @ParameterizedTest
    @ValueSource(ints = {1000, LARGE})
    void drain_againstAMap_hasEveryAccessOnce(int most) {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        HeatTable table = new HeatTable(most);
        Map<Long, Long> expected = new HashMap<>();
        Map<Long, Long> got = new HashMap<>();
        List<HeatTable.Heat> undelivered = List.of();
        for (int round = 0; round < 200; round++) {
            for (int i = random.nextInt(100); i > 0; i--) {
                long blockId = random.nextInt(400) * 1_000_003L;
                long reads = 1 + random.nextInt(5);
                boolean isNew = table.read(blockId, reads, reads, 0, round, null);
                assertThat(table.readEnded(blockId, 1, false, 1, round)).isFalse();
                assertThat(isNew || expected.containsKey(blockId))
                        .as("seed %d", seed)
                        .isTrue();
                expected.merge(blockId, reads, Long::sum);
            }
            if (random.nextBoolean()) {
                table.restore(undelivered);
                undelivered = List.of();
                List<HeatTable.Heat> page = table.drain(1 + random.nextInt(120));
                if (random.nextInt(3) == 0) {
                    undelivered = page;
                } else {
                    page.forEach(heat -> got.merge(heat.blockId(), heat.reads(), Long::sum));
                }
            }
        }
        table.restore(undelivered);
        for (HeatTable.Heat heat : table.drain(most)) {
            got.merge(heat.blockId(), heat.reads(), Long::sum);
        }
        assertThat(got).as("seed %d", seed).isEqualTo(expected);
        assertThat(table.size()).isZero();
        assertThat(table.takeDropped()).isZero();
    }

    @Test
    void read_byManyThreadsWhileOneDrains_isCountedOnce() throws Exception {
        HeatTable table = new HeatTable(LARGE);
        int threads = 4;
        int readsEach = 50_000;
        AtomicInteger running = new AtomicInteger(threads);
        List<Thread> readers = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            Random random = new Random(t);
            Thread reader = new Thread(() -> {
                for (int i = 0; i < readsEach; i++) {
                    table.read(random.nextInt(5000), 1, 10, 0, i, null);
                }
                running.decrementAndGet();
            });
            readers.add(reader);
            reader.start();
        }
        long reads = 0;
        boolean last;
        do {
            last = running.get() == 0;
            for (HeatTable.Heat heat : table.drain(700)) {
                reads += heat.reads();
            }
        } while (!last || table.size() > 0);
        for (Thread reader : readers) {
            reader.join();
        }
        assertThat(reads).isEqualTo((long) threads * readsEach);
    }

    @ParameterizedTest
    @ValueSource(ints = {10, LARGE})
    void read_beyondTheLimit_forgetsEarlyOnes_andCountsThem(int most) {
        HeatTable table = new HeatTable(most);
        for (long blockId = 0; blockId < 3L * most; blockId++) {
            table.read(blockId, 1, 0, 0, blockId, null);
        }
        assertThat(table.size()).isLessThanOrEqualTo(most).isGreaterThan(most / 2);
        assertThat(table.takeDropped()).isEqualTo(3L * most - table.size());
        assertThat(table.drain(LARGE)).allMatch(heat -> heat.blockId() > most);
    }

    @Test
    void drain_inPages_reachesAllBlocks_thoughNewOnesCome() {
        HeatTable table = new HeatTable(LARGE);
        for (long blockId = 0; blockId < 1000; blockId++) {
            table.read(blockId, 1, 0, 0, 1, null);
        }
        int old = 0;
        for (int page = 0; page < 40; page++) {
            for (long i = 0; i < 50; i++) {
                table.read(1_000_000 + page * 50 + i, 1, 0, 0, 2, null);
            }
            old += (int) table.drain(100).stream()
                    .filter(heat -> heat.blockId() < 1000)
                    .count();
        }
        assertThat(old).isEqualTo(1000);
    }
}
