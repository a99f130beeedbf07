package io.terrace.placement.explain;

import io.terrace.common.Quantity;
import io.terrace.conf.TerraceSettings;
import io.terrace.placement.control.ControlTrial.Obstacle;
import io.terrace.placement.explain.BlockSituation.Kind;
import io.terrace.placement.explain.BlockSituation.Replica;
import io.terrace.placement.explain.FileSituation.Rule;
import io.terrace.placement.explain.Verdicts.Verdict;
import io.terrace.placement.policyfile.SizeRange;
import io.terrace.placement.report.HotBlock;
import io.terrace.placement.report.ReplicaReport;
import io.terrace.placement.state.Move;
import io.terrace.placement.state.Move.Cause;
import io.terrace.placement.state.OperatorState.Order;
import io.terrace.protocol.MoveOutcome;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What is said of a block that is not in memory and not on its way there. */
final class AbsenceTexts {

    private static final String NOT = "NOT IN MEMORY: ";

    /** A block with fewer reads by now, as they fade, counts as not read. */
    private static final double COLD = 0.5;

    private final BlockSituation situation;
    private final FileSituation file;
    private final long lengthBytes;

    AbsenceTexts(BlockSituation situation) {
        this.situation = situation;
        this.file = situation.file();
        this.lengthBytes = situation.block().lengthBytes();
    }

    Verdict verdict() {
        Order off = file.operatorState().switchedOff();
        if (off != null) {
            return new Verdict(
                    NOT + "Terrace is off (placementctl on)",
                    Verdicts.off(situation, off),
                    "Comes in by new reads after placementctl on.");
        }
        Verdict found = ofItsKind();
        if (found == null && file.pin() == null) {
            found = ofRules();
        }
        if (found == null) {
            found = ofDataNodes();
        }
        if (found == null) {
            found = new FailureTexts(situation).verdict();
        }
        Order paused = file.operatorState().paused();
        if (found == null && paused != null) {
            String by = pausedBy(situation, paused);
            return new Verdict(
                    NOT + "moves are paused" + by + " (placementctl resume)",
                    "What is in memory stays there, and nothing comes in.",
                    "Comes in " + (file.pin() == null ? "by new reads " : "") + "after placementctl resume.");
        }
        if (found == null && file.pin() != null) {
            found = pinnedWithoutRoom(file.pin());
        }
        if (found == null) {
            found = ofAnOrder();
        }
        if (found == null) {
            found = ofControl();
        }
        if (found == null) {
            found = ofReads();
        }
        return found == null ? new ComparisonTexts(situation, subject()).verdict() : found;
    }

    /** {@code  since 10 min by bob}. */
    static String pausedBy(BlockSituation situation, Order paused) {
        String since = Verdicts.since(situation, paused);
        return (since.isEmpty() ? "" : " since " + since)
                + (paused.by().isEmpty() ? "" : " by " + Words.name(paused.by()));
    }

    private @Nullable Verdict ofItsKind() {
        if (situation.kind() == Kind.ERASURE_CODED) {
            return new Verdict(
                    NOT + "erasure-coded blocks stay where they are",
                    "No DataNode has the whole block: it is spread over many, in cells.",
                    "Nothing. A replicated copy of the file can come into memory.");
        }
        if (situation.kind() == Kind.UNDER_CONSTRUCTION) {
            return new Verdict(
                    NOT + "it is being written (complete blocks of the file can come in)",
                    "Its bytes still change, so a copy of them would be out of date, and its replicas stay where they are written.",
                    "Can come in as soon as it is complete.");
        }
        return null;
    }

    private @Nullable Verdict ofRules() {
        Rule rule = file.forbids();
        SizeRange sizes = file.sizes();
        if (rule != null) {
            String words = rule.words().isEmpty() ? "" : " (" + rule.words() + ")";
            return new Verdict(
                    NOT + "a rule forbids it",
                    Words.capital(rule.name()) + words + " holds for the file, whatever is read.",
                    rule.remedy());
        }
        boolean small = lengthBytes < sizes.smallestBytes();
        if (small || lengthBytes > sizes.largestBytes()) {
            return new Verdict(
                    NOT + (small ? "smaller" : "larger") + " than the policy file allows ("
                            + (small
                                    ? "smallest: " + Quantity.bytes(sizes.smallestBytes())
                                    : "largest: " + Quantity.bytes(sizes.largestBytes()))
                            + ")",
                    "The block has " + Quantity.bytes(lengthBytes)
                            + "; blocks of other sizes stay out, whatever is read.",
                    "Change the size: placementctl policy show --text, then policy apply.");
        }
        return null;
    }

    /** Why none of its DataNodes can take it. */
    private @Nullable Verdict ofDataNodes() {
        if (situation.replicas().isEmpty()) {
            return new Verdict(
                    NOT + "no DataNode has a replica",
                    "The NameNode knows of no replica that could be copied.",
                    "hdfs fsck " + Words.argument(file.path()) + " -files -blocks -locations says what HDFS knows.");
        }
        List<ReplicaReport> holders = situation.holders();
        if (holders.isEmpty()) {
            Replica replica = situation.replicas().get(0);
            return new Verdict(
                    NOT + Words.name(replica.name()) + " runs without Terrace",
                    situation.replicas().size() == 1
                            ? "It has the only replica, and it never sent a heartbeat to the placement service."
                            : "No DataNode with a replica has sent a heartbeat to the placement service.",
                    "Start it with Terrace's plugin and dataset: placementctl doctor says what is missing.");
        }
        ReplicaReport most = holders.stream()
                .max(Comparator.comparing((ReplicaReport holder) -> holder.live())
                        .thenComparing(holder -> holder.host().serving())
                        .thenComparingLong(holder -> holder.host().capacityBytes()))
                .orElseThrow();
        String name = Words.name(most.name());
        if (!most.live()) {
            return new Verdict(
                    NOT + name + " is silent for " + Quantity.millis(most.host().silentMs()),
                    "The service hears from no DataNode with a replica.",
                    "Can come in when it reports again: placementctl doctor.");
        }
        if (!most.host().serving()) {
            return new Verdict(
                    NOT + name + " does not serve now",
                    "Terrace in this DataNode is off or still starting.",
                    "Can come in when it serves: placementctl doctor.");
        }
        long capacity = most.host().capacityBytes();
        if (capacity == 0) {
            return new Verdict(
                    NOT + name + " has no memory for blocks",
                    "No DataNode with a replica has a memory tier.",
                    "Give it one: terrace.datanode.memory.dir and terrace.datanode.memory.capacity.");
        }
        if (lengthBytes > capacity) {
            return new Verdict(
                    NOT + Quantity.bytes(lengthBytes) + " is more than " + name + " has (" + Quantity.bytes(capacity)
                            + ")",
                    "It is the DataNode with a replica that has the most memory for blocks.",
                    "Give it more memory, or write the file in smaller blocks.");
        }
        return null;
    }

    /** What keeps heat from bringing it in, to learn what memory is worth. */
    private @Nullable Verdict ofControl() {
        Obstacle heldBack = situation.report().heldBack();
        if (heldBack == null) {
            return null;
        }
        String now = now(file);
        if (heldBack.samplePercent() > 0) {
            return new Verdict(
                    NOT + "in the control sample (" + TerraceSettings.PLACEMENT_CONTROL_SHARE.key() + ")",
                    heldBack.samplePercent()
                            + " % of blocks are never promoted for heat, so that placementctl report can say what tiers are worth.",
                    now.isEmpty() ? "Nothing, while it is." : now);
        }
        return new Verdict(
                NOT + "nothing comes in by heat for " + Quantity.millis(heldBack.leftForMs()) + " ("
                        + TerraceSettings.PLACEMENT_CONTROL_PAUSE.key() + ")",
                "Reads from memory were slower than of the control sample: placementctl report.",
                ("Tried again after that. " + now).strip());
    }

    private Verdict pinnedWithoutRoom(FilePin pin) {
        ReplicaReport subject = subject();
        return new Verdict(
                NOT + "pinned, and no DataNode with a replica has room for it",
                pin.why() + ". Pins and orders to promote hold "
                        + Words.ofMemory(
                                subject.host().reservedBytes(), subject.host().capacityBytes()) + " of "
                        + Words.name(subject.name()) + ".",
                "Comes in when another pin ends there: placementctl pins.");
    }

    /** An operator took it out, and nothing has moved it since. */
    private @Nullable Verdict ofAnOrder() {
        Move last = situation.report().lastMoves().stream()
                .filter(move -> move.volumes() == null)
                .findFirst()
                .orElse(null);
        if (last == null
                || last.isPromotion()
                || last.cause() != Cause.OPERATOR
                || last.outcome() != MoveOutcome.DONE
                || file.nowMs() - last.endedMs() > FailureTexts.LATELY_MS) {
            return null;
        }
        String by = last.occasion().by();
        return new Verdict(
                NOT + "demoted " + Words.ago(file.nowMs() - last.endedMs()),
                (by.isEmpty() ? "An operator" : Words.name(by)) + " took it out of memory with placementctl demote.",
                "It is promoted when it is read several more times. " + now(file));
    }

    private @Nullable Verdict ofReads() {
        HotBlock heat = situation.report().heat();
        if (heat != null && heat.reads() > 0 && heat.heat() >= COLD) {
            return null;
        }
        String now = now(file);
        return heat == null || heat.reads() == 0
                ? new Verdict(
                        NOT + "not read lately",
                        "The service knows of no read of it.",
                        "It is promoted when it is read several more times. " + now)
                : new Verdict(
                        NOT + "not read since " + Quantity.millis(heat.lastReadAgoMs()) + ", and not lately before",
                        "Read " + Words.reads(heat.reads()) + " in all, which counts less the longer ago it was.",
                        "It is promoted when it is read several more times. " + now);
    }

    /** What an operator can do at once. */
    static String now(FileSituation file) {
        return file.path().isEmpty()
                ? ""
                : "Now, once: " + file.command("promote") + ". For good: " + file.command("pin") + ".";
    }

    /** The DataNode where it would be: its home, else the one with the most free memory. */
    private ReplicaReport subject() {
        return situation.holders().stream()
                .max(Comparator.comparing(ReplicaReport::live)
                        .thenComparing(ReplicaReport::home)
                        .thenComparing(replica -> replica.why() != null)
                        .thenComparingLong(replica ->
                                replica.host().capacityBytes() - replica.host().usedBytes()))
                .orElseThrow();
    }
}
