package io.terrace.placement.explain;

import io.terrace.common.Quantity;
import io.terrace.placement.explain.BlockSituation.Replica;
import io.terrace.placement.explain.Verdicts.Verdict;
import io.terrace.placement.report.ReplicaReport;
import io.terrace.placement.state.Move;
import io.terrace.placement.state.Move.Cause;
import io.terrace.protocol.MoveOutcome;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What is said of a block whose last copy into memory came to nothing. */
final class FailureTexts {

    /** An order that came to nothing is told of for so long. */
    static final long LATELY_MS = 10 * 60_000;

    private final BlockSituation situation;
    private final FileSituation file;

    FailureTexts(BlockSituation situation) {
        this.situation = situation;
        this.file = situation.file();
    }

    /** Null if the last one did not fail, or it does not matter any more. */
    @Nullable
    Verdict verdict() {
        Move move = situation.report().lastMoves().stream()
                .filter(Move::isPromotion)
                .findFirst()
                .orElse(null);
        MoveOutcome outcome = move == null ? null : move.outcome();
        if (move == null || outcome == null || outcome == MoveOutcome.DONE) {
            return null;
        }
        long agoMs = file.nowMs() - move.endedMs();
        ReplicaReport replica = situation.known(move.node());
        long heldBackMs = replica == null ? 0 : replica.heldBackMs();
        boolean ordered = move.cause() != Cause.POLICY && agoMs < LATELY_MS;
        boolean told = outcome == MoveOutcome.CANCELLED || outcome == MoveOutcome.EXPIRED
                ? ordered && file.pin() == null
                : ordered || heldBackMs > 0;
        if (!told) {
            return null;
        }
        String ended =
                switch (outcome) {
                    case CANCELLED -> "the order was withdrawn ";
                    case EXPIRED -> "the order was given up ";
                    default -> "the copy failed ";
                };
        return new Verdict(
                "NOT IN MEMORY: " + ended + Words.ago(agoMs),
                why(move, outcome, replica),
                again(move, heldBackMs) + remedy(outcome));
    }

    private String why(Move move, MoveOutcome outcome, @Nullable ReplicaReport replica) {
        String node = replica == null ? "the DataNode" : Words.name(replica.name());
        String at = replica == null ? "The DataNode" : node;
        String message = Words.message(move.message());
        return switch (outcome) {
            case CORRUPT -> "The replica on " + node
                    + " does not match its checksums. It was reported to the NameNode as" + " corrupt, as HDFS does"
                    + others(move) + ".";
            case NO_ROOM -> "The memory of " + node + " was full of what may not leave"
                    + (replica == null ? "" : " (" + reserved(replica) + " are pinned)") + ".";
            case CHANGED -> "The block changed while it was copied.";
            case NOT_HERE -> at + " had no complete replica of this version of the block.";
            case PINNED -> "A cache directive of HDFS pins the copy there.";
            case REFUSED -> at + " refused the order: " + message + ".";
            case LOST -> "No result came from " + node + ": " + message + ".";
            case UNFIT -> "The NameNode did not allow it: " + message + ".";
            case EXPIRED -> "The order waited for " + Quantity.millis(file.waitMs()) + ", and the move budget of "
                    + node
                    + (file.moveBytesPerSecond() == 0
                            ? ""
                            : " (" + Quantity.bytes(file.moveBytesPerSecond()) + " a second)")
                    + " left no room for it.";
            case CANCELLED -> "Before it was sent to " + node + ": " + message + ".";
            default -> at + " could not make the copy: " + message + ".";
        };
    }

    private static String reserved(ReplicaReport replica) {
        return Words.ofMemory(replica.host().reservedBytes(), replica.host().capacityBytes());
    }

    private String others(Move move) {
        List<String> names = situation.replicas().stream()
                .filter(stored -> !stored.node().equals(move.node()))
                .map(Replica::name)
                .map(Words::name)
                .toList();
        return names.isEmpty() ? "; there is no other replica" : "; HDFS makes another from " + names.get(0);
    }

    /** Who tries it again, and when. */
    private String again(Move move, long heldBackMs) {
        String after = heldBackMs > 0 ? "in " + Quantity.millis(heldBackMs) : "soon";
        if (file.pin() != null) {
            return "Tried again " + after + ".";
        }
        return move.cause() == Cause.POLICY
                ? "Tried again " + after + ", if it is still read then."
                : "Not tried again by itself: " + file.command("promote") + ".";
    }

    private String remedy(MoveOutcome outcome) {
        return switch (outcome) {
            case CORRUPT -> " What HDFS knows of it: hdfs fsck " + Words.argument(file.path())
                    + " -list-corruptfileblocks.";
            case NO_ROOM -> " What is pinned: placementctl pins.";
            case REFUSED, FAILED, LOST -> " What is wrong there: placementctl doctor.";
            case EXPIRED -> " The budget: terrace.placement.move.bandwidth.";
            default -> "";
        };
    }
}
