package io.terrace.placement.explain;

import io.terrace.common.Quantity;
import io.terrace.placement.explain.BlockSituation.Kind;
import io.terrace.placement.explain.BlockSituation.Replica;
import io.terrace.placement.explain.BlockVerdict.ReplicaRow;
import io.terrace.placement.report.BlockReport;
import io.terrace.placement.report.HotBlock;
import io.terrace.placement.report.ReplicaReport;
import io.terrace.placement.state.Move;
import io.terrace.placement.state.OperatorState.Order;
import io.terrace.protocol.MoveOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Says of a block where it is, why, and what would change it. */
public final class Verdicts {

    private Verdicts() {}

    /** A state, why it is so, and what would change it. */
    record Verdict(String state, String why, String next) {}

    /** @param names of DataNodes, by UUID */
    public static BlockVerdict of(BlockSituation situation, Map<String, String> names) {
        Verdict verdict = verdict(situation);
        MoveTexts moves = new MoveTexts(situation, names);
        return new BlockVerdict(
                verdict.state,
                verdict.why,
                verdict.next,
                tiers(situation),
                replicas(situation),
                moves.rows(),
                moves.comings());
    }

    private static Verdict verdict(BlockSituation situation) {
        if (situation.kind() == Kind.GONE) {
            return new Verdict(
                    "GONE",
                    "The NameNode has no such block any more: its file was deleted or replaced.",
                    "Copies in memory leave by themselves.");
        }
        List<ReplicaReport> copies = situation.report().replicas().stream()
                .filter(replica -> replica.inMemory() && replica.live())
                .toList();
        Order off = situation.file().operatorState().switchedOff();
        if (!copies.isEmpty()) {
            return off != null
                    ? new Verdict(
                            "LEAVING MEMORY of " + names(copies) + ": Terrace is off (placementctl on)",
                            off(situation, off),
                            "Comes in again by new reads after placementctl on.")
                    : new ResidentTexts(situation, copies).verdict();
        }
        String ended = endedCopy(situation);
        for (ReplicaReport replica : situation.report().replicas()) {
            if (replica.open() != null && replica.open().isPromotion() && off == null) {
                return new ArrivalTexts(situation, replica, ended).verdict();
            }
        }
        Verdict absent = new AbsenceTexts(situation).verdict();
        return ended == null
                ? absent
                : new Verdict(absent.state, absent.why + " " + Words.capital(ended) + ".", absent.next);
    }

    /** How the latest copy ended, if no order ended it; null if there was none, or an order did. */
    private static @Nullable String endedCopy(BlockSituation situation) {
        for (ReplicaReport replica : situation.report().replicas()) {
            String copy = "the copy that " + Words.name(replica.name()) + " had ended ";
            if (replica.inMemory() && !replica.live()) {
                return copy + Words.ago(replica.host().silentMs()) + ", when the DataNode fell silent";
            }
            if (!replica.inMemory() && replica.live() && hadCopyBeforeItStarted(situation, replica)) {
                return copy + "when the DataNode was restarted, "
                        + Words.ago(replica.host().upMs());
            }
        }
        return null;
    }

    private static boolean hadCopyBeforeItStarted(BlockSituation situation, ReplicaReport replica) {
        long startedMs = situation.file().nowMs() - replica.host().upMs();
        Move last = situation.report().lastMoves().stream()
                .filter(move -> move.volumes() == null
                        && move.node().equals(replica.node())
                        && move.outcome() == MoveOutcome.DONE)
                .findFirst()
                .orElse(null);
        return last != null && last.isPromotion() && last.endedMs() < startedMs;
    }

    static String off(BlockSituation situation, Order off) {
        String since = since(situation, off);
        String who = off.by().isEmpty() ? "Terrace was switched off" : Words.name(off.by()) + " switched Terrace off";
        return who + (since.isEmpty() ? "" : " " + since + " ago")
                + ": nothing moves, and stock HDFS serves all reads.";
    }

    /** How long an order holds; empty where that is not known. */
    static String since(BlockSituation situation, Order order) {
        return order.sinceMs() == 0
                ? ""
                : Quantity.millis(Math.max(0, situation.file().wallMs() - order.sinceMs()));
    }

    static String names(List<ReplicaReport> replicas) {
        return String.join(
                ", ",
                replicas.stream().map(replica -> Words.name(replica.name())).toList());
    }

    /** {@code Read 23 times, last 13 s ago}; null if no read of it is known. */
    static @Nullable String reads(BlockSituation situation) {
        HotBlock heat = situation.report().heat();
        return heat == null || heat.reads() == 0
                ? null
                : "Read " + Words.reads(heat.reads()) + ", last " + Words.ago(heat.lastReadAgoMs());
    }

    private static @Nullable String tiers(BlockSituation situation) {
        BlockReport report = situation.report();
        List<String> sentences = new ArrayList<>();
        if (situation.satisfying() != null) {
            sentences.add(Words.capital(situation.satisfying()) + ".");
        } else if (report.range() != null) {
            sentences.add(Words.capital(report.range()) + ".");
        }
        for (ReplicaReport replica : report.replicas()) {
            if (replica.stays() != null) {
                sentences.add("The replica on " + Words.name(replica.name()) + " stays: " + replica.stays() + ".");
            }
        }
        return sentences.isEmpty() ? null : String.join(" ", sentences);
    }

    private static List<ReplicaRow> replicas(BlockSituation situation) {
        List<ReplicaRow> rows = new ArrayList<>();
        for (Replica stored : situation.replicas()) {
            rows.add(row(situation, stored.name(), stored.tier(), situation.known(stored.node())));
        }
        for (ReplicaReport known : situation.report().replicas()) {
            if (situation.replicas().stream().noneMatch(stored -> stored.node().equals(known.node()))) {
                rows.add(row(situation, known.name(), "no replica", known));
            }
        }
        return rows;
    }

    private static ReplicaRow row(BlockSituation situation, String name, String tier, @Nullable ReplicaReport replica) {
        if (replica == null) {
            return new ReplicaRow(name, tier, "without Terrace", "-", "-");
        }
        long reads = reads(situation, replica);
        return new ReplicaRow(
                name, tier, copy(replica), Long.toString(reads), reads == 0 ? "-" : fromMemory(situation, replica));
    }

    private static String copy(ReplicaReport replica) {
        List<String> words = new ArrayList<>();
        words.add(replica.inMemory() ? Quantity.millis(Math.max(0, replica.residentSinceMs())) : "-");
        if (replica.home()) {
            words.add("home");
        }
        if (replica.heldForMs() > 0) {
            words.add("held for " + Quantity.millis(replica.heldForMs()));
        } else if (replica.pinned()) {
            words.add("pinned");
        }
        if (!replica.live()) {
            words.add("silent");
        }
        return words.size() > 1 && !replica.inMemory()
                ? "- , " + String.join(", ", words.subList(1, words.size()))
                : String.join(", ", words);
    }

    /** Of all reads of the block, as many as this DataNode had of the latest ones. */
    private static long reads(BlockSituation situation, ReplicaReport replica) {
        HotBlock heat = situation.report().heat();
        double all = situation.report().replicas().stream()
                .mapToDouble(ReplicaReport::share)
                .sum();
        if (heat == null) {
            return 0;
        }
        return all > 0 ? Math.round(heat.reads() * replica.share() / all) : replica.home() ? heat.reads() : 0;
    }

    /** Memory serves at the home, as a rule; so its reads are those from memory. */
    private static String fromMemory(BlockSituation situation, ReplicaReport replica) {
        HotBlock heat = situation.report().heat();
        if (heat == null || heat.reads() == 0 || heat.bytesRead() == 0 || !(replica.home() || replica.inMemory())) {
            return "0 %";
        }
        double bytesHere = (double) heat.bytesRead() * reads(situation, replica) / heat.reads();
        return String.format(Locale.ROOT, "%.0f %%", Math.min(100, 100 * heat.bytesFromMemory() / bytesHere));
    }
}
