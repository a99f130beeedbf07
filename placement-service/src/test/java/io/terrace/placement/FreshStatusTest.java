package io.terrace.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.policy.PolicyChoice;
import io.terrace.placement.state.OperatorState;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is told of the loop without asking it. */
class FreshStatusTest {

    private static final int INTERVAL_MS = 10;

    /** The test's clock: the loop turns when it moves on. */
    private final AtomicLong nowMs = new AtomicLong(1000);

    private final MetricRegistry metricRegistry = new MetricRegistry();
    private final PlacementLoop loop = new PlacementLoop(
            new PlacementEngine(PlacementSettings.from(key -> null), new FakeNamespaceView(), metricRegistry),
            new Leadership() {
                @Override
                public long epoch() {
                    return 7;
                }

                @Override
                public OperatorState operatorState() {
                    return OperatorState.initial();
                }

                @Override
                public PolicyChoice policy() {
                    return PlacementSettings.from(key -> null).policy();
                }
            },
            metricRegistry,
            INTERVAL_MS,
            nowMs::get);

    @BeforeEach
    void start() {
        loop.start();
        await().atMost(Duration.ofSeconds(30)).until(() -> loop.engineStatus().active());
    }

    @AfterEach
    void stop() {
        loop.close();
    }

    @Test
    void freshStatus_whileTheLoopIsBusy_areAnsweredUntilItIsStuck() throws Exception {
        try (BusyLoop busy = new BusyLoop(loop)) {
            assertThat(loop.freshStatus().epoch())
                    .as("nobody waits for the loop")
                    .isEqualTo(7);
            nowMs.addAndGet(PlacementLoop.ANSWER_TIMEOUT_MS + 2 * INTERVAL_MS + 1);
            assertThatThrownBy(loop::freshStatus).isInstanceOf(TimeoutException.class);
        }
        await().atMost(Duration.ofSeconds(30)).ignoreExceptions().until(() -> loop.freshStatus()
                .active());
    }

    @Test
    void change_isShownAtOnce() throws Exception {
        loop.change(placement -> {
            placement.operatorState(OperatorState.initial().withServe(false).withPin(3, true));
            return placement;
        });
        assertThat(loop.freshStatus().operatorState())
                .as("the clock stands still, so does the turn")
                .isEqualTo(OperatorState.initial().withServe(false).withPin(3, true));
        assertThat(loop.freshStatus().policy())
                .isEqualTo(PlacementSettings.from(key -> null).policy().spec().policy());
    }
}
