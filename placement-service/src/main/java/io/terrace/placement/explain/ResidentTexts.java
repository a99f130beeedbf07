package io.terrace.placement.explain;

import io.terrace.common.Quantity;
import io.terrace.placement.explain.Verdicts.Verdict;
import io.terrace.placement.report.ReplicaReport;
import io.terrace.placement.state.Move;
import io.terrace.placement.state.Move.Cause;
import io.terrace.policy.api.Explanation;
import io.terrace.policy.api.Explanation.Worth;
import io.terrace.protocol.MoveOutcome;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What is said of a block that is in memory. */
final class ResidentTexts {

    private final BlockSituation situation;
    private final List<ReplicaReport> copies;
    private final ReplicaReport first;

    /** @param copies not empty */
    ResidentTexts(BlockSituation situation, List<ReplicaReport> copies) {
        this.situation = situation;
        this.copies = copies;
        this.first = copies.stream().filter(ReplicaReport::home).findFirst().orElse(copies.get(0));
    }

    Verdict verdict() {
        String state = "IN MEMORY of " + Verdicts.names(copies) + " for "
                + Quantity.millis(Math.max(0, first.residentSinceMs()));
        if (first.heldForMs() > 0) {
            return new Verdict(state + ", held", held(), heldNext());
        }
        if (!first.pinned()) {
            return new Verdict(state, worth(), worthNext());
        }
        FilePin pin = situation.file().pin();
        return pin == null
                ? new Verdict(
                        state + ", pinned",
                        "A cache directive of HDFS pins it; no policy decides about it.",
                        "Stays until hdfs cacheadmin removes the directive, or the file is deleted.")
                : new Verdict(state + ", pinned", pin.why() + "; no policy decides about it.", pin.stays());
    }

    private String held() {
        Move move = arrival();
        if (move == null) {
            return "It was put there by an order, or while it was written; no policy decides about it yet.";
        }
        String by = move.occasion().by();
        return move.cause() == Cause.RULE || move.cause().isAhead()
                ? Words.capital(Words.message(move.reason())) + "; no policy decides about it yet."
                : (by.isEmpty() ? "An operator" : Words.name(by)) + " promoted it; no policy decides about it yet.";
    }

    /** The move that brought it in, if it is known still. */
    private @Nullable Move arrival() {
        for (Move move : situation.report().lastMoves()) {
            if (move.isPromotion()
                    && move.outcome() == MoveOutcome.DONE
                    && move.node().equals(first.node())) {
                return move;
            }
        }
        return null;
    }

    private String heldNext() {
        Move move = arrival();
        if (move != null && move.cause().isAhead()) {
            return "The policy decides once it was read, or when that does not happen in time; until then it stays. Out now: "
                    + situation.file().command("demote") + ".";
        }
        return "The policy decides in " + Quantity.millis(first.heldForMs()) + "; until then it stays. Out now: "
                + situation.file().command("demote") + ".";
    }

    private String worth() {
        String reads = Verdicts.reads(situation);
        String read = reads == null ? "Not read since the service knows it" : reads;
        Explanation why = first.why();
        if (why == null) {
            return read + ". The policy has not judged it yet.";
        }
        if (why.competitor() == Explanation.NO_COMPETITOR) {
            return read + ". It is the one that would have to leave first.";
        }
        Worth worth = why.worth();
        String rival = situation.file().other(why.competitor());
        return worth == null
                ? read + ". The block that would have to leave first is " + rival + "."
                : read + ". It is worth " + Words.ratio(worth) + " as the block that would have to leave first, "
                        + rival + "." + Words.saved(worth);
    }

    private String worthNext() {
        return "Stays until it is among the least read of the "
                + (first.host().residents() == 1 ? "blocks" : first.host().residents() + " blocks")
                + " there, or its file changes.";
    }
}
