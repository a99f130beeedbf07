package io.terrace.placement;

import io.terrace.metrics.Figure;
import io.terrace.metrics.Figures;
import io.terrace.placement.Heartbeat.Heat;
import io.terrace.placement.Heartbeat.Residency;
import io.terrace.placement.Heartbeat.Result;
import io.terrace.placement.Move.Cause;
import io.terrace.placement.Move.Kind;
import io.terrace.placement.Node.Resident;
import io.terrace.policy.Access;
import io.terrace.protocol.HeartbeatPage;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Takes what heartbeats bring: results of moves, what is resident, and heat, which goes to the policy of the block's
 * home where it counts ({@link Witnesses}). Owned by the loop's thread.
 */
final class Intake {

    static final long NO_ROOM_PAUSE_MS = 200;
    static final int NO_ROOM_ATTEMPTS = 4;

    private final Board board;
    private final Rulings rulings;
    private final Witnesses witnesses;
    private final Figures figures;
    private final Access access = new Access();

    Intake(Board board, Rulings rulings, Witnesses witnesses) {
        this.board = board;
        this.rulings = rulings;
        this.witnesses = witnesses;
        this.figures = board.figures();
    }

    void results(long nowMs, long epoch, Node node, List<Result> results) {
        for (Result result : results) {
            Move move = result.epoch() == epoch ? node.agenda().inFlight(result.moveId()) : null;
            if (move == null || !move.block().sameContent(result.block())) {
                figures.increment(Figure.PLACEMENT_RESULTS_STALE);
            } else {
                settle(nowMs, node, move, result);
            }
        }
    }

    private void settle(long nowMs, Node node, Move move, Result result) {
        StampedBlock block = move.block();
        if (result.outcome() == Outcome.NO_ROOM
                && move.isPromotion()
                && !move.isOvertaken()
                && move.retry(nowMs, NO_ROOM_PAUSE_MS, NO_ROOM_ATTEMPTS)) {
            node.agenda().waitAgain(move);
            return;
        }
        String said = result.message();
        board.end(
                nowMs,
                node,
                move,
                result.outcome(),
                said == null ? result.outcome().text() : said,
                result.bytesMoved());
        switch (result.outcome()) {
            case DONE -> done(nowMs, node, move);
            case CHANGED -> node.policy().vanished(nowMs, block.id());
            case PINNED -> {
                Resident resident = node.residents().get(block.id());
                node.reside(new Resident(block, resident == null ? nowMs : resident.sinceMs, true));
                node.policy().vanished(nowMs, block.id());
                node.resizePolicy(nowMs);
            }
            default -> {
                node.backOff().failed(nowMs, block.id());
                board.correct(nowMs, node, block, node.residents().containsKey(block.id()));
            }
        }
    }

    private void done(long nowMs, Node node, Move move) {
        StampedBlock block = move.block();
        // What is resident comes from the residency reports alone; a copy that was made may be gone again by now.
        if (!move.isPromotion()) {
            left(node, block.id());
        }
        if (!move.isOvertaken()) {
            board.confirm(nowMs, node, block, move.isPromotion());
            return;
        }
        // The policy booked the opposite meanwhile and waits for it.
        Kind opposite = move.isPromotion() ? Kind.DROP : Kind.PROMOTE;
        if (node.agenda().isFullFor(opposite)) {
            board.correct(nowMs, node, block, move.isPromotion());
        } else {
            Move next = board.open(nowMs, node, opposite, block, Cause.POLICY, "changed its mind meanwhile");
            node.agenda().enqueue(next, false);
        }
    }

    private void left(Node node, long blockId) {
        Resident gone = node.leave(blockId);
        if (gone != null && gone.bytesServed == 0) {
            figures.increment(Figure.PLACEMENT_MOVES_UNPAID);
        }
    }

    void residency(long nowMs, Node node, List<Residency> changes, boolean full) {
        if (full) {
            node.fullBegins(nowMs);
        }
        changes.forEach(change -> node.unreported().remove(change.block().id()));
        if (changes.size() < HeartbeatPage.ENTRIES) {
            // Nothing more of a report is to come, so what did not stand in it left by itself.
            node.unreported().forEach(id -> wentAway(nowMs, node, id));
            node.unreported().clear();
        }
        witnesses.askAboutHomes(nowMs, node, changes);
        for (Residency change : changes) {
            if (change.resident()) {
                arrived(nowMs, node, change);
            } else {
                wentAway(nowMs, node, change.block().id());
            }
        }
        if (!changes.isEmpty()) {
            node.resizePolicy(nowMs);
        }
    }

    private void arrived(long nowMs, Node node, Residency change) {
        StampedBlock block = change.block();
        Resident before = node.residents().get(block.id());
        if (before == null && node.residents().size() >= board.settings().trackedBlocks()) {
            figures.increment(Figure.PLACEMENT_HEARTBEAT_ENTRIES_CUT);
            return;
        }
        Resident same = before != null && before.block.sameContent(block) ? before : null;
        Resident now = new Resident(block, same == null ? nowMs : same.sinceMs, change.pinned());
        now.bytesServed = same == null ? 0 : same.bytesServed;
        node.reside(now);
        if (change.pinned()) {
            node.policy().vanished(nowMs, block.id());
            return;
        }
        Move open = node.agenda().open(block.id());
        if (open == null && (same == null || same.pinnedThere)) {
            board.correct(nowMs, node, block, true);
        }
        settle(nowMs, node, block);
    }

    /** A copy is at home where it stands, unless the block's home has one. */
    private void settle(long nowMs, Node node, StampedBlock block) {
        BlockHeat known = board.heat().find(block.id());
        if (known != null && !known.block().equals(block) && known.hasSpeakerBeside(node)) {
            return; // Others speak of another content; the NameNode is asked who is right when somebody reads it.
        }
        BlockHeat heat = board.heat().touch(nowMs, block);
        Node home = heat.home();
        if (home == null || !home.isLive()) {
            heat.claim(node);
        } else if (home != node && home.residents().containsKey(block.id())) {
            if (witnesses.isHomeReal(nowMs, heat)) {
                board.dropCopy(nowMs, node, block.id(), Cause.MOVED_HOME, "its home is " + home.name());
            } else if (heat.home() == null) {
                heat.claim(node);
            }
        }
    }

    private void wentAway(long nowMs, Node node, long blockId) {
        Move open = node.agenda().open(blockId);
        if (open != null && !open.isPromotion() && !open.isSent()) {
            node.agenda().detach(open);
            board.end(nowMs, node, open, Outcome.CANCELLED, "it left by itself", 0);
        }
        boolean wasHere = node.residents().containsKey(blockId);
        left(node, blockId);
        // Of a drop that was ordered the result tells the policy.
        if (wasHere && (open == null || !open.isSent())) {
            node.policy().vanished(nowMs, blockId);
        }
    }

    void heat(long nowMs, Node node, List<Heat> entries) {
        witnesses.askAboutHeat(nowMs, node, entries);
        List<Heat> counted = new ArrayList<>(entries.size());
        for (Heat entry : entries) {
            if (counts(nowMs, node, entry)) {
                counted.add(entry);
            }
        }
        rulings.prepare(nowMs, node, counted);
        for (Heat entry : counted) {
            heat(nowMs, node, entry);
        }
    }

    private boolean counts(long nowMs, Node node, Heat entry) {
        figures.add(Figure.PLACEMENT_READS, entry.reads());
        figures.add(Figure.PLACEMENT_READ_BYTES, entry.bytesRead());
        figures.add(Figure.PLACEMENT_READ_MEMORY_BYTES, entry.bytesReadFromMemory());
        switch (witnesses.word(nowMs, node, entry)) {
            case COUNTS -> {
                return true;
            }
            case SUPERSEDES -> {
                supersede(nowMs, entry.block().id());
                return true;
            }
            case STALE -> figures.increment(Figure.PLACEMENT_HEAT_STALE);
            case UNCONFIRMED -> figures.increment(Figure.PLACEMENT_HEAT_UNCONFIRMED);
        }
        return false;
    }

    private void heat(long nowMs, Node node, Heat entry) {
        StampedBlock block = entry.block();
        BlockHeat heat = board.heat().touch(nowMs, block);
        heat.record(nowMs, node, entry, board.settings().halfLifeMs());
        Resident here = node.residents().get(block.id());
        if (here != null) {
            here.bytesServed += entry.bytesReadFromMemory();
        }
        Ruling ruling = rulings.of(nowMs, heat, block);
        if (ruling == null) {
            figures.increment(Figure.PLACEMENT_RULES_DEFERRED);
        } else if (ruling.forbids()) {
            board.dropCopy(nowMs, node, block.id(), Cause.RULE, ruling.sentence());
        }
        if (ruling == null || ruling.forbids() || heat.excluded() != null || entry.reads() + entry.writes() == 0) {
            return;
        }
        @Nullable Node before = heat.home();
        Node home = entry.reads() > 0 ? HomeChoice.choose(heat) : before;
        heat.settleAt(home);
        if (before != home && before != null) {
            moveHome(nowMs, before, block, home);
        }
        if (home != null && !home.isPinned(block.id())) {
            tell(nowMs, home, entry, ruling);
        }
    }

    private void moveHome(long nowMs, Node before, StampedBlock block, @Nullable Node home) {
        figures.increment(Figure.PLACEMENT_HOMES_CHANGED);
        Move open = before.agenda().open(block.id());
        if (open != null && !open.isSent() && open.isPromotion()) {
            board.withdraw(nowMs, before, open, Outcome.CANCELLED, "its home has moved", false);
        } else if (home != null) {
            board.dropCopy(nowMs, before, block.id(), Cause.MOVED_HOME, "its home is now " + home.name());
        }
    }

    private void tell(long nowMs, Node home, Heat entry, Ruling ruling) {
        StampedBlock block = entry.block();
        int tier = home.residents().containsKey(block.id()) ? Node.MEMORY : Node.HOME;
        if (entry.reads() > 0) {
            access.read(nowMs, block.id(), block.lengthBytes(), entry.bytesRead(), tier)
                    .burst((int) Math.min(Integer.MAX_VALUE, entry.reads() * ruling.weight()))
                    .in(ruling.pool());
            home.policy().access(access, home::wish);
        }
        if (entry.writes() > 0) {
            access.write(nowMs, block.id(), block.lengthBytes(), entry.bytesWritten(), tier)
                    .burst((int) Math.min(Integer.MAX_VALUE, entry.writes()))
                    .in(ruling.pool());
            home.policy().access(access, home::wish);
        }
    }

    /** What was known of a block was another content's: it is void. */
    private void supersede(long nowMs, long id) {
        BlockHeat old = board.heat().find(id);
        if (old == null) {
            return;
        }
        for (Node node : old.speakers()) {
            Move open = node.agenda().open(id);
            if (open != null && !open.isSent() && open.isPromotion()) {
                board.withdraw(nowMs, node, open, Outcome.CANCELLED, "the block changed", true);
            }
        }
        Node home = old.home();
        if (home != null) {
            home.policy().vanished(nowMs, id);
        }
        board.heat().remove(id);
    }
}
