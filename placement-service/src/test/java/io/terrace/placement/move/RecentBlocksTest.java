package io.terrace.placement.move;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RecentBlocksTest {

    private static final long KEPT_MS = 1_000;

    private final RecentBlocks blocks = new RecentBlocks(KEPT_MS, 10);

    @Test
    void block_isKeptForHalfOfTheTime_andNotLongerThanTheWhole() {
        blocks.add(0, 1);
        blocks.add(499, 2);
        assertThat(blocks.contains(499, 1)).isTrue();
        assertThat(blocks.contains(998, 1)).isTrue();
        assertThat(blocks.contains(998, 2)).isTrue();
        assertThat(blocks.contains(1_000, 1)).isFalse();
        assertThat(blocks.contains(1_000, 2)).isFalse();
    }

    @Test
    void blocks_areForgotten_afterALongSilence() {
        blocks.add(0, 1);
        assertThat(blocks.contains(5_000, 1)).isFalse();
    }

    @Test
    void blocks_areBounded_andTheLatestAreKept() {
        for (int id = 0; id < 100; id++) {
            blocks.add(0, id);
        }
        assertThat(blocks.contains(0, 99)).isTrue();
        assertThat(blocks.contains(0, 95)).isTrue();
        assertThat(blocks.contains(0, 89)).isFalse();
    }

    @Test
    void removedBlock_isNotContained_whicheverHalfItWasIn() {
        blocks.add(0, 1);
        blocks.add(600, 2);
        blocks.remove(1);
        blocks.remove(2);
        assertThat(blocks.contains(600, 1)).isFalse();
        assertThat(blocks.contains(600, 2)).isFalse();
    }
}
