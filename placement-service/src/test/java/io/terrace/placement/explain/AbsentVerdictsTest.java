package io.terrace.placement.explain;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.placement.explain.BlockSituation.Kind;
import io.terrace.placement.explain.BlockVerdict.MoveRow;
import io.terrace.placement.explain.BlockVerdict.ReplicaRow;
import io.terrace.placement.explain.FileSituation.Rule;
import io.terrace.placement.policyfile.SizeRange;
import io.terrace.placement.state.Move;
import io.terrace.placement.state.Move.Cause;
import io.terrace.placement.state.OperatorState;
import io.terrace.placement.state.OperatorState.Order;
import io.terrace.policy.api.Explanation.Worth;
import io.terrace.protocol.MoveOutcome;
import org.junit.jupiter.api.Test;

/** What is said of a block that is not in memory, word for word. */
class AbsentVerdictsTest extends ExplainFixture {
    @Test
    void policyCountsTime_absentBlock_saysWhatAReadSaves() {
        replica("one").host(64, 64, 0, 64).rival(new Worth(0.03, true, 1.13e6));
        heat(150, 4_000, 0);
        assertThat(verdict().why()).endsWith("/w/part-0097. Each of its reads saves about 1.1 ms.");
    }

    @Test
    void absent_worthLess() {
        replica("one").host(64, 64, 0, 64).rival(new Worth(0.6, true));
        heat(23, 13_000, 0);
        assertVerdict(
                "NOT IN MEMORY: others there are worth more",
                "Memory of dn1:9866 is full (64 of 64 MB). Read 23 times, last 13 s ago, this block is worth 0.6 times"
                        + " as much for its size as the least worth keeping there, /w/part-0097.",
                "Comes in when it is read about twice as often, or when the others are read less. Now, once:"
                        + " placementctl promote /w/part-0095. For good: placementctl pin /w/part-0095.");
        rivals.clear();
        assertThat(verdict().why()).endsWith("as the least worth keeping there, another block.");
    }

    @Test
    void absent_worthAboutAsMuch_orNotEnoughMore() {
        replica("one").host(64, 64, 0, 64).rival(new Worth(1.04, true));
        heat(38, 8_000, 0);
        assertThat(verdict().state()).isEqualTo("NOT IN MEMORY: about as much worth as the last ones there");
        assertThat(verdict().why())
                .endsWith("is worth about as much for its size as the least worth keeping there,"
                        + " /w/part-0097: too little for a move.");
        assertThat(verdict().next()).isEqualTo("Comes in when it is read clearly more than that one.");
        replica("one").rival(new Worth(1.4, false));
        assertThat(verdict().state()).isEqualTo("NOT IN MEMORY: not worth a move yet");
        assertThat(verdict().why()).contains("is worth 1.4 times as much as the least worth keeping there");
    }

    @Test
    void absent_whereThePolicyComparesNoWorths() {
        replica("one").host(64, 64, 0, 64).rival(null);
        heat(2, 8_000, 0);
        assertVerdict(
                "NOT IN MEMORY: the policy keeps others there",
                "Memory of dn1:9866 is full (64 of 64 MB). Read 2 times, last 8 s ago, this block comes after those"
                        + " there, of which /w/part-0097 would leave first.",
                "Comes in when it is read more often, or when the others are read less. Now, once: placementctl promote"
                        + " /w/part-0095. For good: placementctl pin /w/part-0095.");
        replica("one").host(64, 12, 0, 3).alone();
        assertThat(verdict().state()).isEqualTo("NOT IN MEMORY: not read often enough yet");
        assertThat(verdict().why())
                .isEqualTo(
                        "Memory of dn1:9866 has room (12 of 64 MB are used). Read 2 times, last 8 s ago: too little for"
                                + " a copy.");
    }

    @Test
    void absent_whereMorePromotionsWaitThanTheBudgetLetsGo() {
        replica("one").host(64, 12, 0, 3).alone().budgetUsedUp();
        heat(2, 8_000, 0);
        assertThat(verdict().state()).isEqualTo("NOT IN MEMORY: the move budget of dn1:9866 is used up");
        assertThat(verdict().next()).contains("terrace.placement.move.bandwidth");
        replica("one").host(64, 64, 0, 64).rival(new Worth(4, true)).budgetUsedUp();
        assertThat(verdict().state()).as("worth more than the last one there").endsWith("is used up");
        replica("one").host(64, 64, 0, 64).rival(new Worth(0.1, true)).budgetUsedUp();
        assertThat(verdict().state()).as("not wanted").doesNotContain("budget");
    }

    @Test
    void absent_byAnOrder_untilItIsLongAgo() {
        replica("one").host(64, 12, 0, 3).rival(new Worth(0.02, true));
        heat(62, 6_000, 0);
        Move drop = moveTracker.drop(nowMs, node, subject(), Cause.OPERATOR, "");
        drop.orderedBy("bob");
        ended(drop, 800, MoveOutcome.DONE, "", -1);
        assertVerdict(
                "NOT IN MEMORY: demoted 800 ms ago",
                "bob took it out of memory with placementctl demote.",
                "It is promoted when it is read several more times. Now, once: placementctl promote /w/part-0095. For good:"
                        + " placementctl pin /w/part-0095.");
        nowMs += HOUR;
        assertThat(verdict().state())
                .as("where there is room, no rival is in the way")
                .isEqualTo("NOT IN MEMORY: not read often enough yet");
    }

    @Test
    void absent_notRead() {
        assertThat(verdict().state()).isEqualTo("NOT IN MEMORY: not read lately");
        heat(4, 3 * HOUR, 0, 0.1);
        assertVerdict(
                "NOT IN MEMORY: not read since 3 h, and not lately before",
                "Read 4 times in all, which counts less the longer ago it was.",
                "It is promoted when it is read several more times. Now, once: placementctl promote /w/part-0095. For good:"
                        + " placementctl pin /w/part-0095.");
    }

    @Test
    void absent_byARule_whateverIsRead() {
        heat(412, 1_000, 0);
        forbids = new Rule(
                "rule 1 of the policy file",
                "path: /tmp/**, place: never",
                "Change the rule: placementctl policy show --text, then policy apply.");
        assertVerdict(
                "NOT IN MEMORY: a rule forbids it",
                "Rule 1 of the policy file (path: /tmp/**, place: never) holds for the file, whatever is read.",
                "Change the rule: placementctl policy show --text, then policy apply.");
    }

    @Test
    void absent_byItsSize() {
        sizes = new SizeRange(2 * MB, 4 * MB);
        assertVerdict(
                "NOT IN MEMORY: smaller than the policy file allows (smallest: 2.0 MB)",
                "The block has 1.0 MB; blocks of other sizes stay out, whatever is read.",
                "Change the size: placementctl policy show --text, then policy apply.");
        sizes = new SizeRange(0, 512 << 10);
        assertThat(verdict().state()).isEqualTo("NOT IN MEMORY: larger than the policy file allows (largest: 512 KB)");
        sizes = SizeRange.ANY;
        megabytes = 2048;
        replica("one").host(1024, 0, 0, 0);
        replica("two").host(512, 0, 0, 0);
        assertThat(verdict().state()).isEqualTo("NOT IN MEMORY: 2.0 GB is more than dn1:9866 has (1.0 GB)");
    }

    @Test
    void absent_byItsKind() {
        kind = Kind.ERASURE_CODED;
        assertThat(verdict().state()).isEqualTo("NOT IN MEMORY: erasure-coded blocks stay where they are");
        kind = Kind.UNDER_CONSTRUCTION;
        assertVerdict(
                "NOT IN MEMORY: it is being written (complete blocks of the file can come in)",
                "Its bytes still change, so a copy of them would be out of date, and its replicas stay where they are written.",
                "Can come in as soon as it is complete.");
        kind = Kind.GONE;
        assertThat(verdict().state()).isEqualTo("GONE");
    }

    @Test
    void absent_byItsDataNodes() {
        replica("one").silent(40_000);
        replica("two").silent(50_000);
        assertThat(verdict().state()).isEqualTo("NOT IN MEMORY: dn1:9866 is silent for 40 s");
        replica("one").host(0, 0, 0, 0).notServing();
        assertThat(verdict().state()).isEqualTo("NOT IN MEMORY: dn1:9866 does not serve now");
        replica("one").serving();
        assertThat(verdict().state()).isEqualTo("NOT IN MEMORY: dn1:9866 has no memory for blocks");
        replicas.clear();
        assertVerdict(
                "NOT IN MEMORY: dn1:9866 runs without Terrace",
                "No DataNode with a replica has sent a heartbeat to the placement service.",
                "Start it with Terrace's plugin and dataset: placementctl doctor says what is missing.");
        assertThat(verdict().replicas().get(0))
                .isEqualTo(new ReplicaRow("dn1:9866", "disk", "without Terrace", "-", "-"));
        stored.clear();
        assertThat(verdict().state()).isEqualTo("NOT IN MEMORY: no DataNode has a replica");
    }

    @Test
    void absent_offOrPaused_byWhomAndSinceWhen() {
        paused("bob", 600_000);
        assertVerdict(
                "NOT IN MEMORY: moves are paused since 10 min by bob (placementctl resume)",
                "What is in memory stays there, and nothing comes in.",
                "Comes in by new reads after placementctl resume.");
        state = state.withOff(new Order("alice", WALL_MS - 20_000));
        assertVerdict(
                "NOT IN MEMORY: Terrace is off (placementctl on)",
                "alice switched Terrace off 20 s ago: nothing moves, and stock HDFS serves all reads.",
                "Comes in by new reads after placementctl on.");
        replica("one").resides(5_000);
        assertThat(verdict().state()).isEqualTo("LEAVING MEMORY of dn1:9866: Terrace is off (placementctl on)");
        state = OperatorState.off();
        assertThat(verdict().why())
                .isEqualTo("Terrace was switched off: nothing moves, and stock HDFS serves all reads.");
    }

    @Test
    void absent_pinnedWithoutRoom() {
        pin = new FilePin(FilePin.Kind.FILE, "alice", 12_000, "", PATH, "");
        replica("one").host(64, 61, 61, 5);
        assertVerdict(
                "NOT IN MEMORY: pinned, and no DataNode with a replica has room for it",
                "alice pinned the file. Pins and orders to promote hold 61 of 64 MB of dn1:9866.",
                "Comes in when another pin ends there: placementctl pins.");
    }

    @Test
    void absent_theCopyWasCorrupt() {
        replica("one").heldBack(48_000);
        heat(25, 5_000, 0);
        ended(promotion("one", Cause.POLICY, ""), 12_000, MoveOutcome.CORRUPT, "bad", 3);
        assertVerdict(
                "NOT IN MEMORY: the copy failed 12 s ago",
                "The replica on dn1:9866 does not match its checksums. It was reported to the NameNode as corrupt, as"
                        + " HDFS does; HDFS makes another from dn2:9866.",
                "Tried again in 48 s, if it is still read then. What HDFS knows of it: hdfs fsck /w/part-0095"
                        + " -list-corruptfileblocks.");
        assertThat(verdict().moves())
                .containsExactly(new MoveRow(
                        "12 s ago", "into memory of dn1", "policy", "failed: corrupt", "read 3 times within 2 s"));
    }

    @Test
    void absent_eachOtherEndOfAnOrder_hasARemedy() {
        replica("one").host(64, 64, 61, 5);
        assertThat(after(MoveOutcome.NO_ROOM, ""))
                .isEqualTo("the copy failed|The memory of dn1:9866 was full of what may not leave (61 of 64 MB are"
                        + " pinned).|Not tried again by itself: placementctl promote /w/part-0095. What is pinned:"
                        + " placementctl pins.|failed: no room");
        assertThat(after(MoveOutcome.CHANGED, ""))
                .isEqualTo(
                        "the copy failed|The block changed while it was copied.|Not tried again by itself: placementctl"
                                + " promote /w/part-0095.|failed: changed while it was copied");
        assertThat(after(MoveOutcome.LOST, "the DataNode was silent for 30 s"))
                .isEqualTo("the copy failed|No result came from dn1:9866: the DataNode was silent for 30 s.|Not tried"
                        + " again by itself: placementctl promote /w/part-0095. What is wrong there: placementctl"
                        + " doctor.|failed: the DataNode was silent for 30 s");
        assertThat(after(MoveOutcome.NOT_HERE, ""))
                .contains("had no complete replica of this version of the block.", "failed: no such replica");
        assertThat(after(MoveOutcome.REFUSED, "shutting down")).contains("dn1:9866 refused the order: shutting down.");
        assertThat(after(MoveOutcome.FAILED, "I/O error.")).contains("could not make the copy: I/O error.");
        assertThat(after(MoveOutcome.UNFIT, "the block is deleted"))
                .contains("The NameNode did not allow it: the block is deleted.");
        assertThat(after(MoveOutcome.EXPIRED, ""))
                .contains("the order was given up|", "waited for 60 s", "(10.0 MB a second) left no room for it.")
                .contains("terrace.placement.move.bandwidth", "|given up: no budget");
        assertThat(after(MoveOutcome.CANCELLED, "another policy is in force"))
                .contains(
                        "the order was withdrawn|",
                        "another policy is in force.",
                        "|withdrawn: another policy is in force");
    }

    private String after(MoveOutcome outcome, String message) {
        lastMoves.clear();
        ended(promotion("one", Cause.OPERATOR, "alice"), 5_000, outcome, message, 1);
        BlockVerdict verdict = verdict();
        assertThat(verdict.state()).startsWith("NOT IN MEMORY: ").endsWith(" 5 s ago");
        MoveRow row = verdict.moves().get(0);
        assertThat(row.by()).isEqualTo("alice");
        assertThat(row.because()).isEqualTo("placementctl promote");
        return verdict.state().replace("NOT IN MEMORY: ", "").replace(" 5 s ago", "") + "|" + verdict.why() + "|"
                + verdict.next() + "|" + row.result();
    }
}
