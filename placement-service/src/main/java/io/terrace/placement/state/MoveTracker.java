package io.terrace.placement.state;

import io.terrace.common.StorageTier;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.state.Move.Cause;
import io.terrace.placement.state.Move.Volumes;
import io.terrace.placement.state.ResidentBlocks.Resident;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.StampedBlock;

/**
 * Opens and ends the moves of all DataNodes, keeps the latest that ended, and tells the policies where blocks are.
 * Owned by the engine's thread.
 */
public final class MoveTracker {

    private final MetricRegistry metricRegistry;
    private final MoveHistory history = new MoveHistory();
    private StateListener listener = StateListener.NONE;
    private long lastMoveId;

    MoveTracker(MetricRegistry metricRegistry) {
        this.metricRegistry = metricRegistry;
    }

    void tell(StateListener other) {
        listener = other;
    }

    public MoveHistory history() {
        return history;
    }

    /** A new open move, queued at its DataNode once it is enqueued. */
    public Move open(long nowMs, DataNodeState node, int from, int to, StampedBlock block, Cause cause, String reason) {
        Move move = new Move(++lastMoveId, from, to, block, node.uuid(), cause, reason, nowMs);
        node.moveQueue().book(move);
        return move;
    }

    /** A new move between volumes, which waits. */
    public Move between(
            long nowMs, DataNodeState node, Volumes volumes, StampedBlock block, Cause cause, String reason) {
        Move move = new Move(++lastMoveId, volumes, block, node.uuid(), cause, reason, nowMs);
        node.volumeMoves().book(move);
        node.volumeMoves().enqueue(move, false);
        return move;
    }

    private void remember(DataNodeState node, Move move) {
        history.add(move);
        listener.ended(node, move);
    }

    /** Closes a move between volumes and remembers how it ended. */
    public void endBetween(long nowMs, DataNodeState node, Move move, MoveOutcome outcome, String message, long bytes) {
        node.volumeMoves().close(move);
        move.end(nowMs, outcome, message, bytes);
        remember(node, move);
        metricRegistry.increment(counterBetween(outcome));
        if (outcome == MoveOutcome.DONE) {
            metricRegistry.add(Metric.PLACEMENT_VOLUME_MOVED_BYTES, bytes);
            node.volumeBackoff().succeeded(move.block().id());
        }
    }

    private static Metric counterBetween(MoveOutcome outcome) {
        return switch (outcome) {
            case DONE -> Metric.PLACEMENT_VOLUME_MOVES_DONE;
            case NO_ROOM -> Metric.PLACEMENT_VOLUME_MOVES_NO_ROOM;
            case NOT_HERE -> Metric.PLACEMENT_VOLUME_MOVES_NOT_HERE;
            case CHANGED -> Metric.PLACEMENT_VOLUME_MOVES_CHANGED;
            case CORRUPT -> Metric.PLACEMENT_VOLUME_MOVES_CORRUPT;
            case PINNED, REFUSED -> Metric.PLACEMENT_VOLUME_MOVES_REFUSED;
            case FAILED -> Metric.PLACEMENT_VOLUME_MOVES_FAILED;
            case LOST -> Metric.PLACEMENT_VOLUME_MOVES_LOST;
            case UNFIT -> Metric.PLACEMENT_VOLUME_MOVES_UNFIT;
            case CANCELLED, EXPIRED -> Metric.PLACEMENT_VOLUME_MOVES_WITHDRAWN;
        };
    }

    /** A new open move from the base into memory. */
    public Move promote(long nowMs, DataNodeState node, StampedBlock block, Cause cause, String reason) {
        TierLayout layout = node.layout();
        return open(nowMs, node, layout.base(), layout.indexOf(StorageTier.MEMORY), block, cause, reason);
    }

    /** A new open move out of memory. */
    public Move drop(long nowMs, DataNodeState node, StampedBlock block, Cause cause, String reason) {
        TierLayout layout = node.layout();
        return open(nowMs, node, layout.indexOf(StorageTier.MEMORY), layout.base(), block, cause, reason);
    }

    /** Orders the drop of an unpinned copy that has no open move. */
    public void dropCopy(long nowMs, DataNodeState node, long blockId, Cause cause, String why) {
        Resident resident = node.residents().find(blockId);
        if (resident == null
                || node.residents().isPinned(blockId)
                || node.moveQueue().open(blockId) != null) {
            return;
        }
        Move drop = drop(nowMs, node, resident.block, cause, why);
        correct(nowMs, node, resident.block, drop.to());
        node.moveQueue().enqueue(drop, false);
    }

    /** Closes a move and remembers how it ended. */
    public void end(long nowMs, DataNodeState node, Move move, MoveOutcome outcome, String message, long bytes) {
        node.moveQueue().close(move);
        move.end(nowMs, outcome, message, bytes);
        remember(node, move);
        long id = move.block().id();
        if (move.cause().isHeld() && move.isPromotion() && node.residents().isHeld(id)) {
            if (outcome == MoveOutcome.DONE) {
                node.residents().hold(move.block(), move.cause(), nowMs);
            } else {
                node.residents().release(id);
                node.resizePolicy(nowMs);
            }
        }
        switch (outcome) {
            case DONE -> {
                metricRegistry.increment(
                        move.isPromotion() ? Metric.PLACEMENT_PROMOTIONS_DONE : Metric.PLACEMENT_DROPS_DONE);
                metricRegistry.add(
                        move.isPromotion() ? Metric.PLACEMENT_PROMOTED_BYTES : Metric.PLACEMENT_DROPPED_BYTES, bytes);
                node.backoffTable().succeeded(move.block().id());
            }
            case UNFIT -> metricRegistry.increment(Metric.PLACEMENT_MOVES_UNFIT);
            case CANCELLED, EXPIRED -> metricRegistry.increment(Metric.PLACEMENT_MOVES_WITHDRAWN);
            default -> metricRegistry.increment(Metric.PLACEMENT_MOVES_FAILED);
        }
    }

    /** Tells the policy which tier a block is in, whatever it requested. */
    public void correct(long nowMs, DataNodeState node, StampedBlock block, int tier) {
        if (!node.residents().isPinned(block.id())) {
            Resident copy = node.residents().find(block.id());
            // The move may have been of an earlier content; a copy takes the room of its own.
            StampedBlock there = copy == null || tier == node.layout().base() ? block : copy.block;
            node.policy().moveFailed(nowMs, block.id(), there.lengthBytes(), tier, node::request);
        }
    }

    /** Tells the policy that a block is in the tier that it requested, or in one that it did not request. */
    public void confirm(long nowMs, DataNodeState node, StampedBlock block, int tier) {
        if (!node.residents().isPinned(block.id())) {
            node.policy().moved(nowMs, block.id(), block.lengthBytes(), tier, node::request);
        }
    }

    /** The policy knew the block with that content, which is gone; a copy of another content stays known. */
    public void forget(long nowMs, DataNodeState node, StampedBlock gone) {
        Resident copy = node.residents().find(gone.id());
        if (copy == null || copy.block.sameContent(gone)) {
            node.policy().vanished(nowMs, gone.id());
        } else {
            correct(nowMs, node, copy.block, node.tierOf(gone.id()));
        }
    }

    /**
     * Takes back a move that was not sent. What was to make room for it stays.
     *
     * @param vanished the block is no longer what was to be moved
     */
    public void withdraw(
            long nowMs, DataNodeState node, Move move, MoveOutcome outcome, String message, boolean vanished) {
        if (move.isSent()) {
            throw new IllegalStateException("move " + move.id() + " of " + move.block() + " is in flight");
        }
        end(nowMs, node, move, outcome, message, 0);
        if (vanished) {
            forget(nowMs, node, move.block());
        } else {
            // It may have got there without this move: a service that has just begun learns late what is resident.
            correct(nowMs, node, move.block(), node.tierOf(move.block().id()));
        }
        for (Move victim : move.victims()) {
            end(nowMs, node, victim, MoveOutcome.CANCELLED, "the promotion it made room for was withdrawn", 0);
            correct(nowMs, node, victim.block(), node.tierOf(victim.block().id()));
        }
        move.victims().clear();
    }
}
