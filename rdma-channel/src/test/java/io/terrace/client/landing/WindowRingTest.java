package io.terrace.client.landing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class WindowRingTest {
    private static final int WINDOW_BYTES = 1000;

    private record Piece(long number, int at, int bytes) {
        boolean overlaps(int otherAt, int otherBytes) {
            return at < otherAt + otherBytes && otherAt < at + bytes;
        }
    }

    @Test
    void pieces_ofAnySize_neverOverlap_norLeaveTheWindow() {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        WindowRing ring = new WindowRing(WINDOW_BYTES);
        Deque<Piece> used = new ArrayDeque<>();
        long number = 0;
        long placed = 0;
        for (int step = 0; step < 100_000; step++) {
            int bytes = 1 + random.nextInt(WINDOW_BYTES);
            int at = ring.find(bytes);
            if (at >= 0) {
                assertThat(at + bytes).as("seed %d", seed).isLessThanOrEqualTo(WINDOW_BYTES);
                assertThat(used).as("seed %d", seed).noneMatch(piece -> piece.overlaps(at, bytes));
                ring.take(++number, at, bytes);
                used.addLast(new Piece(number, at, bytes));
                placed++;
            }
            if (at < 0 || random.nextInt(3) == 0) {
                long upTo = number - random.nextInt(3);
                ring.give(upTo);
                used.removeIf(piece -> piece.number <= upTo);
            }
            assertThat(ring.isEmpty()).isEqualTo(used.isEmpty());
        }
        assertThat(placed).isGreaterThan(20_000);
    }

    @Test
    void all_ofTheWindow_isUsed() {
        WindowRing ring = new WindowRing(WINDOW_BYTES);
        assertThat(ring.find(WINDOW_BYTES + 1)).isNegative();
        ring.take(1, ring.find(600), 600);
        ring.take(2, ring.find(400), 400);
        assertThat(ring.find(1)).isNegative();
        ring.give(1);
        assertThat(ring.find(600)).isZero();
        ring.take(3, 0, 600);
        assertThat(ring.find(1)).isNegative();
        ring.give(3);
        assertThat(ring.find(WINDOW_BYTES)).isZero();
    }
}
