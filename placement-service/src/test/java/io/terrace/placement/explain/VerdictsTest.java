package io.terrace.placement.explain;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.placement.control.ControlTrial.Obstacle;
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

/** What is said of a block in each of its states, word for word. */
class VerdictsTest extends ExplainFixture {

    @Test
    void resident_ofThePolicy() {
        replica("one").resides(49_000).host(64, 64, 0, 64).rival(new Worth(45, true));
        heat(1629, 4_000, 1629);
        assertVerdict(
                "IN MEMORY of dn1:9866 for 49 s",
                "Read 1629 times, last 4 s ago. It is worth 45 times as much for its size as the block that would have"
                        + " to leave first, /w/part-0097.",
                "Stays until it is among the least read of the 64 blocks there, or its file changes.");
        assertThat(verdict().replicas())
                .containsExactly(
                        new ReplicaRow("dn1:9866", "disk", "49 s, home", "1629", "100 %"),
                        new ReplicaRow("dn2:9866", "disk", "-", "0", "-"));
    }

    @Test
    void policyCountsTime_saysWhatAReadSaves() {
        replica("one").resides(49_000).host(64, 64, 0, 64).rival(new Worth(45, true, 559e6));
        heat(15, 4_000, 15);
        assertThat(verdict().why()).endsWith("/w/part-0097. Each of its reads saves about 559 ms.");
    }

    @Test
    void policyCountsTime_absentBlock_saysWhatAReadSaves() {
        replica("one").host(64, 64, 0, 64).rival(new Worth(0.03, true, 1.13e6));
        heat(150, 4_000, 0);
        assertThat(verdict().why()).endsWith("/w/part-0097. Each of its reads saves about 1.1 ms.");
    }

    @Test
    void resident_firstToLeave_orNotCompared() {
        replica("one").resides(49_000).host(64, 64, 0, 64).alone();
        heat(1, 4_000, 0);
        assertThat(verdict().why()).isEqualTo("Read once, last 4 s ago. It is the one that would have to leave first.");
        replica("one").rival(null);
        rivals.clear();
        assertThat(verdict().why())
                .isEqualTo("Read once, last 4 s ago. The block that would have to leave first is another block.");
        replica("one").unjudged();
        assertThat(verdict().why()).isEqualTo("Read once, last 4 s ago. The policy has not judged it yet.");
    }

    @Test
    void resident_pinned_byWhomAndUntilWhen() {
        replica("one").resides(3 * DAY).pinned();
        pin = new FilePin(FilePin.Kind.FILE, "alice", 3 * DAY, "", "/w/part 95", "");
        assertThat(pin.line()).isEqualTo("PINNED since 3 d by alice, for ever");
        assertVerdict(
                "IN MEMORY of dn1:9866 for 3 d, pinned",
                "alice pinned the file; no policy decides about it.",
                "Stays until placementctl unpin '/w/part 95', or the file is deleted.");
        pin = new FilePin(FilePin.Kind.DIRECTORY, "etl", 2 * HOUR, "2026-11-24 06:00", "/dim", "");
        assertThat(pin.line()).isEqualTo("PINNED by /dim (recursive) since 2 h by etl, until 2026-11-24 06:00");
        assertThat(verdict().why()).isEqualTo("etl pinned /dim with all files below it; no policy decides about it.");
        assertThat(verdict().next())
                .isEqualTo("Stays until 2026-11-24 06:00, placementctl unpin /dim, or the file is deleted.");
        pin = new FilePin(
                FilePin.Kind.RULE,
                "",
                -1,
                "",
                "rule 2 of the policy file",
                "path: /dim_*/**, at most 2.0 GB, 1.1 GB used");
        assertThat(pin.line())
                .isEqualTo("PINNED by rule 2 of the policy file (path: /dim_*/**, at most 2.0 GB, 1.1 GB used)");
        assertThat(verdict().why()).isEqualTo("Rule 2 of the policy file pins the file; no policy decides about it.");
        pin = null;
        assertThat(verdict().why()).isEqualTo("A cache directive of HDFS pins it; no policy decides about it.");
    }

    @Test
    void resident_promotedByAnOrder_isHeld() {
        replica("one").resides(60_000).held(9 * 60_000);
        ended(promotion("one", Cause.OPERATOR, "bob"), 60_000, MoveOutcome.DONE, "", 21);
        assertVerdict(
                "IN MEMORY of dn1:9866 for 60 s, held",
                "bob promoted it; no policy decides about it yet.",
                "The policy decides in 9 min; until then it stays. Out now: placementctl demote /w/part-0095.");
    }

    @Test
    void arriving_waitsOrIsCopied() {
        Move move = promotion("two", Cause.PIN, "");
        pin = new FilePin(FilePin.Kind.FILE, "alice", 12_000, "", PATH, "");
        replica("two").open(move, 3, 20);
        assertVerdict(
                "ON ITS WAY into memory of dn2:9866",
                "alice pinned the file.",
                "Waits for the move budget of dn2:9866 (3 moves before it, about 2 s).");
        paused("bob", 600_000);
        assertThat(verdict().next()).isEqualTo("Waits, as moves are paused since 10 min by bob: placementctl resume.");
        move.order(nowMs - 2_000, 0);
        assertThat(verdict().next()).isEqualTo("dn2:9866 copies it, for 2 s now.");
        pin = null;
        moveTracker.end(nowMs, other, move, MoveOutcome.LOST, "", 0);
        replica("two").open(promotion("two", Cause.OPERATOR, "carol"), 0, 0);
        state = OperatorState.initial();
        assertThat(verdict().why()).isEqualTo("carol ordered it with placementctl promote.");
        assertThat(verdict().next()).isEqualTo("Waits for the move budget of dn2:9866 (it is the next one).");
    }

    @Test
    void copy_thatEndedWithItsDataNode_isSaid() {
        pin = new FilePin(FilePin.Kind.FILE, "alice", 3 * DAY, "", PATH, "");
        ended(promotion("one", Cause.PIN, ""), 2 * DAY, MoveOutcome.DONE, "", 21);
        replica("one").resides(2 * DAY).pinned().silent(12_000);
        replica("two").open(promotion("two", Cause.PIN, ""), 3, 20);
        assertVerdict(
                "ON ITS WAY into memory of dn2:9866",
                "alice pinned the file; the copy that dn1:9866 had ended 12 s ago, when the DataNode fell silent.",
                "Waits for the move budget of dn2:9866 (3 moves before it, about 2 s).");

        pin = null;
        replica("two").open(null, 0, 0).host(64, 64, 0, 64).rival(new Worth(0.6, true));
        heat(23, 13_000, 0);
        assertThat(verdict().state()).isEqualTo("NOT IN MEMORY: others there are worth more");
        assertThat(verdict().why())
                .as("it would come into the memory of the DataNode that is there")
                .startsWith("Memory of dn2:9866 is full")
                .endsWith(" The copy that dn1:9866 had ended 12 s ago, when the DataNode fell silent.");
    }

    @Test
    void copy_thatARestartEnded_isSaid_andOneThatWasDroppedIsNot() {
        pin = new FilePin(FilePin.Kind.FILE, "alice", 3 * DAY, "", PATH, "");
        ended(promotion("one", Cause.PIN, ""), 2 * DAY, MoveOutcome.DONE, "", 21);
        ended(drop("one"), DAY, MoveOutcome.DONE, "", -1);
        replica("one").startedAgo(5_000).open(promotion("one", Cause.PIN, ""), 0, 0);
        assertThat(verdict().why()).as("it was dropped before").isEqualTo("alice pinned the file.");
        lastMoves.remove(0);
        assertThat(verdict().why())
                .isEqualTo("alice pinned the file; the copy that dn1:9866 had ended when the DataNode was restarted,"
                        + " 5 s ago.");
        replica("one").startedAgo(3 * DAY);
        assertThat(verdict().why()).as("it was made since").isEqualTo("alice pinned the file.");
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

    @Test
    void moves_newestFirst_fiveAtMost() {
        ended(promotion("one", Cause.POLICY, ""), 50_000, MoveOutcome.DONE, "", 19);
        Move out = drop("one");
        out.makesRoomFor(promotionOf(RIVAL));
        ended(out, 49_000, MoveOutcome.DONE, "", 0);
        heat(23, 13_000, 0);
        replica("one").host(64, 64, 0, 64).rival(new Worth(0.6, true));
        assertThat(verdict().moves())
                .containsExactly(
                        new MoveRow("49 s ago", "out of memory of dn1", "policy", "done", "made room for /w/part-0097"),
                        new MoveRow(
                                "50 s ago",
                                "into memory of dn1",
                                "policy",
                                "done, 1.0 MB in 19 ms",
                                "read 3 times within 2 s"));
        for (int i = 0; i < 9; i++) {
            ended(promotion("one", Cause.PIN, ""), 1_000, MoveOutcome.CHANGED, "", 1);
        }
        assertThat(verdict().moves()).hasSize(5);
        assertThat(verdict().comings()).isNull();
    }

    @Test
    void moves_ofABlockThatCameAndWent_areOneLine() {
        for (int i = 0; i < 5; i++) {
            ended(promotion("one", Cause.POLICY, ""), 30_000 - 5_000 * i, MoveOutcome.DONE, "", 19);
            ended(drop("one"), 27_000 - 5_000 * i, MoveOutcome.DONE, "", 0);
        }
        ended(promotion("one", Cause.OPERATOR, "alice"), 3_000, MoveOutcome.NO_ROOM, "", 0);
        heat(38, 8_000, 8);
        replica("one").host(64, 64, 0, 64).rival(new Worth(1, true));
        assertThat(verdict().comings())
                .isEqualTo("Came in and left 5 times within 23 s, last 7 s ago; 8.0 MB were read from memory.");
        assertThat(verdict().moves()).extracting(MoveRow::by).containsExactly("alice");
    }

    @Test
    void names_ofAnybody_areCutAndWithoutControls() {
        rivals.put(RIVAL, "/w/\u202e<script>\n" + "x".repeat(4000));
        replica("one").host(64, 64, 0, 64).rival(new Worth(0.6, true));
        heat(23, 13_000, 0);
        assertThat(verdict().why())
                .contains("/w/?<script>?")
                .doesNotContain("\u202e", "\n")
                .hasSizeLessThan(300);
        path = "/w/'odd' \u202e";
        assertThat(verdict().next()).endsWith("For good: placementctl pin PATH.");
    }

    @Test
    void tiers_belowMemory_areToldOfBesides() {
        range = "rule 1 of the policy keeps it in ssd..disk";
        replica("one").stays("moved by others: left alone for 5 min");
        assertThat(verdict().tiers())
                .isEqualTo("Rule 1 of the policy keeps it in ssd..disk. The replica on dn1:9866 stays: moved by others:"
                        + " left alone for 5 min.");
        satisfying = "satisfy: all replicas are where storage policy ONE_SSD wants them";
        assertThat(verdict().tiers())
                .startsWith("Satisfy: all replicas are where storage policy ONE_SSD wants them. The");
    }

    @Test
    void controlSample_isSaid_whateverIsRead() {
        heldBack = new Obstacle(1, 0);
        assertVerdict(
                "NOT IN MEMORY: in the control sample (terrace.placement.control.share)",
                "1 % of blocks are never promoted for heat, so that placementctl report can say what tiers are worth.",
                "Now, once: placementctl promote /w/part-0095. For good: placementctl pin /w/part-0095.");
    }

    @Test
    void memoryThatIsLeft_isSaid() {
        heldBack = new Obstacle(0, 120_000);
        assertVerdict(
                "NOT IN MEMORY: nothing comes in by heat for 2 min (terrace.placement.control.pause)",
                "Reads from memory were slower than of the control sample: placementctl report.",
                "Tried again after that. Now, once: placementctl promote /w/part-0095. For good: placementctl pin"
                        + " /w/part-0095.");
    }
}
