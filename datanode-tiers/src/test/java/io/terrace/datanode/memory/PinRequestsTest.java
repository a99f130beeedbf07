package io.terrace.datanode.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.common.BlockKey;
import io.terrace.common.BlockVersion;
import java.util.List;
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
            List<PinRequests.Pin> due = pinRequests.due(now);
            due.forEach(pinRequests::ended);
            tries += due.size();
        }
        assertThat(tries).isBetween(8, 12);
        pinRequests.satisfied(pin, 120 * SECOND);
        assertThat(pinRequests.due(120 * SECOND)).isEmpty();
        assertThat(pinRequests.due(149 * SECOND)).isEmpty();
        assertThat(pinRequests.due(150 * SECOND)).containsExactly(pin);
    }

    @Test
    void pin_whoseReplicaIsCorrupt_isLeftAloneForLong_howeverOftenItIsAskedFor() {
        pinRequests.add(pin, 0);
        int tries = 0;
        for (long now = 0; now < 100 * SECOND; now += SECOND / 2) {
            pinRequests.add(pin, now);
            for (PinRequests.Pin due : pinRequests.due(now)) {
                pinRequests.corrupt(due, now);
                tries++;
            }
        }
        assertThat(tries).isEqualTo(4);
        pinRequests.remove(pin);
        pinRequests.add(pin, 100 * SECOND);
        assertThat(pinRequests.due(100 * SECOND)).as("asked for anew").containsExactly(pin);
    }

    @Test
    void pin_whoseCopyWaitsInAQueue_isNotHandedOutAgain() {
        pinRequests.add(pin, 0);
        assertThat(pinRequests.due(0)).containsExactly(pin);
        pinRequests.add(pin, SECOND);
        assertThat(pinRequests.due(600 * SECOND)).isEmpty();
        pinRequests.ended(pin);
        assertThat(pinRequests.due(600 * SECOND)).containsExactly(pin);
    }

    @Test
    void pin_thatWasMet_isTriedSoonAfterItsCopyLeft() {
        BlockVersion block = new BlockVersion(new BlockKey("pool", 1, 1), 100);
        pinRequests.add(pin, 0);
        pinRequests.due(0);
        pinRequests.satisfied(pin, 0);
        pinRequests.residency(block, true, true);
        assertThat(pinRequests.due(SECOND)).isEmpty();
        pinRequests.residency(block, false, false);
        assertThat(pinRequests.due(SECOND))
                .as("as its replica is being written")
                .isEmpty();
        assertThat(pinRequests.due(2 * SECOND)).containsExactly(pin);
        pinRequests.residency(block, true, true);
        pinRequests.residency(block, false, false);
        assertThat(pinRequests.due(3 * SECOND)).as("its attempt has not ended").isEmpty();
        pinRequests.satisfied(pin, 3 * SECOND);
        pinRequests.due(3 * SECOND);
        assertThat(pinRequests.due(4 * SECOND)).containsExactly(pin);
    }

    @Test
    void pin_whoseReplicaIsGone_isGivenUpInTheEnd() {
        pinRequests.add(pin, 0);
        long now = 0;
        for (; pinRequests.contains(pin) && now < 300 * SECOND; now += SECOND) {
            pinRequests.due(now).forEach(due -> {
                pinRequests.missing(due);
                pinRequests.ended(due);
            });
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
