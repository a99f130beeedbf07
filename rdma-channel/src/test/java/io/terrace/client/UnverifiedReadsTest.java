package io.terrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class UnverifiedReadsTest {

    private final UnverifiedReads reads = new UnverifiedReads();

    @Test
    void blocks_thatFollowEachOther_areAllRemembered() {
        assertThat(reads.contain(0)).isFalse();
        for (long id = 1L << 30; id < (1L << 30) + UnverifiedReads.PLACES; id++) {
            assertThat(reads.contain(id)).isFalse();
            reads.add(id);
        }
        for (long id = 1L << 30; id < (1L << 30) + UnverifiedReads.PLACES; id++) {
            assertThat(reads.contain(id)).isTrue();
        }
    }

    @Test
    void block_givesWayToAnotherOfItsPlace() {
        reads.add(-7);
        reads.add(-7 - UnverifiedReads.PLACES);
        assertThat(reads.contain(-7)).isFalse();
        assertThat(reads.contain(-7 - UnverifiedReads.PLACES)).isTrue();
    }
}
