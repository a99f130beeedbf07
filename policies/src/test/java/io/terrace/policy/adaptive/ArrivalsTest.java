package io.terrace.policy.adaptive;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ArrivalsTest {

    private final Records records = new Records(100);
    private final Arrivals arrivals = new Arrivals(records);
    private final int one = records.add(1, Hash.of(1));
    private final int two = records.add(2, Hash.of(2));

    @Test
    void arrive_dueOnes_haveArrived() {
        arrivals.add(one, 0, 100);
        arrivals.add(one, 6, 150);
        arrivals.add(two, 0, 200);
        arrivals.arrive(150);
        assertThat(records.travelsAtAll(one)).isFalse();
        assertThat(records.travels(two, 0)).isTrue();
        assertThat(records.travels(two, 1)).isFalse();
    }

    @Test
    void add_onItsWayAgain_arrivesWithTheLaterMove() {
        arrivals.add(one, 3, 100);
        arrivals.add(one, 3, 180);
        arrivals.arrive(100);
        assertThat(records.travels(one, 3)).isTrue();
        arrivals.arrive(180);
        assertThat(records.travels(one, 3)).isFalse();
    }

    @Test
    void cancelAll_slotGivenToAnother_isNotTakenForIt() {
        arrivals.add(one, 2, 100);
        arrivals.cancelAll(one);
        assertThat(records.travelsAtAll(one)).isFalse();
        arrivals.add(one, 2, 300);
        arrivals.arrive(100);
        assertThat(records.travels(one, 2)).isTrue();
    }
}
