package io.terrace.placement.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class ReachTest {

    private final Reach reach = new Reach();

    @Test
    void share_nothingKnown_isAll() {
        assertThat(reach.share()).isEqualTo(1);
        assertThat(reach.of(7)).isEqualTo(7);
    }

    @Test
    void share_readsGoWhereStockSendsThem_isNone() {
        for (int i = 0; i < 3000; i++) {
            reach.heard(10, i % 3 == 0, 3);
        }
        assertThat(reach.share()).isLessThan(0.02);
    }

    @Test
    void share_halfOfTheClientsFindCopies_isHalf() {
        for (int i = 0; i < 3000; i++) {
            reach.heard(10, i % 6 < 4, 3); // Half of the reads find it, and of the others a third by chance.
        }
        assertThat(reach.share()).isCloseTo(0.5, within(0.02));
    }

    @Test
    void of_aPartOfARead_isCarriedOn() {
        for (int i = 0; i < 3000; i++) {
            reach.heard(10, i % 6 < 4, 3);
        }
        long counted = 0;
        for (int i = 0; i < 1000; i++) {
            counted += reach.of(1);
        }
        assertThat(counted).isCloseTo(500, within(20L));
    }

    @Test
    void share_whatIsTrueChanges_followsWithinSomeThousandReads() {
        reach.heard(100_000, true, 3);
        for (int i = 0; i < 3000; i++) {
            reach.heard(10, i % 3 == 0, 3);
        }
        assertThat(reach.share()).isLessThan(0.15);
    }
}
