package io.terrace.datanode.memory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PinRequestsTest {

    private static final long SECOND = 1_000_000_000L;

    private final PinRequests pinRequests = new PinRequests(2);
    private final PinRequests.Pin pin = new PinRequests.Pin("pool", 1);

    @Test
    void due_ofPinThatCannotBeMet_comesEverMoreRarelyUntilItWasMet() {
        pinRequests.add(pin, 0);
        int tries = 0;
        for (long now = 0; now < 120 * SECOND; now += SECOND / 10) {
            tries += pinRequests.due(now).size();
        }
        assertThat(tries).isBetween(8, 12);
        pinRequests.satisfied(pin, 120 * SECOND);
        assertThat(pinRequests.due(120 * SECOND)).isEmpty();
        assertThat(pinRequests.due(121 * SECOND)).containsExactly(pin);
    }

    @Test
    void pin_whoseReplicaIsGone_isGivenUpInTheEnd() {
        pinRequests.add(pin, 0);
        long now = 0;
        for (; pinRequests.contains(pin) && now < 300 * SECOND; now += SECOND) {
            pinRequests.due(now).forEach(pinRequests::missing);
        }
        assertThat(now).as("not before the pauses are long").isBetween(15 * SECOND, 60 * SECOND);
        assertThat(pinRequests.size()).isZero();
    }

    @Test
    void add_beyondTheLimit_isRefused() {
        assertThat(pinRequests.add(pin, 0)).isTrue();
        assertThat(pinRequests.add(new PinRequests.Pin("pool", 2), 0)).isTrue();
        assertThat(pinRequests.add(new PinRequests.Pin("pool", 3), 0)).isFalse();
        assertThat(pinRequests.add(pin, 0)).as("again").isTrue();
        pinRequests.removeAll("pool");
        assertThat(pinRequests.size()).isZero();
    }
}
