package io.terrace.placement.explain;

import io.terrace.common.Quantity;
import io.terrace.placement.explain.BlockVerdict.MoveRow;
import io.terrace.placement.state.Move;
import io.terrace.placement.state.Move.Cause;
import io.terrace.placement.state.Move.Volumes;
import io.terrace.protocol.MoveOutcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The table of a block's moves, newest first, and the line about one that came and went. */
final class MoveTexts {

    static final int MOST_MOVES = 5;
    /** A block that left memory so often by the policy's doing is summed up. */
    private static final int OFTEN = 3;

    private final BlockSituation situation;
    private final Map<String, String> names;

    /** @param names of DataNodes, by UUID */
    MoveTexts(BlockSituation situation, Map<String, String> names) {
        this.situation = situation;
        this.names = shortNames(names);
    }

    /** Without their ports, unless two would have the same name then. */
    private static Map<String, String> shortNames(Map<String, String> names) {
        Set<String> hosts = new HashSet<>();
        Map<String, String> hostsByNode = new HashMap<>();
        names.forEach((node, name) -> {
            String host = name.substring(0, name.lastIndexOf(':') < 0 ? name.length() : name.lastIndexOf(':'));
            hosts.add(host);
            hostsByNode.put(node, host);
        });
        return hosts.size() == names.size() ? hostsByNode : names;
    }

    List<MoveRow> rows() {
        List<Move> moves = new ArrayList<>();
        situation.report().replicas().forEach(replica -> {
            if (replica.open() != null) {
                moves.add(replica.open());
            }
            if (replica.between() != null) {
                moves.add(replica.between());
            }
        });
        boolean sumUp = comings() != null;
        situation.report().lastMoves().stream()
                .filter(move -> !sumUp || !isOfPolicy(move))
                .forEach(moves::add);
        return moves.stream().limit(MOST_MOVES).map(this::row).toList();
    }

    /** One line for what the policy moved in and out again and again; null if it did not. */
    @Nullable
    String comings() {
        long left = situation.report().lastMoves().stream()
                .filter(move -> isOfPolicy(move) && !move.isPromotion() && move.outcome() == MoveOutcome.DONE)
                .count();
        if (left < OFTEN) {
            return null;
        }
        List<Move> moves = situation.report().lastMoves().stream()
                .filter(MoveTexts::isOfPolicy)
                .toList();
        long nowMs = situation.file().nowMs();
        long lastMs = moves.get(0).endedMs();
        long firstMs = moves.get(moves.size() - 1).endedMs();
        long fromMemory = situation.report().heat() == null
                ? 0
                : situation.report().heat().bytesFromMemory();
        return "Came in and left " + left + " times within " + Quantity.millis(lastMs - firstMs) + ", last "
                + Words.ago(nowMs - lastMs) + "; " + Quantity.bytes(fromMemory) + " were read from memory.";
    }

    private static boolean isOfPolicy(Move move) {
        return move.volumes() == null && move.cause() == Cause.POLICY;
    }

    private MoveRow row(Move move) {
        long nowMs = situation.file().nowMs();
        String when = move.endedMs() >= 0
                ? Words.ago(nowMs - move.endedMs())
                : "for " + Quantity.millis(Math.max(0, nowMs - move.requestedMs()));
        return new MoveRow(when, what(move), by(move), result(move), MoveReason.of(move, situation.file()::other));
    }

    private String what(Move move) {
        String node = Words.name(names.getOrDefault(move.node(), move.node()));
        Volumes volumes = move.volumes();
        if (volumes != null) {
            return tier(volumes.from().name()) + " to " + tier(volumes.to().name()) + " on " + node;
        }
        return (move.isPromotion() ? "into memory of " : "out of memory of ") + node;
    }

    private static String tier(String name) {
        return name.toLowerCase(Locale.ROOT);
    }

    private static String by(Move move) {
        String user = move.occasion().by();
        return switch (move.cause()) {
            case OPERATOR -> user.isEmpty() ? "operator" : Words.name(user);
            case PIN -> "pin";
            case RULE -> "rule";
            case POLICY, MOVED_HOME -> "policy";
            case HEAT, COLD, FULL -> "range";
            case LEAVING -> "decommission";
            case FIRST_READ -> "first read";
            case READ_AHEAD -> "read ahead";
        };
    }

    /** How it ended, in a few words. */
    private static String result(Move move) {
        MoveOutcome outcome = move.outcome();
        if (outcome == null) {
            return move.isSent() ? "in flight" : "waits";
        }
        boolean copies = move.isPromotion() || move.volumes() != null;
        return switch (outcome) {
            case DONE -> !copies
                    ? "done"
                    : "done, " + Quantity.bytes(move.bytesMoved())
                            + (move.tookMs() < 0 ? "" : " in " + Quantity.millis(move.tookMs()));
            case NO_ROOM -> "failed: no room";
            case NOT_HERE -> "failed: no such replica";
            case CHANGED -> "failed: changed while it was copied";
            case CORRUPT -> "failed: corrupt";
            case PINNED -> "failed: pinned";
            case REFUSED -> "failed: refused";
            case FAILED -> "failed: " + Words.message(move.message());
            case LOST -> "failed: " + Words.message(move.message());
            case UNFIT -> "failed: " + Words.message(move.message());
            case CANCELLED -> "withdrawn: " + Words.message(move.message());
            case EXPIRED -> "given up: no budget";
        };
    }
}
