package io.terrace.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.common.ControlSample.Arm;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ControlSampleTest {

    /** Ids of a namespace count up from here. */
    private static final long FIRST_BLOCK = 1_073_741_825L;

    private static Map<Arm, Integer> counts(int percent, int blocks) {
        Map<Arm, Integer> counts = new EnumMap<>(Arm.class);
        ControlSample sample = new ControlSample(percent);
        for (long id = FIRST_BLOCK; id < FIRST_BLOCK + blocks; id++) {
            counts.merge(sample.arm(id), 1, Integer::sum);
        }
        return counts;
    }

    @Test
    void bothArms_haveTheShare() {
        for (int percent : new int[] {1, 4, 10}) {
            Map<Arm, Integer> counts = counts(percent, 1_000_000);
            // Six standard deviations of the binomial distribution.
            double most = 6 * Math.sqrt(1e4 * percent);
            assertThat((double) counts.get(Arm.CONTROL)).isBetween(1e4 * percent - most, 1e4 * percent + most);
            assertThat((double) counts.get(Arm.TREATED)).isBetween(1e4 * percent - most, 1e4 * percent + most);
        }
    }

    @Test
    void largerShare_containsTheSmallerOne() {
        for (long id = 0; id < 100_000; id++) {
            Arm small = new ControlSample(1).arm(id);
            if (small != Arm.NEITHER) {
                assertThat(new ControlSample(5).arm(id)).isEqualTo(small);
            }
        }
    }

    @Test
    void members_areThoseOfEveryRelease() {
        ControlSample sample = new ControlSample(1);
        assertThat(sample.arm(233)).isEqualTo(Arm.CONTROL);
        assertThat(sample.arm(FIRST_BLOCK + 524)).isEqualTo(Arm.CONTROL);
        assertThat(sample.arm(65)).isEqualTo(Arm.TREATED);
        assertThat(sample.arm(1)).isEqualTo(Arm.NEITHER);
    }

    @Test
    void firstBlocksOfANamespace_allClimb() {
        assertThat(counts(1, 300)).doesNotContainKey(Arm.CONTROL);
    }

    @Test
    void zero_isNobody_andMoreThanTenIsRefused() {
        assertThat(counts(0, 1_000)).containsOnlyKeys(Arm.NEITHER);
        assertThatThrownBy(() -> new ControlSample(11)).hasMessageContaining("11 %");
        assertThatThrownBy(() -> new ControlSample(-1)).hasMessageContaining("-1 %");
    }
}
