package io.terrace.placement.move;

import io.terrace.common.StorageTier;
import io.terrace.placement.control.ControlTrial;
import io.terrace.placement.state.BlockHeat;
import io.terrace.placement.state.ClusterState;
import io.terrace.placement.state.DataNodeState;
import io.terrace.placement.state.HomeChoice;
import io.terrace.placement.state.Move;
import io.terrace.placement.state.Move.Cause;
import io.terrace.placement.state.MoveTracker;
import io.terrace.placement.state.NamespaceView;
import io.terrace.placement.state.NamespaceView.Asker;
import io.terrace.placement.state.NamespaceView.Candidate;
import io.terrace.placement.state.NamespaceView.Verdict;
import io.terrace.protocol.MoveOutcome;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Checks waiting promotions against the NameNode's maps before they become orders. Those of many DataNodes whose heartbeats are
 * due are checked in one hold of the NameNode's lock, those of one DataNode when its heartbeat is here. Owned by the loop's thread.
 */
public final class MoveExaminer {

    /** A verdict of the NameNode is good for so long; a move that waited longer is examined again. */
    static final long VERDICT_VALID_MS = 5_000;

    /** Heartbeats that are due within so long are looked ahead to: some turns of the loop, and far less than verdicts are good for. */
    static final long AHEAD_MS = 1_000;

    private final ClusterState clusterState;
    private final MoveTracker moveTracker;
    private final NamespaceView view;
    private final HomeChoice homeChoice;

    /** When the next heartbeat of a DataNode with promotions is expected; the first one first, as all have one interval. */
    private final Map<DataNodeState, Long> expectedMs = new LinkedHashMap<>();

    private final List<Question> questions = new ArrayList<>();

    private record Question(DataNodeState node, Move move) {
        Candidate candidate() {
            return new Candidate(move.block(), node.uuid());
        }
    }

    public MoveExaminer(ClusterState clusterState, NamespaceView view, HomeChoice homeChoice) {
        this.clusterState = clusterState;
        this.moveTracker = clusterState.moveTracker();
        this.view = view.askedBy(Asker.ORDERS);
        this.homeChoice = homeChoice;
    }

    /** Whether the NameNode is to be asked about a move before it becomes an order. */
    boolean isQuestionable(long nowMs, Move move) {
        return move.needsExamination(nowMs, VERDICT_VALID_MS);
    }

    /** Asks about the promotions of a DataNode that are next, in one hold of the lock; later where the DataNode led to too many. */
    public void examine(long nowMs, DataNodeState node) {
        collect(nowMs, nowMs, node);
        ask(nowMs);
    }

    /** A DataNode was answered, and its next heartbeat is expected in so long. */
    public void answered(long nowMs, DataNodeState node, long intervalMs) {
        expectedMs.remove(node);
        if (node.moveQueue().promotionBytesWaiting() > 0) {
            expectedMs.put(node, nowMs + intervalMs);
        }
    }

    /** Asks about the promotions that the heartbeats of the next second may lead to, in few holds of the lock. */
    public void lookAhead(long nowMs) {
        Iterator<Map.Entry<DataNodeState, Long>> next = expectedMs.entrySet().iterator();
        while (next.hasNext()) {
            Map.Entry<DataNodeState, Long> first = next.next();
            long dueMs = first.getValue();
            if (dueMs > nowMs + AHEAD_MS) {
                break;
            }
            next.remove();
            if (questions.size() + clusterState.moveSettings().inFlight() > view.lockBlocks()) {
                ask(nowMs);
            }
            collect(nowMs, dueMs, first.getKey());
        }
        ask(nowMs);
    }

    /** Those for which there is no place or no budget when the orders go are not asked about: they may wait for minutes. */
    private void collect(long nowMs, long dueMs, DataNodeState node) {
        if (!node.isServing() || node.reportQuota().looks().available(nowMs) == 0) {
            return;
        }
        int before = questions.size();
        int places = clusterState.moveSettings().inFlight() - node.moveQueue().promotionsInFlight();
        long bytes = node.isIdle() ? Long.MAX_VALUE : node.budget().availableAt(dueMs);
        for (Move move : node.moveQueue().waiting()) {
            if (places <= 0 || bytes <= 0 || questions.size() == view.lockBlocks()) {
                break;
            }
            if (!move.isPromotion()
                    || move.outcome() != null
                    || !move.isDue(dueMs)
                    || vain(nowMs, node, move) != null) {
                continue;
            }
            places--;
            bytes -= move.block().lengthBytes();
            if (isQuestionable(nowMs, move)) {
                questions.add(new Question(node, move));
            }
        }
        if (questions.size() > before) {
            node.reportQuota().looks().charge(nowMs, 1);
        }
    }

    private void ask(long nowMs) {
        if (questions.isEmpty()) {
            return;
        }
        List<Question> asked = List.copyOf(questions);
        questions.clear();
        List<Verdict> verdicts =
                view.examine(asked.stream().map(Question::candidate).toList());
        for (int i = 0; i < asked.size(); i++) {
            Move move = asked.get(i).move();
            Verdict verdict = verdicts.get(i);
            if (verdict == Verdict.FIT) {
                move.examined(nowMs);
            } else if (verdict != Verdict.UNKNOWN && move.outcome() == null) {
                refuse(nowMs, asked.get(i).node(), move, verdict);
            }
        }
    }

    private void refuse(long nowMs, DataNodeState node, Move move, Verdict verdict) {
        long id = move.block().id();
        boolean vanished = verdict == Verdict.GONE || verdict == Verdict.CHANGED;
        moveTracker.withdraw(nowMs, node, move, MoveOutcome.UNFIT, verdict.text(), vanished);
        BlockHeat heat = clusterState.heat().find(id);
        if (heat != null && heat.block().sameContent(move.block())) {
            if (vanished) {
                clusterState.heat().remove(id);
            } else if (verdict == Verdict.ERASURE_CODED) {
                heat.exclude(verdict);
            } else if (verdict == Verdict.NO_REPLICA) {
                heat.forget(node);
            }
        }
        node.backoffTable().failed(nowMs, id);
    }

    /** Why a promotion that waits is not wanted any more; null if it is. */
    @Nullable
    String vain(long nowMs, DataNodeState node, Move move) {
        if (node.leaving() != null) {
            return node.leaving();
        }
        if (move.cause() != Cause.POLICY) {
            return null;
        }
        if (clusterState.controlTrial().isLeft(nowMs, StorageTier.MEMORY)) {
            return ControlTrial.SLOWER;
        }
        // The order was lost or found no room, or its policy asked late: a second copy would be made and dropped.
        return homeChoice.isElsewhere(node, move.block().id()) ? "its home has moved" : null;
    }
}
