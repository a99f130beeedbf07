package io.terrace.placement.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.placement.DataNodeFixture;
import io.terrace.protocol.MoveOutcome;
import org.junit.jupiter.api.Test;

class MoveQueueTest extends DataNodeFixture {

    @Test
    void waiting_isInTheOrderInWhichItIsToBeSent() {
        Move first = promotion(block(1, 1));
        Move second = drop(block(2, 1));
        Move third = promotion(block(3, 1));
        moveTracker.end(nowMs, node, second, MoveOutcome.CANCELLED, "test", 0);
        assertThat(node.moveQueue().waiting()).containsExactly(first, third);
        node.moveQueue().sent(first);
        node.moveQueue().waitAgain(first);
        assertThat(node.moveQueue().waiting()).containsExactly(first, third);
        assertThat(node.moveQueue().promotionBytesWaiting()).isEqualTo(2 * MB);
    }

    @Test
    void detach_dropThatMakesRoom_isTakenFromItsPromotion() {
        Move promotion = promotion(block(1, 1));
        resides(block(2, 1));
        resides(block(3, 1));
        Move victim = moveTracker.drop(nowMs, node, block(2, 1), Move.Cause.POLICY, "test");
        Move other = moveTracker.drop(nowMs, node, block(3, 1), Move.Cause.POLICY, "test");
        victim.makesRoomFor(promotion);
        other.makesRoomFor(promotion);
        node.moveQueue().detach(victim);
        assertThat(promotion.victims()).containsExactly(other);
    }

    @Test
    void detach_dropOfItsOwn_changesNothing() {
        Move promotion = promotion(block(1, 1));
        Move drop = drop(block(2, 1));
        node.moveQueue().detach(drop);
        assertThat(node.moveQueue().waiting()).containsExactly(promotion, drop);
    }
}
