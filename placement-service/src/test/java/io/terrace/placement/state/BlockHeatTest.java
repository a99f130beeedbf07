package io.terrace.placement.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.placement.DataNodeFixture;
import io.terrace.protocol.StampedBlock;
import java.util.List;
import org.junit.jupiter.api.Test;

class BlockHeatTest extends DataNodeFixture {

    private static final StampedBlock BLOCK = new StampedBlock(7, 1, 1 << 20);

    @Test
    void knownFor_isSinceTheBlockIsKnown_onAnyClock() {
        long[] clocks = {0, 12_345, 100L * Integer.MAX_VALUE - 500, 100L * Integer.MAX_VALUE * 5};
        for (long nowMs : clocks) {
            BlockHeat heat = new BlockHeat(BLOCK, nowMs);
            assertThat(heat.knownForMs(nowMs)).as("clock at " + nowMs).isZero();
            assertThat(heat.knownForMs(nowMs + 2_000)).as("clock at " + nowMs).isEqualTo(2_000);
            assertThat(heat.knownForMs(nowMs + 100_000_000_000L))
                    .as("three years later")
                    .isEqualTo(100_000_000_000L);
        }
    }

    @Test
    void knownFor_ofABlockWithReadsFromBefore_isNotKnown() {
        BlockHeat heat = new BlockHeat(BLOCK, 1_000);
        assertThat(heat.remember(5, 5 << 20, 0)).isTrue();
        assertThat(heat.knownForMs(3_000)).isEqualTo(-1);
        assertThat(heat.remember(5, 5 << 20, 0)).as("that is done once").isFalse();
        assertThat(heat.reads()).isEqualTo(5);
    }

    @Test
    void heldBy_anotherThanTheHolders_voidsThem() {
        BlockHeat heat = new BlockHeat(BLOCK, nowMs);
        heat.locate(nowMs, List.of(node));
        heat.heldBy(node);
        assertThat(heat.isLocated(nowMs)).isTrue();
        heat.heldBy(other);
        assertThat(heat.isLocated(nowMs)).isFalse();
        assertThat(heat.candidateCount()).isZero();
    }
}
