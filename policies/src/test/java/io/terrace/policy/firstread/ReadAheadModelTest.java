package io.terrace.policy.firstread;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.policy.firstread.ReadAheadModel.Range;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Copies take 3 s as long as nobody says otherwise. */
class ReadAheadModelTest {

    private static final int MOST_AHEAD = 8;
    private static final int BLOCKS = 20;
    private static final long SECOND = 1_000;

    private final ReadAheadModel model = new ReadAheadModel(MOST_AHEAD, 100, 10);
    private long nowMs = 1_000;

    /** Reads blocks in order; the indexes of those that were to be copied. */
    private Set<Integer> read(long file, String group, int from, int to, long paceMs) {
        Set<Integer> copied = new HashSet<>();
        for (int index = from; index < to; index++) {
            nowMs += paceMs;
            Range range = model.read(nowMs, file, group, index, BLOCKS);
            for (int ahead = range.from(); ahead < range.to(); ahead++) {
                assertThat(copied.add(ahead)).as("block %d", ahead).isTrue();
            }
        }
        return copied;
    }

    private void learn(String group, int readers) {
        for (int file = 1_000; file < 1_000 + readers; file++) {
            read(file, group, 0, BLOCKS, SECOND);
        }
    }

    @Test
    void files_readAsAWhole_areCopiedAheadOfTheirReader() {
        assertThat(read(1, "a", 0, BLOCKS, SECOND)).isEmpty();
        learn("a", 3);
        // After the first block the reader comes to block k in k seconds; a copy is there in 3.75.
        assertThat(read(2, "a", 0, BLOCKS, SECOND))
                .containsExactlyInAnyOrder(5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19);
        assertThat(read(3, "other", 0, BLOCKS, SECOND)).isEmpty();
    }

    @Test
    void copies_thatTakeLess_areMadeLater() {
        learn("a", 4);
        for (int i = 0; i < 50; i++) {
            model.copied(nowMs, 500);
        }
        assertThat(read(2, "a", 0, 3, SECOND)).containsExactlyInAnyOrder(2, 3, 4);
    }

    @Test
    void copies_thatTookLong_areTriedAgain() {
        learn("a", 4);
        for (int i = 0; i < 50; i++) {
            model.copied(nowMs, 3_600_000);
        }
        assertThat(read(2, "a", 0, BLOCKS, SECOND)).isEmpty();
        assertThat(model.copyMs(nowMs)).isBetween(100_000.0, (double) ReadAheadModel.IDLE_MS);
        nowMs += 3_600_000;
        assertThat(read(3, "a", 0, BLOCKS, SECOND)).isNotEmpty();
        model.copied(nowMs, 3_600_000);
        assertThat(read(4, "a", 0, BLOCKS, SECOND)).as("one at a time").isEmpty();
    }

    @Test
    void reader_whoIsFasterThanCopies_hasNone() {
        learn("a", 4);
        assertThat(read(2, "a", 0, 1, 100)).as("before its own pace is known").hasSize(1);
        assertThat(read(2, "a", 1, BLOCKS, 100)).isEmpty();
    }

    @Test
    void file_readInParallel_hasNone() {
        learn("a", 4);
        for (int index = BLOCKS / 2 - 1; index >= 1; index--) {
            assertThat(model.read(nowMs, 2, "a", index, BLOCKS)).isEqualTo(Range.NONE);
        }
        assertThat(model.follows(2)).as("not begun").isFalse();
    }

    @Test
    void blocks_toldOutOfOrder_areOneReader() {
        learn("a", 4);
        model.read(nowMs, 2, "a", 0, BLOCKS);
        model.read(nowMs, 2, "a", 2, BLOCKS);
        nowMs += 2 * SECOND;
        model.read(nowMs, 2, "a", 1, BLOCKS);
        assertThat(model.awaits(nowMs, 2, 2)).isFalse();
        assertThat(model.awaits(nowMs, 2, 3)).isTrue();
    }

    @Test
    void readers_whoStop_areLearnedAndNothingIsCopied() {
        for (int file = 10; file < 40; file++) {
            assertThat(read(file, "a", 0, 2, SECOND)).isEmpty();
            nowMs += ReadAheadModel.IDLE_MS;
        }
        model.expire(nowMs);
        assertThat(model.stops(nowMs, "a")).isTrue();
        assertThat(model.stops(nowMs + 25 * 3_600_000L, "a")).as("a day later").isFalse();
        assertThat(model.stops(nowMs, "unknown")).isFalse();
    }

    @Test
    void file_whoseOwnReadersStop_isNotCopiedThoughOthersOfItsGroupAre() {
        learn("a", 8);
        read(2, "a", 0, 2, SECOND);
        nowMs += ReadAheadModel.IDLE_MS;
        assertThat(read(2, "a", 0, 10, SECOND)).isEmpty();
        assertThat(read(3, "a", 0, 10, SECOND)).isNotEmpty();
    }

    @Test
    void file_thatBecameShorterThanItsReaderIsFar_doesNotMakeUpForOthersThatStop() {
        for (int file = 10; file < 13; file++) {
            read(file, "a", 0, 2, SECOND);
            nowMs += ReadAheadModel.IDLE_MS;
        }
        for (int file = 50; file < 52; file++) {
            read(file, "a", 0, BLOCKS - 1, SECOND);
            model.read(nowMs, file, "a", 0, 1);
            nowMs += ReadAheadModel.IDLE_MS;
        }
        model.expire(nowMs);
        assertThat(model.stops(nowMs, "a")).isTrue();
    }

    @Test
    void reader_whoStands_isGone() {
        read(1, "a", 0, 3, SECOND);
        assertThat(model.awaits(nowMs, 1, 3)).isTrue();
        assertThat(model.awaits(nowMs + ReadAheadModel.IDLE_MS, 1, 3)).isFalse();
        assertThat(model.readers()).isZero();
    }

    @Test
    void readers_beyondTheBound_replaceTheOneThatStoodLongest() {
        for (int file = 0; file < 30; file++) {
            read(file, "a", 0, 1, 1);
        }
        assertThat(model.readers()).isEqualTo(10);
        assertThat(model.follows(29)).isTrue();
        assertThat(model.follows(0)).isFalse();
    }

    /** Whatever is read: no block twice, none behind its reader, none too far ahead, and never too many in vain once learned. */
    @Test
    void random_readers() {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        Map<Long, Integer> next = new HashMap<>();
        Map<Long, Integer> ends = new HashMap<>();
        Set<String> copied = new HashSet<>();
        long copies = 0;
        long vain = 0;
        long file = 0;
        for (int step = 0; step < 200_000; step++) {
            nowMs += random.nextInt(400);
            if (next.size() < 8) {
                next.put(++file, 0);
                ends.put(file, file % 3 == 0 ? 1 + random.nextInt(5) : BLOCKS);
            }
            long reader = next.keySet().stream()
                    .skip(random.nextInt(next.size()))
                    .findFirst()
                    .orElseThrow();
            int index = next.get(reader);
            Range range = model.read(nowMs, reader, "group " + reader % 3, index, BLOCKS);
            for (int ahead = range.from(); ahead < range.to(); ahead++) {
                assertThat(ahead)
                        .as("seed %d", seed)
                        .isBetween(index + 1, Math.min(BLOCKS - 1, index + 1 + MOST_AHEAD));
                assertThat(copied.add(reader + " " + ahead)).as("seed %d", seed).isTrue();
                copies++;
                vain += ahead >= ends.get(reader) ? 1 : 0;
            }
            if (index + 1 == ends.get(reader)) {
                next.remove(reader);
            } else {
                next.put(reader, index + 1);
            }
            assertThat(model.readers()).as("seed %d", seed).isLessThanOrEqualTo(10);
        }
        assertThat(copies).as("seed %d", seed).isPositive();
        assertThat(vain).as("seed %d", seed).isLessThanOrEqualTo(copies / 10);
    }
}
