package io.terrace.placement;

import io.terrace.metrics.Figure;
import io.terrace.metrics.Figures;
import io.terrace.placement.Move.Cause;
import io.terrace.placement.Move.Kind;
import io.terrace.placement.Node.Wish;
import io.terrace.policy.Explanation;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Turns a policy's wishes into moves. Drops that a promotion needs stay with it: they are sent with it, and not at all
 * when it comes to nothing. Owned by the loop's thread.
 */
final class Planner {

    private final Board board;
    private final Rulings rulings;
    private final Figures figures;

    Planner(Board board, Rulings rulings) {
        this.board = board;
        this.rulings = rulings;
        this.figures = board.figures();
    }

    /** Looks at all wishes of a DataNode's policy. */
    void plan(long nowMs, Node node, boolean movesAllowed) {
        plan(nowMs, node, movesAllowed, null);
    }

    /**
     * The same; drops that no promotion of the policy needs make room for {@code beneficiary}.
     *
     * @param movesAllowed false while paused: promotions are not made, what leads to drops waits
     */
    void plan(long nowMs, Node node, boolean movesAllowed, @Nullable Move beneficiary) {
        List<Move> drops = new ArrayList<>();
        List<Wish> wishes = node.wishes();
        // Answers to the policy may lead to further wishes, so the list grows while it is walked. Each of them corrects
        // one block, which leaves the policy with less to place, so this ends.
        for (int i = 0; i < wishes.size(); i++) {
            Wish wish = wishes.get(i);
            if (wish.toMemory()) {
                promote(nowMs, node, wish, drops, movesAllowed);
            } else {
                drop(nowMs, node, wish, drops);
            }
        }
        wishes.clear();
        for (Move drop : drops) {
            if (beneficiary != null && beneficiary.outcome() == null && !beneficiary.isSent()) {
                beneficiary.victims().add(drop);
            } else {
                node.agenda().enqueue(drop, false);
            }
        }
    }

    private void promote(long nowMs, Node node, Wish wish, List<Move> drops, boolean movesAllowed) {
        long id = wish.blockId();
        Move open = node.agenda().open(id);
        if (open != null) {
            if (open.isPromotion()) {
                open.overtaken(false);
            } else if (open.isSent()) {
                open.overtaken(true);
            } else {
                node.agenda().detach(open);
                drops.remove(open);
                board.end(nowMs, node, open, Outcome.CANCELLED, "wanted in memory again", 0);
            }
            return;
        }
        Node.Resident resident = node.residents().get(id);
        if (resident != null) {
            board.confirm(nowMs, node, resident.block, true);
            return;
        }
        figures.increment(Figure.PLACEMENT_PROMOTIONS_WISHED);
        BlockHeat heat = board.heat().find(id);
        boolean heldBack = node.backOff().holdsBack(nowMs, id);
        if (heat == null
                || isForbidden(heat)
                || !movesAllowed
                || heldBack
                || node.agenda().isFullFor(Kind.PROMOTE)) {
            figures.increment(Figure.PLACEMENT_MOVES_HELD_BACK);
            StampedBlock block = heat == null ? new StampedBlock(id, 0, wish.sizeBytes()) : heat.block();
            board.correct(nowMs, node, block, false);
            for (Move victim : drops) {
                board.end(nowMs, node, victim, Outcome.CANCELLED, "the promotion it made room for is held back", 0);
                board.correct(nowMs, node, victim.block(), true);
            }
            drops.clear();
            return;
        }
        Move move = board.open(nowMs, node, Kind.PROMOTE, heat.block(), Cause.POLICY, reason(nowMs, node, id));
        move.victims().addAll(drops);
        drops.clear();
        node.agenda().enqueue(move, false);
    }

    /** Blocks that were read under another policy's rules were not looked up under these. */
    private boolean isForbidden(BlockHeat heat) {
        Ruling ruling = rulings.known(heat);
        return ruling == null || ruling.forbids();
    }

    private void drop(long nowMs, Node node, Wish wish, List<Move> drops) {
        long id = wish.blockId();
        Move open = node.agenda().open(id);
        if (open != null) {
            if (!open.isPromotion()) {
                open.overtaken(false);
            } else if (open.isSent()) {
                open.overtaken(true);
            } else {
                board.withdraw(nowMs, node, open, Outcome.CANCELLED, "no longer wanted in memory", false);
            }
            return;
        }
        Node.Resident resident = node.residents().get(id);
        if (resident == null || node.agenda().isFullFor(Kind.DROP)) {
            if (resident == null) {
                node.policy().moved(nowMs, id, wish.sizeBytes(), Node.HOME, node::wish);
            } else {
                board.correct(nowMs, node, resident.block, true);
            }
            return;
        }
        drops.add(board.open(nowMs, node, Kind.DROP, resident.block, Cause.POLICY, reason(nowMs, node, id)));
    }

    private String reason(long nowMs, Node node, long blockId) {
        Explanation why = node.policy().explain(nowMs, blockId);
        return why == null ? "" : why.sentence();
    }
}
