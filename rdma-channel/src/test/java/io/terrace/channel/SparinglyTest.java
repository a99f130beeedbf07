package io.terrace.channel;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SparinglyTest {
    @Test
    void sparingly_letsOneThroughInItsTime_andTellsHowManyItDidNot() {
        Sparingly sparingly = new Sparingly(100);
        assertThat(sparingly.next(-5)).isZero();
        assertThat(sparingly.next(0)).isNull();
        assertThat(sparingly.next(94)).isNull();
        assertThat(sparingly.next(95)).isEqualTo(2);
        assertThat(sparingly.next(194)).isNull();
        assertThat(sparingly.next(1000)).isEqualTo(1);
    }
}
