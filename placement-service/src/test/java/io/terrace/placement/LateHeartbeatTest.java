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

    /** As the loop does when it broke. */
    private void startsAnew(long epoch) {
        placement.reset();
        placement.activate(epoch, OperatorState.initial());
    }

    @Test
    void fullReport_thatComesLateAfterAFailure_isNotTaken() {
        one.arrives(block(1, 1), false);
        Heartbeat full = one.heartbeat();
        one.take(hears(full));
        one.leaves(block(1, 1));
        one.take(hears(one.heartbeat()));
        startsAnew(8);

        assertThat(hears(full).active()).isFalse();
        assertThat(resident()).isZero();
    }

    @Test
    void heartbeat_ofAnEarlierProcess_thatComesLateAfterTwoFailures_isNotTaken() {
        Heartbeat late = one.heartbeat();
        one.take(hears(late));
        one.restarts();
        one.take(hears(one.heartbeat()));
        startsAnew(8);
        startsAnew(9);

        assertThat(hears(late).active()).isFalse();
        one.take(hears(one.heartbeat()));
        assertThat(one.wantsFull).isTrue();
    }

    @Test
    void heartbeat_withoutAnAnswer_isTakenAfterAFailure_withoutItsHeat() {
        one.reads(block(1, 1), 5);
        one.arrives(block(1, 1), false);
        Heartbeat full = one.heartbeat();
        hears(full);
        startsAnew(8);

        assertThat(hears(full).epoch()).isEqualTo(8);
        assertThat(resident()).isEqualTo(1);
        assertThat(placement.reports().top(nowMs, 1))
                .allSatisfy(hot -> assertThat(hot.reads()).isZero());
    }

    @Test
    void link_madeAnewInOneProcess_isHeard_andTheEarlierOneIsNot() {
        one.take(hears(one.heartbeat()));
        Heartbeat earlier = one.heartbeat();
        one.sequence = 1L << 40;
        one.wantsFull = true;
        one.arrives(block(1, 1), false);

        one.take(hears(one.heartbeat()));

        assertThat(resident()).isEqualTo(1);
        assertThat(hears(earlier).active()).isFalse();
        assertThat(resident()).isEqualTo(1);
    }
}
