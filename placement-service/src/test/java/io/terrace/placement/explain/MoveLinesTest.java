package io.terrace.placement.explain;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.placement.control.ControlTrial.Obstacle;
import io.terrace.placement.explain.BlockVerdict.MoveRow;
import io.terrace.placement.state.Move;
import io.terrace.placement.state.Move.Cause;
import io.terrace.policy.api.Explanation.Worth;
import io.terrace.protocol.MoveOutcome;
import org.junit.jupiter.api.Test;

/** What is said beside the verdict: moves, other tiers, the rest of memory. */
class MoveLinesTest extends ExplainFixture {
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
