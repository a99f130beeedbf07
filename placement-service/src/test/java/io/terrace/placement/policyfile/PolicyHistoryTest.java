package io.terrace.placement.policyfile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PolicyHistoryTest {

    private static PolicyHistory applied(PolicyHistory before, String text) {
        return before.apply(1_700_000_000_000L, "alice", text);
    }

    @Test
    void rollback_afterTwoApplies_goesBackStepByStep() {
        PolicyHistory two = applied(applied(PolicyHistory.EMPTY, "policy: lru"), "policy: arc");
        assertThat(two.inForce()).isEqualTo(2);
        PolicyHistory one = two.rollback();
        assertThat(one.inForce()).isEqualTo(1);
        assertThat(one.rollback().inForce()).isZero();
        assertThatThrownBy(() -> one.rollback().rollback()).hasMessageContaining("no applied policy is in force");
        PolicyHistory three = applied(one, "policy: 2q");
        assertThat(three.inForce()).isEqualTo(3);
        assertThat(three.rollback().inForce()).as("what was in force before it").isEqualTo(1);
    }

    @Test
    void encoded_anyHistory_comesBack() {
        PolicyHistory history =
                applied(applied(applied(PolicyHistory.EMPTY, "policy: lru # \u00fc"), null), "policy: arc");
        assertThat(PolicyHistory.decoded(history.encoded())).isEqualTo(history);
        assertThat(PolicyHistory.decoded(history.rollback().encoded())).isEqualTo(history.rollback());
    }

    @Test
    void encoded_longHistory_forgetsTheOldestAndStaysSmall() {
        Random random = new Random(1);
        PolicyHistory history = PolicyHistory.EMPTY;
        for (int i = 0; i < 80; i++) {
            StringBuilder noise = new StringBuilder("policy: lru # ");
            random.ints(1000, 'a', 'z').forEach(c -> noise.append((char) c));
            history = applied(history, noise.toString());
        }
        byte[] bytes = history.encoded();
        PolicyHistory kept = PolicyHistory.decoded(bytes);
        assertThat(bytes.length).isLessThanOrEqualTo(PolicyHistory.MOST_BYTES);
        assertThat(kept.inForce()).isEqualTo(80);
        assertThat(kept.steps().size()).isBetween(5, 30);
        assertThat(kept.step(80)).isNotNull();
        assertThat(kept.step(1)).isNull();
        assertThat(history.kept()).isEqualTo(kept);
        assertThat(kept.kept()).as("nothing more is forgotten").isEqualTo(kept);
    }

    @Test
    void encoded_policyTooLarge_isRefused() {
        StringBuilder noise = new StringBuilder();
        new Random(1).ints(30_000, 33, 120).forEach(c -> noise.append((char) c));
        assertThatThrownBy(() -> applied(PolicyHistory.EMPTY, noise.toString()).encoded())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at most");
    }

    @Test
    void decoded_damaged_isRefused() {
        byte[] bytes = applied(PolicyHistory.EMPTY, "policy: lru").encoded();
        for (int cut = 0; cut < bytes.length; cut++) {
            byte[] part = Arrays.copyOf(bytes, cut);
            assertThatThrownBy(() -> PolicyHistory.decoded(part)).isInstanceOf(IllegalArgumentException.class);
        }
    }
}
