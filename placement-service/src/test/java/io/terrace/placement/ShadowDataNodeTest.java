package io.terrace.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.placement.heartbeat.Heartbeat;
import io.terrace.placement.heartbeat.HeartbeatAnswer;
import io.terrace.placement.state.DataNodeState;
import io.terrace.policy.PolicyCatalog;
import io.terrace.policy.api.TierHierarchy;
import io.terrace.policy.api.TierSpec;
import io.terrace.protocol.MoveOrder;
import io.terrace.protocol.MoveOutcome;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a DataNode may leave in the heap of a shadow run. */
class ShadowDataNodeTest extends SteppedLoop {

    private static final int MOST = 10;

    private final DataNodeState real = new DataNodeState(
            "one",
            settings.moves(),
            PolicyCatalog.create(
                    "lru",
                    Map.of(),
                    TierHierarchy.of(new TierSpec("memory", 0, 1, 1, true), new TierSpec("home", 0, 1, 1, false))),
            nowMs);
    private final ShadowDataNode shadow = new ShadowDataNode(real, 4, MOST);

    private Heartbeat translated() {
        one.wantsFull = false;
        return shadow.translated(real, one.heartbeat());
    }

    @Test
    void copies_pinnedByTheRealOne_areKeptUpToTheLimit() {
        for (int i = 1; i <= 3 * MOST; i++) {
            one.arrives(block(i, 0), true);
            translated();
        }
        assertThat(shadow.size()).isEqualTo(MOST);
        one.leaves(block(1, 0));
        one.arrives(block(100, 0), true);
        translated();
        assertThat(shadow.holds(100)).as("there is room again").isTrue();
    }

    @Test
    void promotions_ofEmptyBlocks_areRefusedBeyondTheLimit() {
        translated();
        for (int i = 1; i <= MOST + 1; i++) {
            MoveOrder order = MoveOrder.promotion(i, block(i, 0), 0);
            shadow.carryOut(new HeartbeatAnswer(true, 1, true, false, List.of(order), 250));
            MoveOutcome expected = i <= MOST ? MoveOutcome.DONE : MoveOutcome.NO_ROOM;
            assertThat(translated().results())
                    .extracting(Heartbeat.Result::outcome)
                    .containsExactly(expected);
        }
    }

    @Test
    void changes_moreThanHeartbeatsCarry_becomeAFullReport() {
        assertThat(translated().full()).isTrue();
        boolean fullAgain = false;
        for (int i = 1; i <= 3 * MOST; i++) {
            for (int j = 0; j < 4; j++) {
                one.arrives(block(100L * i + j, 0), true);
                one.leaves(block(100L * i + j, 0));
            }
            Heartbeat said = translated();
            assertThat(said.residency()).hasSizeLessThanOrEqualTo(4);
            fullAgain |= said.full();
        }
        assertThat(fullAgain).isTrue();
    }
}
