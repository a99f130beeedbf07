package io.terrace.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.common.StorageTier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How much goes down from a tier above its high-water mark that is written to all the time. */
class DrainedTierTest extends TieredCluster {

    private static final long ABOVE_BYTES = 95 * MB;
    private static final long NEXT_REPORT_MS = 6_000;

    @BeforeEach
    void full() {
        rules("- path: /a/**", "  tiers: ssd..disk");
        for (int i = 1; i <= 9; i++) {
            place(block(i, 4), "/a/" + i, StorageTier.SSD, one);
            read(one, block(i, 4), i);
        }
        use(one, StorageTier.SSD, ABOVE_BYTES);
        while (ordered(one).size() < 2) {
            beats(1);
        }
    }

    @Test
    void reportedAfterTheMovesEnded_theyAreInTheReport_soMoreGoDown() {
        names.spacesAgeMs = 0;
        waits(NEXT_REPORT_MS);
        assertThat(ordered(one)).startsWith("1 SSD DISK", "2 SSD DISK", "3 SSD DISK", "4 SSD DISK");
    }

    @Test
    void reportedBefore_theyAreNot_soNothingMoreGoesDown() {
        names.spacesAgeMs = NEXT_REPORT_MS;
        waits(NEXT_REPORT_MS);
        assertThat(ordered(one)).containsExactly("1 SSD DISK", "2 SSD DISK");
    }

    @Test
    void unknownWhenItReported_theyMayNotBe_soNothingMoreGoesDownForSomeTime() {
        waits(NEXT_REPORT_MS);
        assertThat(ordered(one)).containsExactly("1 SSD DISK", "2 SSD DISK");
    }
}
