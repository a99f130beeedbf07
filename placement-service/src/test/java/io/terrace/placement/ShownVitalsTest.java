package io.terrace.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.terrace.metrics.Figures;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is told of the loop without asking it. */
class ShownVitalsTest {

    private static final int INTERVAL_MS = 10;

    /** The test's clock: the loop turns when it moves on. */
    private final AtomicLong nowMs = new AtomicLong(1000);

    private final Figures figures = new Figures();
    private final PlacementThread loop = new PlacementThread(
            new Placement(PlacementSettings.defaults(), new FakeNames(), figures),
            new Leadership() {
                @Override
                public long epoch() {
                    return 7;
                }

                @Override
                public StandingOrders standingOrders() {
                    return StandingOrders.initial();
                }

                @Override
                public PolicyChoice policy() {
                    return PlacementSettings.defaults().choice();
                }
            },
            figures,
            INTERVAL_MS,
            nowMs::get);

    @BeforeEach
    void start() {
        loop.start();
        await().atMost(Duration.ofSeconds(30)).until(() -> loop.vitals().active());
    }

    @AfterEach
    void stop() {
        loop.close();
    }

    @Test
    void freshVitals_whileTheLoopIsBusy_areAnsweredUntilItIsStuck() throws Exception {
        try (BusyLoop busy = new BusyLoop(loop)) {
            assertThat(loop.freshVitals().epoch())
                    .as("nobody waits for the loop")
                    .isEqualTo(7);
            nowMs.addAndGet(PlacementThread.ANSWER_TIMEOUT_MS + 2 * INTERVAL_MS + 1);
            assertThatThrownBy(loop::freshVitals).isInstanceOf(TimeoutException.class);
        }
        await().atMost(Duration.ofSeconds(30)).ignoreExceptions().until(() -> loop.freshVitals()
                .active());
    }

    @Test
    void change_isShownAtOnce() throws Exception {
        loop.change(placement -> {
            placement.standingOrders(StandingOrders.initial().withServe(false).withPin(3, true));
            return placement;
        });
        assertThat(loop.freshVitals().orders())
                .as("the clock stands still, so does the turn")
                .isEqualTo(StandingOrders.initial().withServe(false).withPin(3, true));
        assertThat(loop.freshVitals().policy())
                .isEqualTo(PlacementSettings.defaults().policy());
    }
}
