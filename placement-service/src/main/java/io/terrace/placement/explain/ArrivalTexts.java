package io.terrace.placement.explain;

import io.terrace.common.Quantity;
import io.terrace.placement.explain.Verdicts.Verdict;
import io.terrace.placement.report.ReplicaReport;
import io.terrace.placement.state.Move;
import io.terrace.placement.state.OperatorState.Order;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What is said of a block that is to be copied into memory. */
final class ArrivalTexts {

    private final BlockSituation situation;
    private final ReplicaReport replica;
    private final Move move;
    private final @Nullable String ended;

    /**
     * @param replica with an open promotion
     * @param ended how an earlier copy ended; null where that is of no account
     */
    ArrivalTexts(BlockSituation situation, ReplicaReport replica, @Nullable String ended) {
        this.situation = situation;
        this.replica = replica;
        this.ended = ended;
        this.move = Objects.requireNonNull(replica.open());
    }

    Verdict verdict() {
        return new Verdict(
                "ON ITS WAY into memory of " + Words.name(replica.name()),
                why() + (ended == null ? "." : "; " + ended + "."),
                next());
    }

    private String why() {
        FilePin pin = situation.file().pin();
        String by = move.occasion().by();
        return switch (move.cause()) {
            case PIN -> pin == null ? "The file is pinned" : pin.why();
            case OPERATOR -> (by.isEmpty() ? "An operator" : Words.name(by)) + " ordered it with placementctl promote";
            case RULE, LEAVING, FIRST_READ, READ_AHEAD -> Words.capital(Words.message(move.reason()));
            default -> {
                String reads = Verdicts.reads(situation);
                yield (reads == null ? "It was read" : reads)
                        + (move.occasion().roomMade()
                                ? ", it is worth more than what leaves for it"
                                : "; there is room for it");
            }
        };
    }

    private String next() {
        String name = Words.name(replica.name());
        if (move.isSent()) {
            return name + " copies it, for " + Quantity.millis(situation.file().nowMs() - move.sentMs()) + " now.";
        }
        Order paused = situation.file().operatorState().paused();
        if (paused != null) {
            return "Waits, as moves are paused" + AbsenceTexts.pausedBy(situation, paused) + ": placementctl resume.";
        }
        if (!replica.host().serving()) {
            return "Waits until " + name + " serves again: placementctl doctor.";
        }
        int before = replica.host().movesBefore();
        long rate = situation.file().moveBytesPerSecond();
        long waitMs = rate == 0 ? 0 : replica.host().bytesBefore() * 1000 / rate;
        return "Waits for the move budget of " + name + " ("
                + (before == 0
                        ? "it is the next one"
                        : before + (before == 1 ? " move" : " moves") + " before it"
                                + (waitMs < 1000 ? "" : ", about " + Quantity.millis(waitMs)))
                + ").";
    }
}
