package io.terrace.placement.explain;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.placement.explain.BlockVerdict.ReplicaRow;
import io.terrace.placement.state.Move;
import io.terrace.placement.state.Move.Cause;
import io.terrace.placement.state.OperatorState;
import io.terrace.policy.api.Explanation.Worth;
import io.terrace.protocol.MoveOutcome;
import org.junit.jupiter.api.Test;

/** What is said of a block that is in memory or on its way there, word for word. */
class ResidentVerdictsTest extends ExplainFixture {
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
}
