package io.terrace.placement.explain;

import io.terrace.common.Quantity;
import io.terrace.placement.state.Move;
import io.terrace.placement.state.Move.Occasion;
import java.util.function.LongFunction;

/** Why a move was made, in a few words without a policy's own figures. */
public final class MoveReason {

    private MoveReason() {}

    /** @param other names the block of an id, or says that it is another one */
    public static String of(Move move, LongFunction<String> other) {
        Occasion occasion = move.occasion();
        return switch (move.cause()) {
            case OPERATOR -> move.volumes() != null
                    ? "placementctl release"
                    : "placementctl " + (move.isPromotion() ? "promote" : "demote");
            case PIN -> "the file is pinned";
            case MOVED_HOME -> "another DataNode is its home now";
            case RULE, HEAT, COLD, FULL, LEAVING, FIRST_READ, READ_AHEAD -> Words.message(move.reason());
            case POLICY -> !move.isPromotion()
                    ? occasion.roomFor() < 0
                            ? "least worth keeping"
                            : "made room for " + other.apply(occasion.roomFor())
                    : occasion.reads() < 0 ? "" : "read " + Words.reads(occasion.reads()) + circumstance(occasion);
        };
    }

    /** The room, or the time that the reads took, where that says more. */
    private static String circumstance(Occasion occasion) {
        if (occasion.roomMade()) {
            return ", worth more than what left";
        }
        return occasion.reads() < 2 || occasion.withinMs() < 0
                ? ", there was room"
                : " within " + Quantity.millis(Math.max(1000, occasion.withinMs()));
    }
}
