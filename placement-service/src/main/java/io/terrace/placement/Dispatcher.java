package io.terrace.placement;

import io.terrace.metrics.Figure;
import io.terrace.placement.HeartbeatAnswer.Order;
import io.terrace.placement.NameView.Candidate;
import io.terrace.placement.NameView.Verdict;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Checks waiting moves against the NameNode's maps, lets through what the budget allows, and makes orders of it. Owned
 * by the loop's thread.
 */
final class Dispatcher {

    /** A verdict of the NameNode is good for so long; a move that waited longer is examined again. */
    static final long VERDICT_VALID_MS = 5_000;

    private final Board board;
    private final NameView view;

    Dispatcher(Board board, NameView view) {
        this.board = board;
        this.view = view;
    }

    /** Asks the NameNode about waiting promotions, in one hold of its lock; later where the DataNode led to too many. */
    void examine(long nowMs, Node node) {
        if (node.allowances().looks().left() == 0) {
            return;
        }
        List<Move> asked = new ArrayList<>();
        List<Candidate> candidates = new ArrayList<>();
        for (Move move : node.agenda().waiting()) {
            if (asked.size() < board.settings().lockBlocks() && move.needsExamination(nowMs, VERDICT_VALID_MS)) {
                asked.add(move);
                candidates.add(new Candidate(move.block(), node.uuid()));
            }
        }
        if (asked.isEmpty()) {
            return;
        }
        List<Verdict> verdicts = view.examine(candidates);
        node.allowances().looks().charge(1);
        for (int i = 0; i < asked.size(); i++) {
            Move move = asked.get(i);
            Verdict verdict = verdicts.get(i);
            if (verdict == Verdict.FIT) {
                move.examined(nowMs);
            } else if (verdict != Verdict.UNKNOWN && move.outcome() == null) {
                refuse(nowMs, node, move, verdict);
            }
        }
    }

    private void refuse(long nowMs, Node node, Move move, Verdict verdict) {
        long id = move.block().id();
        boolean vanished = verdict == Verdict.GONE || verdict == Verdict.CHANGED;
        board.withdraw(nowMs, node, move, Outcome.UNFIT, verdict.text(), vanished);
        BlockHeat heat = board.heat().find(id);
        if (heat != null && heat.block().sameContent(move.block())) {
            if (vanished) {
                board.heat().remove(id);
            } else if (verdict == Verdict.ERASURE_CODED) {
                heat.exclude(verdict);
            }
        }
        node.backOff().failed(nowMs, id);
    }

    /** Makes orders of what is due and within the budget; adds nothing to what is in flight beyond its limit. */
    List<Order> dispatch(long nowMs, Node node) {
        List<Order> orders = new ArrayList<>();
        Agenda agenda = node.agenda();
        boolean promotionsOpen = node.isServing();
        for (Move move : agenda.waiting()) {
            if (orders.size() >= Agenda.ORDERS_PER_ANSWER) {
                break;
            }
            if (move.outcome() != null) {
                continue;
            }
            if (!move.isPromotion()) {
                orders.add(send(nowMs, agenda, move, 0));
                continue;
            }
            promotionsOpen = promotionsOpen
                    && agenda.promotionsInFlight() < board.settings().movesInFlight()
                    && (node.isIdle() || node.budget().allows(nowMs));
            if (promotionsOpen && move.isDue(nowMs) && !move.needsExamination(nowMs, VERDICT_VALID_MS)) {
                promote(nowMs, node, move, orders);
            } else if (nowMs - move.wishedMs() > board.settings().moveWaitMs()) {
                board.withdraw(nowMs, node, move, Outcome.EXPIRED, Outcome.EXPIRED.text(), false);
            }
        }
        return orders;
    }

    private void promote(long nowMs, Node node, Move move, List<Order> orders) {
        long rate = 0;
        if (!node.isIdle()) {
            node.budget().spend(nowMs, move.block().lengthBytes());
            rate = node.budget().bytesPerSecond();
        }
        for (Move victim : move.victims()) {
            orders.add(send(nowMs, node.agenda(), victim, 0));
        }
        move.victims().clear();
        orders.add(send(nowMs, node.agenda(), move, rate));
    }

    private Order send(long nowMs, Agenda agenda, Move move, long rate) {
        board.figures().increment(move.isPromotion() ? Figure.PLACEMENT_PROMOTIONS_SENT : Figure.PLACEMENT_DROPS_SENT);
        Order order = move.order(nowMs, rate);
        agenda.sent(move);
        return order;
    }

    /** Orders of the last answer did not arrive: those without a result go out again under their old ids. */
    void sendAgain(Node node) {
        HeartbeatAnswer lost = node.lastAnswer();
        if (lost == null) {
            return;
        }
        List<Order> backwards = new ArrayList<>(lost.orders());
        Collections.reverse(backwards);
        for (Order order : backwards) {
            Move move = node.agenda().inFlight(order.moveId());
            if (move != null && move.unsend()) {
                node.agenda().waitAgain(move);
            }
        }
    }

    /** Gives up orders that no result came for. */
    void expire(long nowMs, Node node) {
        for (Move move : new ArrayList<>(node.agenda().inFlight())) {
            if (nowMs - move.sentMs()
                    > board.settings().lostAfterMs(move.block().lengthBytes())) {
                lose(nowMs, node, move, Outcome.LOST.text());
            }
        }
    }

    /** The DataNode is gone or was started anew: nothing of what was sent or waits is worth anything. */
    void abandon(long nowMs, Node node, String why) {
        for (Move move : node.agenda().all()) {
            if (move.outcome() != null) {
                continue;
            }
            if (move.isSent()) {
                lose(nowMs, node, move, why);
            } else {
                board.withdraw(nowMs, node, move, Outcome.CANCELLED, why, false);
            }
        }
    }

    private void lose(long nowMs, Node node, Move move, String why) {
        long id = move.block().id();
        board.end(nowMs, node, move, Outcome.LOST, why, 0);
        node.backOff().failed(nowMs, id);
        // What is resident according to the DataNode's last word is as good a guess as any; its next word corrects it.
        board.correct(nowMs, node, move.block(), node.residents().containsKey(id));
    }
}
