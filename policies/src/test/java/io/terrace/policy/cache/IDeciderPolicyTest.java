package io.terrace.policy.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.policy.api.Access;
import io.terrace.policy.api.Explanation;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class IDeciderPolicyTest {

    private final IDeciderPolicy cache = new IDeciderPolicy(20, 2, 100);
    private final List<Long> left = new ArrayList<>();

    private void read(long nowMs, long object, int times) {
        for (int i = 0; i < times; i++) {
            cache.access(new Access().read(nowMs, object, 10, 10, 1), (id, size) -> left.add(id));
        }
    }

    @Test
    void access_countNotOverThreshold_staysOut() {
        read(0, 1, 2);
        assertThat(cache.holds(1)).isFalse();
        read(0, 1, 1);
        assertThat(cache.holds(1)).isTrue();
    }

    @Test
    void access_burst_countsAsManyReads() {
        cache.access(new Access().read(0, 1, 10, 10, 1).burst(3), (id, size) -> {});
        assertThat(cache.holds(1)).isTrue();
    }

    @Test
    void access_full_evictsTheGreatestAge() {
        read(1000, 1, 3);
        read(2000, 2, 3);
        read(3000, 3, 3);
        assertThat(left).containsExactly(1L);
        assertThat(cache.holds(3)).isTrue();
    }

    @Test
    void access_olderThanEveryResident_beatsNoVictim() {
        read(1000, 1, 1);
        read(2000, 2, 3);
        read(3000, 3, 3);
        read(4000, 1, 5);
        assertThat(cache.holds(1)).isFalse();
        assertThat(left).isEmpty();
        Explanation explanation = cache.explain(5000, 1, 1);
        assertThat(explanation).isNotNull();
        assertThat(explanation.rule()).isEqualTo("beats no victim");
        assertThat(explanation.count()).isEqualTo(6);
        assertThat(explanation.threshold()).isEqualTo(2);
        assertThat(explanation.ageMs()).isEqualTo(4000);
        assertThat(explanation.competitor()).isEqualTo(2);
    }
}
