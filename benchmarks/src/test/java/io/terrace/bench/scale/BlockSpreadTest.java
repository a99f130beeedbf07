package io.terrace.bench.scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class BlockSpreadTest {

    @Test
    void everyBlock_isHeldByThreeDataNodes_whichKnowIt() {
        BlockSpread spread = new BlockSpread(10, 1_000);
        int held = 0;
        for (int node = 0; node < 10; node++) {
            for (int row = 0; row < spread.rows(); row++) {
                for (int replica = 0; replica < BlockSpread.REPLICAS; replica++) {
                    assertThat(spread.holder(spread.held(node, row, replica), replica))
                            .isEqualTo(node);
                    held++;
                }
            }
        }
        assertThat(held).isEqualTo(3_000);
        for (long block = 0; block < 1_000; block++) {
            Set<Integer> holders = new HashSet<>();
            for (int replica = 0; replica < BlockSpread.REPLICAS; replica++) {
                holders.add(spread.holder(block, replica));
            }
            assertThat(holders).as("of block %d", block).hasSize(3);
        }
    }

    @Test
    void number_ofAnId_isOfItsBlock() {
        BlockSpread spread = new BlockSpread(10, 1_000);
        assertThat(spread.number(BlockSpread.stamped(999).id())).isEqualTo(999);
        assertThat(spread.number(BlockSpread.stamped(1_000).id())).isEqualTo(-1);
    }

    @Test
    void blocks_thatFillNoRow_areRefused() {
        assertThatThrownBy(() -> new BlockSpread(10, 1_005)).isInstanceOf(IllegalArgumentException.class);
    }
}
