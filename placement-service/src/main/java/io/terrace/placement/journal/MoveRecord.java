package io.terrace.placement.journal;

import io.terrace.common.StorageTier;
import io.terrace.placement.state.Move;
import io.terrace.placement.state.Move.Volumes;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.StampedBlock;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A move that ended, as the journal keeps it. Times are milliseconds since 1970. Texts are cut to {@value #MOST_CHARACTERS}
 * characters.
 *
 * @param epoch in which it was ordered; the id is unique within it
 * @param node what operators call the DataNode
 * @param up whether it led into memory, or to a faster tier
 * @param from the tiers of a move between volumes; null for one into memory or out of it
 * @param cause in lower case, as is {@code outcome}
 */
public record MoveRecord(
        long epoch,
        long id,
        StampedBlock block,
        String node,
        boolean up,
        @Nullable StorageTier from,
        @Nullable StorageTier to,
        String cause,
        String reason,
        String outcome,
        String message,
        long requestedMs,
        long endedMs,
        long bytesMoved)
        implements JournalEntry {

    static final int MOST_CHARACTERS = 300;

    public MoveRecord {
        node = cut(node);
        reason = cut(reason);
        message = cut(message);
    }

    private static String cut(String text) {
        return text.length() <= MOST_CHARACTERS ? text : text.substring(0, MOST_CHARACTERS);
    }

    /** @param toWallMs what makes a time on the engine's clock one on the wall clock */
    static MoveRecord of(long epoch, Move move, String node, long toWallMs) {
        Volumes volumes = move.volumes();
        MoveOutcome outcome = move.outcome();
        String by = move.occasion().by();
        return new MoveRecord(
                epoch,
                move.id(),
                move.block(),
                node,
                volumes == null ? move.isPromotion() : volumes.isUp(),
                volumes == null ? null : volumes.from(),
                volumes == null ? null : volumes.to(),
                move.cause().name().toLowerCase(Locale.ROOT),
                by.isEmpty() ? move.reason() : move.reason() + " (" + by + ")",
                outcome == null ? "" : outcome.name().toLowerCase(Locale.ROOT),
                move.message(),
                move.requestedMs() + toWallMs,
                move.endedMs() + toWallMs,
                move.bytesMoved());
    }

    @Override
    public int heapBytes() {
        return 240 + 2 * (node.length() + reason.length() + message.length());
    }
}
