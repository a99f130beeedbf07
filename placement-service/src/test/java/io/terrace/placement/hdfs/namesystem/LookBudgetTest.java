package io.terrace.placement.hdfs.namesystem;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LookBudgetTest {

    private long nowNs = 1;
    private final LookBudget budget = new LookBudget(() -> nowNs);

    @Test
    void looksThatNeverWait_holdTheLockForAThousandthOfTheTime() {
        long heldNs = 0;
        long second = TimeUnit.SECONDS.toNanos(1);
        for (int turn = 0; turn < 4 * 600; turn++) {
            if (budget.isOpen()) {
                budget.held(2_000_000);
                heldNs += 2_000_000;
            }
            nowNs += second / 4;
        }
        assertThat(heldNs).isBetween(600 * second / 1000, 615 * second / 1000);
    }

    @Test
    void longHold_isPaidBackBeforeTheNextLook() {
        budget.held(TimeUnit.MILLISECONDS.toNanos(30));
        nowNs += TimeUnit.SECONDS.toNanos(19);
        assertThat(budget.isOpen()).isFalse();
        nowNs += TimeUnit.SECONDS.toNanos(2);
        assertThat(budget.isOpen()).isTrue();
    }
}
