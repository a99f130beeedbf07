package io.terrace.placement;

import io.terrace.metrics.Figure;
import io.terrace.metrics.Figures;
import io.terrace.placement.Move.Cause;
import io.terrace.placement.Move.Kind;
import java.util.LinkedHashMap;
import java.util.Map;

/** The state that the steps of the loop share. Owned by the loop's thread. */
final class Board {

    private final PlacementSettings settings;
    private final Figures figures;
    private final Map<String, Node> nodes = new LinkedHashMap<>();
    private final HeatMap heat;
    private final Chronicle chronicle = new Chronicle();
    private long lastMoveId;

    Board(PlacementSettings settings, Figures figures) {
        this.settings = settings;
        this.figures = figures;
        this.heat = new HeatMap(settings.trackedBlocks(), settings.halfLifeMs());
    }

    PlacementSettings settings() {
        return settings;
    }

    Figures figures() {
        return figures;
    }

    Map<String, Node> nodes() {
        return nodes;
    }

    HeatMap heat() {
        return heat;
    }

    Chronicle chronicle() {
        return chronicle;
    }

    /** A new open move, booked on its DataNode's agenda. */
    Move open(long nowMs, Node node, Kind kind, StampedBlock block, Cause cause, String reason) {
        Move move = new Move(++lastMoveId, kind, block, node.uuid(), cause, reason, nowMs);
        node.agenda().book(move);
        return move;
    }

    /** Orders the drop of an unpinned copy that has no open move. */
    void dropCopy(long nowMs, Node node, long blockId, Cause cause, String why) {
        Node.Resident resident = node.residents().get(blockId);
        if (resident == null
                || node.isPinned(blockId)
                || node.agenda().open(blockId) != null
                || node.agenda().isFullFor(Kind.DROP)) {
            return;
        }
        correct(nowMs, node, resident.block, false);
        node.agenda().enqueue(open(nowMs, node, Kind.DROP, resident.block, cause, why), false);
    }

    /** Closes a move and remembers how it ended. */
    void end(long nowMs, Node node, Move move, Outcome outcome, String message, long bytes) {
        node.agenda().close(move);
        move.end(nowMs, outcome, message, bytes);
        chronicle.add(move);
        switch (outcome) {
            case DONE -> {
                figures.increment(move.isPromotion() ? Figure.PLACEMENT_PROMOTIONS_DONE : Figure.PLACEMENT_DROPS_DONE);
                figures.add(
                        move.isPromotion() ? Figure.PLACEMENT_PROMOTED_BYTES : Figure.PLACEMENT_DROPPED_BYTES, bytes);
                node.backOff().succeeded(move.block().id());
            }
            case UNFIT -> figures.increment(Figure.PLACEMENT_MOVES_UNFIT);
            case CANCELLED, EXPIRED -> figures.increment(Figure.PLACEMENT_MOVES_WITHDRAWN);
            default -> figures.increment(Figure.PLACEMENT_MOVES_FAILED);
        }
    }

    /** Tells the policy where a block stands, against what it may have wished. */
    void correct(long nowMs, Node node, StampedBlock block, boolean inMemory) {
        if (!node.isPinned(block.id())) {
            node.policy()
                    .moveFailed(nowMs, block.id(), block.lengthBytes(), inMemory ? Node.MEMORY : Node.HOME, node::wish);
        }
    }

    /** Tells the policy that a block stands where it was wished, or where nobody wished it. */
    void confirm(long nowMs, Node node, StampedBlock block, boolean inMemory) {
        if (!node.isPinned(block.id())) {
            node.policy().moved(nowMs, block.id(), block.lengthBytes(), inMemory ? Node.MEMORY : Node.HOME, node::wish);
        }
    }

    /**
     * Takes back a move that was not sent. What was to make room for it stays.
     *
     * @param vanished the block is no longer what the policy knows
     */
    void withdraw(long nowMs, Node node, Move move, Outcome outcome, String message, boolean vanished) {
        if (move.isSent()) {
            throw new IllegalStateException("move " + move.id() + " of " + move.block() + " is in flight");
        }
        end(nowMs, node, move, outcome, message, 0);
        if (vanished) {
            node.policy().vanished(nowMs, move.block().id());
        } else {
            correct(nowMs, node, move.block(), !move.isPromotion());
        }
        for (Move victim : move.victims()) {
            end(nowMs, node, victim, Outcome.CANCELLED, "the promotion it made room for was withdrawn", 0);
            correct(nowMs, node, victim.block(), true);
        }
        move.victims().clear();
    }
}
