package io.terrace.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.placement.heartbeat.Heartbeat;
import io.terrace.placement.heartbeat.HeartbeatAnswer;
import io.terrace.placement.state.OperatorState;
import org.junit.jupiter.api.Test;

/** Heartbeats that come again, after the next one or without an answer. */
class LateHeartbeatTest extends SteppedLoop {

    private long resident() {
        return placement.engineStatus().resident();
    }

    private HeartbeatAnswer hears(Heartbeat heartbeat) {
        nowMs += 250;
        return placement.heartbeat(nowMs, heartbeat);
    }

    @Test
    void fullReport_thatComesAgainInTheNextEpoch_afterTheCopyLeft_isNotTaken() {
        one.arrives(block(1, 1), false);
        Heartbeat full = one.heartbeat();
        one.take(hears(full));
        assertThat(resident()).isEqualTo(1);
        one.leaves(block(1, 1));
        one.take(hears(one.heartbeat()));
        placement.activate(8, OperatorState.initial());

        assertThat(hears(full).active()).isFalse();
        assertThat(resident()).isZero();
        one.take(hears(one.heartbeat()));

        assertThat(one.wantsFull).isTrue();
    }

    @Test
    void heartbeat_thatComesAgainAfterTheNextOne_getsNoOrders() {
        Heartbeat late = one.heartbeat();
        one.take(hears(late));
        one.take(hears(one.heartbeat()));

        assertThat(hears(late).active()).isFalse();
    }

    @Test
    void heartbeat_withoutAnAnswer_isTakenInTheNextEpoch() {
        one.arrives(block(1, 1), false);
        Heartbeat full = one.heartbeat();
        hears(full);
        placement.activate(8, OperatorState.initial());

        HeartbeatAnswer answer = hears(full);

        assertThat(answer.active()).isTrue();
        assertThat(answer.epoch()).isEqualTo(8);
        assertThat(resident()).isEqualTo(1);
    }
}
