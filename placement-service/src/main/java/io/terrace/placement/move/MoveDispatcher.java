package io.terrace.placement.move;

import io.terrace.metrics.Metric;
import io.terrace.placement.heartbeat.HeartbeatAnswer;
import io.terrace.placement.state.ClusterState;
import io.terrace.placement.state.DataNodeState;
import io.terrace.placement.state.Move;
import io.terrace.placement.state.MoveQueue;
import io.terrace.placement.state.MoveTracker;
import io.terrace.protocol.MoveOrder;
import io.terrace.protocol.MoveOutcome;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Lets through what the budget allows of the moves that wait and were examined, and makes orders of it. Owned by the loop's thread. */
public final class MoveDispatcher {

    private final ClusterState clusterState;
    private final MoveTracker moveTracker;
    private final MoveExaminer examiner;

    public MoveDispatcher(ClusterState clusterState, MoveExaminer examiner) {
        this.clusterState = clusterState;
        this.moveTracker = clusterState.moveTracker();
        this.examiner = examiner;
    }

    /** Makes orders of what is due and within the budget; adds nothing to what is in flight beyond its limit. */
    public List<MoveOrder> dispatch(long nowMs, DataNodeState node) {
        List<MoveOrder> orders = new ArrayList<>();
        MoveQueue moveQueue = node.moveQueue();
        boolean promotionsOpen = node.isServing();
        for (Move move : moveQueue.waiting()) {
            if (orders.size() >= MoveQueue.ORDERS_PER_ANSWER) {
                break;
            }
            if (move.outcome() != null) {
                continue;
            }
            if (!move.isPromotion()) {
                orders.add(send(nowMs, moveQueue, move, 0));
                continue;
            }
            String vain = examiner.vain(nowMs, node, move);
            if (vain != null) {
                moveTracker.withdraw(nowMs, node, move, MoveOutcome.CANCELLED, vain, false);
                continue;
            }
            promotionsOpen = promotionsOpen
                    && moveQueue.promotionsInFlight()
                            < clusterState.moveSettings().inFlight()
                    && (node.isIdle() || node.budget().isOpen(nowMs));
            if (promotionsOpen && move.isDue(nowMs) && !examiner.isQuestionable(nowMs, move)) {
                int places = MoveQueue.ORDERS_PER_ANSWER - orders.size();
                if (move.victims().size() < places) {
                    promote(nowMs, node, move, orders);
                } else {
                    // It is the first of the next answer. More drops than one answer has places for go ahead of it.
                    if (places == MoveQueue.ORDERS_PER_ANSWER) {
                        sendVictims(nowMs, node, move, places, orders);
                    }
                    break;
                }
            } else if (nowMs - move.requestedMs() > clusterState.moveSettings().waitMs()) {
                moveTracker.withdraw(nowMs, node, move, MoveOutcome.EXPIRED, MoveOutcome.EXPIRED.text(), false);
            }
        }
        return orders;
    }

    private void promote(long nowMs, DataNodeState node, Move move, List<MoveOrder> orders) {
        long rate = 0;
        if (!node.isIdle()) {
            node.budget().charge(nowMs, move.block().lengthBytes());
            rate = clusterState.moveSettings().bytesPerSecond();
        }
        sendVictims(nowMs, node, move, move.victims().size(), orders);
        orders.add(send(nowMs, node.moveQueue(), move, rate));
    }

    private void sendVictims(long nowMs, DataNodeState node, Move promotion, int count, List<MoveOrder> orders) {
        List<Move> victims = promotion.victims().subList(0, count);
        for (Move victim : victims) {
            orders.add(send(nowMs, node.moveQueue(), victim, 0));
        }
        victims.clear();
    }

    private MoveOrder send(long nowMs, MoveQueue moveQueue, Move move, long rate) {
        clusterState
                .metricRegistry()
                .increment(move.isPromotion() ? Metric.PLACEMENT_PROMOTIONS_SENT : Metric.PLACEMENT_DROPS_SENT);
        MoveOrder order = move.order(nowMs, rate);
        moveQueue.sent(move);
        return order;
    }

    /** Orders of the last answer did not arrive: those without a result go out again under their old ids. */
    public void sendAgain(DataNodeState node) {
        HeartbeatAnswer lost = node.session().lastAnswer();
        if (lost == null) {
            return;
        }
        List<MoveOrder> backwards = new ArrayList<>(lost.orders());
        Collections.reverse(backwards);
        for (MoveOrder order : backwards) {
            Move move = node.moveQueue().inFlight(order.moveId());
            if (move != null && move.unsend()) {
                node.moveQueue().waitAgain(move);
            }
        }
    }

    /** Gives up orders that no result came for. */
    public void expire(long nowMs, DataNodeState node) {
        for (Move move : new ArrayList<>(node.moveQueue().inFlight())) {
            if (nowMs - move.sentMs()
                    > clusterState.moveSettings().lostAfterMs(move.block().lengthBytes())) {
                lose(nowMs, node, move, MoveOutcome.LOST.text());
            }
        }
    }

    /** The DataNode is gone or was restarted: moves that were sent or wait are void. */
    public void abandon(long nowMs, DataNodeState node, String why) {
        for (Move move : node.moveQueue().all()) {
            if (move.outcome() != null) {
                continue;
            }
            if (move.isSent()) {
                lose(nowMs, node, move, why);
            } else {
                moveTracker.withdraw(nowMs, node, move, MoveOutcome.CANCELLED, why, false);
            }
        }
    }

    private void lose(long nowMs, DataNodeState node, Move move, String why) {
        long id = move.block().id();
        moveTracker.end(nowMs, node, move, MoveOutcome.LOST, why, 0);
        node.backoffTable().failed(nowMs, id);
        // What the DataNode last reported as resident is the best guess; its next report corrects it.
        moveTracker.correct(nowMs, node, move.block(), node.tierOf(id));
    }
}
