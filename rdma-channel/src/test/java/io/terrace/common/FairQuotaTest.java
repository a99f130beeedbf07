package io.terrace.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class FairQuotaTest {
    private final FairQuota<String> fairQuota = new FairQuota<>(1024, 256);

    /** All that he is given. */
    private int takeAll(String who) {
        int taken = 0;
        while (fairQuota.take(who)) {
            taken++;
        }
        return taken;
    }

    @Test
    void oneUser_hasNoMoreThanTheLimit() {
        assertThat(takeAll("one")).isEqualTo(256);
    }

    @Test
    void manyUsersWhoTakeAllTheyMay_leaveSomethingForTheNext() {
        for (int i = 0; i < 3; i++) {
            assertThat(takeAll("greedy " + i)).isEqualTo(256);
        }
        assertThat(takeAll("greedy 4")).isEqualTo(128);
        assertThat(takeAll("greedy 5")).isEqualTo(64);
        assertThat(takeAll("next")).isEqualTo(32);
    }

    @Test
    void placesThatAreGivenBack_areAnybodys_onceEach() {
        assertThat(takeAll("one")).isEqualTo(256);
        fairQuota.giveBack("one");
        assertThat(takeAll("one")).isEqualTo(1);
        for (int i = 0; i < 256; i++) {
            fairQuota.giveBack("one");
        }
        assertThatThrownBy(() -> fairQuota.giveBack("one")).isInstanceOf(IllegalStateException.class);
        assertThat(takeAll("one")).isEqualTo(256);
    }
}
