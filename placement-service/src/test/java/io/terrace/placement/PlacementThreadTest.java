package io.terrace.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.terrace.metrics.Figures;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PlacementThreadTest {

    private static final int EPOCH = 7;

    private final PlacementSettings settings = PlacementSettings.defaults();
    private final Figures figures = new Figures();
    private final Placement placement = new Placement(settings, new FakeNames(), figures);
    private final PlacementThread loop = new PlacementThread(
            placement, new Leader(), figures, 10, () -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime()));

    /** Leads for good. */
    private final class Leader implements Leadership {

        @Override
        public long epoch() {
            return EPOCH;
        }

        @Override
        public StandingOrders standingOrders() {
            return StandingOrders.initial();
        }

        @Override
        public PolicyChoice policy() {
            return settings.choice();
        }
    }

    /**
     * Breaks the loop, and so many times whoever looks where it came from, as it may be when there is no memory. No
     * OutOfMemoryError, for which JUnit ends the whole run, and not the test, should the thread not outlive it.
     */
    private static final class Planted extends RuntimeException {
        private int errorsLeft;

        Planted(int errors) {
            super("planted");
            errorsLeft = errors;
        }

        @Override
        public StackTraceElement[] getStackTrace() {
            if (errorsLeft-- > 0) {
                throw new InternalError("planted");
            }
            return super.getStackTrace();
        }
    }

    @BeforeEach
    void start() {
        loop.start();
        awaitEpoch(EPOCH);
    }

    @AfterEach
    void stop() {
        loop.close();
    }

    /** What ends the loop's thread is no end of the wait: that the thread is gone shows by itself. */
    private static ConditionFactory eventually() {
        return await().dontCatchUncaughtExceptions().atMost(Duration.ofSeconds(30));
    }

    private void awaitEpoch(long epoch) {
        eventually().untilAsserted(() -> assertThat(loop.vitals().epoch()).isEqualTo(epoch));
    }

    private void breakLoop(Planted planted) {
        assertThatThrownBy(() -> loop.ask(broken -> {
                    throw planted;
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasCause(planted);
    }

    @Test
    void failure_endsTheEpochAndBeginsAnother() throws Exception {
        breakLoop(new Planted(0));
        awaitEpoch(EPOCH + 1);
        assertThat(loop.ask(Placement::isActive)).isTrue();
    }

    @Test
    void failure_whileStandingDown_isOutlived() throws Exception {
        breakLoop(new Planted(3));
        awaitEpoch(EPOCH + 1);
        assertThat(loop.ask(Placement::isActive)).isTrue();
    }

    @Test
    void failures_tooMany_leaveAStandbyThatAnswers() throws Exception {
        for (int i = 1; i < PlacementThread.MOST_FAILURES; i++) {
            breakLoop(new Planted(1));
            awaitEpoch(EPOCH + i);
        }
        breakLoop(new Planted(1));
        eventually().untilAsserted(() -> assertThat(loop.vitals().active()).isFalse());
        assertThat(loop.ask(Placement::isActive)).isFalse();
    }
}
