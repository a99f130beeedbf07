package io.terrace.placement.move;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class MoveBudgetTest {

    @Test
    void spend_largerThanASecond_isAllowedAndPaidBack() {
        MoveBudget budget = new MoveBudget(1000);
        assertThat(budget.allows(0)).isTrue();
        budget.spend(0, 3000);
        assertThat(budget.allows(1999)).isFalse();
        assertThat(budget.allows(2001)).isTrue();
    }

    @Test
    void fill_longIdle_keepsOneSecond() {
        MoveBudget budget = new MoveBudget(1000);
        budget.spend(0, 1000);
        assertThat(budget.balanceBytes(100_000)).isEqualTo(1000);
    }

    @Test
    void fill_clockStepsBack_nothingHappens() {
        MoveBudget budget = new MoveBudget(1000);
        budget.spend(5000, 1000);
        assertThat(budget.balanceBytes(1000)).isZero();
        assertThat(budget.balanceBytes(5500)).isEqualTo(500);
    }

    @Test
    void allows_zeroRate_isUnlimited() {
        MoveBudget budget = new MoveBudget(0);
        budget.spend(0, Long.MAX_VALUE);
        assertThat(budget.allows(0)).isTrue();
    }

    @Test
    void constructor_negative_isRefused() {
        assertThatThrownBy(() -> new MoveBudget(-1)).isInstanceOf(IllegalArgumentException.class);
    }
}
