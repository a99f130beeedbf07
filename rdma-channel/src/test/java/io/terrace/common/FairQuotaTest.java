package io.terrace.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class FairQuotaTest {
    private final FairQuota<String> fairQuota = new FairQuota<>(1024, 256);

    /** All that he is given. */
    private int takeAll(String who) {
        int taken = 0;
        while (fairQuota.take(who, 1)) {
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
    void amount_mayBeHalfOfWhatIsFreeBeyondWhatIsHeld() {
        FairQuota<String> bytes = new FairQuota<>(1000);
        assertThat(bytes.take("one", 501)).isFalse();
        assertThat(bytes.take("one", 300)).isTrue();
        assertThat(bytes.take("one", 201)).isFalse();
        assertThat(bytes.take("one", 200)).isTrue();
        assertThat(bytes.take("one", 1)).isFalse();
        assertThat(bytes.take("two", 251)).isFalse();
        assertThat(bytes.take("two", Long.MAX_VALUE)).isFalse();
        assertThat(bytes.take("two", 250)).isTrue();
        assertThat(bytes.free()).isEqualTo(250);
    }

    @Test
    void takeAny_givesAllThatIsFree() {
        FairQuota<String> bytes = new FairQuota<>(1000);
        assertThat(bytes.takeAny("all", 1000)).isTrue();
        assertThat(bytes.takeAny("all", 1)).isFalse();
        assertThat(fairQuota.takeAny("one", 257))
                .as("more than the limit of one")
                .isFalse();
    }

    @Test
    void shared_countsForBoth_andIsFreeWhenTheLastReleasesIt() {
        FairQuota<String> bytes = new FairQuota<>(1000);
        assertThat(bytes.take("one", 400)).isTrue();
        bytes.share("two", 400);
        assertThat(bytes.free()).isEqualTo(600);
        assertThat(bytes.take("two", 104)).isFalse();
        bytes.unshare("one", 400);
        assertThat(bytes.holdsAny("one")).isFalse();
        assertThat(bytes.free()).isEqualTo(600);
        bytes.release("two", 400);
        assertThat(bytes.free()).isEqualTo(1000);
        assertThatThrownBy(() -> bytes.release("two", 1)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void placesThatAreGivenBack_areAnybodys_onceEach() {
        assertThat(takeAll("one")).isEqualTo(256);
        fairQuota.release("one", 1);
        assertThat(takeAll("one")).isEqualTo(1);
        for (int i = 0; i < 256; i++) {
            fairQuota.release("one", 1);
        }
        assertThatThrownBy(() -> fairQuota.release("one", 1)).isInstanceOf(IllegalStateException.class);
        assertThat(takeAll("one")).isEqualTo(256);
    }
}
