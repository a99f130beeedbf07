package io.terrace.datanode;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PinsTest {

    private static final long SECOND = 1_000_000_000L;

    private final Pins pins = new Pins(2);
    private final Pins.Pin pin = new Pins.Pin("pool", 1);

    @Test
    void due_ofPinThatCannotBeMet_comesEverMoreRarelyUntilItWasMet() {
        pins.add(pin, 0);
        int tries = 0;
        for (long now = 0; now < 120 * SECOND; now += SECOND / 10) {
            tries += pins.due(now).size();
        }
        assertThat(tries).isBetween(8, 12);
        pins.satisfied(pin, 120 * SECOND);
        assertThat(pins.due(120 * SECOND)).isEmpty();
        assertThat(pins.due(121 * SECOND)).containsExactly(pin);
    }

    @Test
    void pin_whoseReplicaIsGone_isGivenUpInTheEnd() {
        pins.add(pin, 0);
        long now = 0;
        for (; pins.contains(pin) && now < 300 * SECOND; now += SECOND) {
            pins.due(now).forEach(pins::missing);
        }
        assertThat(now).as("not before the pauses are long").isBetween(15 * SECOND, 60 * SECOND);
        assertThat(pins.size()).isZero();
    }

    @Test
    void add_beyondTheLimit_isRefused() {
        assertThat(pins.add(pin, 0)).isTrue();
        assertThat(pins.add(new Pins.Pin("pool", 2), 0)).isTrue();
        assertThat(pins.add(new Pins.Pin("pool", 3), 0)).isFalse();
        assertThat(pins.add(pin, 0)).as("again").isTrue();
        pins.removeAll("pool");
        assertThat(pins.size()).isZero();
    }
}
