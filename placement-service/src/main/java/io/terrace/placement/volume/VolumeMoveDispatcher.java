package io.terrace.placement.volume;

import io.terrace.common.StorageTier;
import io.terrace.metrics.Metric;
import io.terrace.placement.control.ControlTrial;
import io.terrace.placement.heartbeat.Heartbeat.Result;
import io.terrace.placement.heartbeat.HeartbeatAnswer;
import io.terrace.placement.policyfile.TierRange;
import io.terrace.placement.state.ClusterState;
import io.terrace.placement.state.DataNodeState;
import io.terrace.placement.state.Move;
import io.terrace.placement.state.Move.Cause;
import io.terrace.placement.state.Move.Volumes;
import io.terrace.placement.state.MoveQueue;
import io.terrace.placement.state.MoveTracker;
import io.terrace.placement.state.NamespaceView;
import io.terrace.placement.state.NamespaceView.Asker;
import io.terrace.placement.state.NamespaceView.Placed;
import io.terrace.placement.state.NamespaceView.PlacedReplica;
import io.terrace.placement.state.VolumeMoveSettings;
import io.terrace.protocol.MoveOrder;
import io.terrace.protocol.MoveOutcome;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Sends moves between volumes that wait, as far as the budgets allow, and ends them with their results. Before a move
 * is sent, the NameNode is asked whether it may still be made, together with those that other DataNodes are to make next. Owned
 * by the engine's thread.
 */
final class VolumeMoveDispatcher {

    /** A move that waited for longer is decided on again. */
    static final long WAIT_MS = 600_000;

    /** What the NameNode said is good for so long; it is asked again about a move that waited longer. */
    static final long EXAMINED_VALID_MS = 5_000;

    static final long NO_ROOM_PAUSE_MS = 1_000;
    static final int NO_ROOM_ATTEMPTS = 4;

    private final ClusterState clusterState;
    private final MoveTracker moveTracker;
    private final NamespaceView view;
    private final NamespaceView reviews;
    private final KnownReplicas known;
    private final TierSpace space;
    private final RangeRules rangeRules;
    private final VolumeMoveSettings settings;

    /** DataNodes whose moves wait; those that were asked about last are at the end. */
    private final Set<DataNodeState> waiting = new LinkedHashSet<>();

    VolumeMoveDispatcher(
            ClusterState clusterState,
            NamespaceView view,
            KnownReplicas known,
            TierSpace space,
            RangeRules rangeRules) {
        this.clusterState = clusterState;
        this.moveTracker = clusterState.moveTracker();
        this.view = view.askedBy(Asker.ORDERS);
        this.reviews = view.askedBy(Asker.VOLUMES);
        this.known = known;
        this.space = space;
        this.rangeRules = rangeRules;
        this.settings = clusterState.moveSettings().volumes();
    }

    /** Makes orders of what is due, fit and within the budgets. */
    List<MoveOrder> dispatch(long nowMs, DataNodeState node) {
        MoveQueue queue = node.volumeMoves();
        if (node.leaving() != null && queue.waitingCount() > 0) {
            withdraw(nowMs, node, node.leaving());
        }
        if (queue.waitingCount() == 0 || !node.takesVolumeMoves() || view.stopsVolumeMoves() != null) {
            return List.of();
        }
        int most = Math.min(view.lockBlocks(), settings.inFlight() - queue.inFlightCount());
        most = Math.min(most, settings.totalInFlight() - clusterState.volumeMovesInFlight());
        if (most <= 0 || !hasBudget(nowMs, node)) {
            return List.of();
        }
        waiting.add(node);
        List<Move> due = due(nowMs, node, most);
        List<Question> questions = questions(nowMs, node, due);
        if (!questions.isEmpty()) {
            addOfOthers(nowMs, node, questions);
            examine(nowMs, questions);
        }
        List<MoveOrder> orders = new ArrayList<>();
        for (Move move : due) {
            // Without an answer the NameNode cannot say, so it waits.
            if (move.outcome() == null && !isUnexamined(nowMs, move) && hasBudget(nowMs, node)) {
                orders.add(send(nowMs, node, move));
            }
        }
        return orders;
    }

    /** A move of a DataNode that the NameNode is to be asked about. */
    private record Question(DataNodeState node, Move move) {}

    private static boolean isUnexamined(long nowMs, Move move) {
        return move.needsExamination(nowMs, EXAMINED_VALID_MS);
    }

    private static List<Question> questions(long nowMs, DataNodeState node, List<Move> moves) {
        List<Question> questions = new ArrayList<>();
        for (Move move : moves) {
            if (move.isDue(nowMs) && isUnexamined(nowMs, move)) {
                questions.add(new Question(node, move));
            }
        }
        return questions;
    }

    /** Those that other DataNodes are to make next, as one hold of the lock costs less than one for each. */
    private void addOfOthers(long nowMs, DataNodeState asking, List<Question> questions) {
        if (!reviews.mayLook()) {
            return;
        }
        waiting.remove(asking);
        List<DataNodeState> seen = new ArrayList<>();
        for (DataNodeState node : waiting) {
            if (seen.size() >= view.lockBlocks() || questions.size() >= view.lockBlocks()) {
                break;
            }
            seen.add(node);
            int free = settings.inFlight() - node.volumeMoves().inFlightCount();
            List<Move> next =
                    node.volumeMoves().firstWaiting(Math.min(Math.max(1, free), view.lockBlocks() - questions.size()));
            if (clusterState.nodes().get(node.uuid()) == node) {
                questions.addAll(questions(nowMs, node, next));
            }
        }
        seen.forEach(waiting::remove);
        seen.removeIf(node ->
                node.volumeMoves().waitingCount() == 0 || clusterState.nodes().get(node.uuid()) != node);
        waiting.addAll(seen);
        waiting.add(asking);
    }

    private void examine(long nowMs, List<Question> questions) {
        List<@Nullable Placed> placed = view.placed(
                questions.stream().map(asked -> asked.move.block().id()).toList());
        for (int i = 0; i < placed.size(); i++) {
            DataNodeState node = questions.get(i).node;
            Move move = questions.get(i).move;
            String unfit = unfit(move, placed.get(i));
            if (unfit == null) {
                move.examined(nowMs);
            } else {
                end(nowMs, node, move, MoveOutcome.UNFIT, unfit);
                node.volumeBackoff().failed(nowMs, move.block().id());
            }
        }
    }

    private List<Move> due(long nowMs, DataNodeState node, int most) {
        List<Move> due = new ArrayList<>();
        for (Move move : node.volumeMoves().waiting()) {
            if (nowMs - move.requestedMs() > WAIT_MS) {
                end(nowMs, node, move, MoveOutcome.EXPIRED, MoveOutcome.EXPIRED.text());
            } else if (climbsIntoALeftTier(nowMs, move)) {
                end(nowMs, node, move, MoveOutcome.CANCELLED, ControlTrial.SLOWER);
            } else if (due.size() < most && move.isDue(nowMs)) {
                due.add(move);
            }
        }
        return due;
    }

    private boolean climbsIntoALeftTier(long nowMs, Move move) {
        Volumes volumes = move.volumes();
        return move.cause() == Cause.HEAT
                && volumes != null
                && clusterState.controlTrial().isLeft(nowMs, volumes.to());
    }

    private boolean hasBudget(long nowMs, DataNodeState node) {
        return clusterState.volumeBudget().isOpen(nowMs)
                && (node.isIdle() || node.volumeBudget().isOpen(nowMs));
    }

    /** Why the move may not be made any more; null if it may. */
    private @Nullable String unfit(Move move, @Nullable Placed placed) {
        Volumes volumes = move.volumes();
        if (placed == null) {
            return "the block is deleted";
        }
        if (!placed.block().equals(move.block())) {
            return "the block has another generation stamp or length";
        }
        if (placed.obstacle() != null) {
            return placed.obstacle();
        }
        PlacedReplica replica = placed.on(move.node());
        if (replica == null) {
            return "the DataNode holds no replica";
        }
        if (replica.obstacle() != null) {
            return replica.obstacle();
        }
        if (volumes == null || replica.tier() != volumes.from()) {
            return "the replica is not where it was when the move was decided on";
        }
        return volumes.kept() && !mayBeIn(placed, volumes.to())
                ? "no rule or annotation gives the block a range with that tier any more"
                : null;
    }

    /** A rename, rule or annotation may have changed the range since the block was looked at. */
    private boolean mayBeIn(Placed placed, StorageTier tier) {
        TierRange range = TierRange.of(rangeRules.of(placed));
        return range != null && range.contains(tier);
    }

    private MoveOrder send(long nowMs, DataNodeState node, Move move) {
        long bytes = move.block().lengthBytes();
        clusterState.volumeBudget().charge(nowMs, bytes);
        if (!node.isIdle()) {
            node.volumeBudget().charge(nowMs, bytes);
        }
        clusterState.metricRegistry().increment(Metric.PLACEMENT_VOLUME_MOVES_SENT);
        MoveOrder order = move.order(nowMs, node.isIdle() ? 0 : settings.bytesPerSecond());
        node.volumeMoves().sent(move);
        return order;
    }

    /**
     * Ends moves with their results.
     *
     * @return results of other moves
     */
    List<Result> results(long nowMs, long epoch, DataNodeState node, List<Result> results) {
        List<Result> others = new ArrayList<>();
        for (Result result : results) {
            Move move = result.epoch() == epoch ? node.volumeMoves().inFlight(result.moveId()) : null;
            if (move == null || !move.block().sameContent(result.block())) {
                others.add(result);
            } else {
                settle(nowMs, node, move, result);
            }
        }
        return others;
    }

    private void settle(long nowMs, DataNodeState node, Move move, Result result) {
        long id = move.block().id();
        if (result.outcome() == MoveOutcome.NO_ROOM && move.retry(nowMs, NO_ROOM_PAUSE_MS, NO_ROOM_ATTEMPTS)) {
            node.volumeMoves().waitAgain(move);
            return;
        }
        String message = result.message();
        moveTracker.endBetween(
                nowMs,
                node,
                move,
                result.outcome(),
                message == null || message.isEmpty() ? result.outcome().text() : message,
                result.bytesMoved());
        Volumes volumes = move.volumes();
        if (result.outcome() == MoveOutcome.DONE && volumes != null) {
            // If it is elsewhere by now, others moved it since.
            known.settled(nowMs, node.uuid(), id, volumes.to());
            space.moved(nowMs, node, volumes, move.block().lengthBytes());
            if (move.cause() == Cause.HEAT) {
                clusterState.controlTrial().climbed(volumes.to(), id);
            }
        } else if (result.tier() != null) {
            known.settled(nowMs, node.uuid(), id, result.tier());
        } else {
            known.unknown(node.uuid(), id);
        }
        if (result.outcome() != MoveOutcome.DONE) {
            node.volumeBackoff().failed(nowMs, id);
        }
    }

    /** Orders of the last answer did not arrive: those without a result go out again under their old ids. */
    void sendAgain(DataNodeState node) {
        HeartbeatAnswer lost = node.session().lastAnswer();
        if (lost == null) {
            return;
        }
        List<MoveOrder> backwards = new ArrayList<>(lost.orders());
        Collections.reverse(backwards);
        for (MoveOrder order : backwards) {
            Move move = node.volumeMoves().inFlight(order.moveId());
            if (move != null && move.unsend()) {
                node.volumeMoves().waitAgain(move);
            }
        }
    }

    /** Gives up orders that no result came for. */
    void expire(long nowMs, DataNodeState node) {
        for (Move move : List.copyOf(node.volumeMoves().inFlight())) {
            long lostAfterMs = clusterState
                    .moveSettings()
                    .volumeMoveLostAfterMs(move.block().lengthBytes());
            if (nowMs - move.sentMs() > lostAfterMs) {
                lose(nowMs, node, move, MoveOutcome.LOST.text());
            }
        }
    }

    /** The DataNode is gone or was restarted: moves that were sent or wait are void. */
    void abandon(long nowMs, DataNodeState node, String why) {
        for (Move move : node.volumeMoves().all()) {
            if (move.isSent()) {
                lose(nowMs, node, move, why);
            } else {
                end(nowMs, node, move, MoveOutcome.CANCELLED, why);
            }
        }
    }

    /** Moves that wait are void. */
    void withdraw(long nowMs, DataNodeState node, String why) {
        for (Move move : node.volumeMoves().waiting()) {
            end(nowMs, node, move, MoveOutcome.CANCELLED, why);
        }
    }

    private void lose(long nowMs, DataNodeState node, Move move, String why) {
        end(nowMs, node, move, MoveOutcome.LOST, why);
        node.volumeBackoff().failed(nowMs, move.block().id());
        known.unknown(node.uuid(), move.block().id());
    }

    private void end(long nowMs, DataNodeState node, Move move, MoveOutcome outcome, String why) {
        moveTracker.endBetween(nowMs, node, move, outcome, why, 0);
        known.movesChanged(node.uuid(), move.block().id());
    }
}
