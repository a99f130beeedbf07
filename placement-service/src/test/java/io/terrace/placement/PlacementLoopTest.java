package io.terrace.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.policy.PolicyChoice;
import io.terrace.placement.state.OperatorState;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PlacementLoopTest {

    private static final int EPOCH = 7;

    private final PlacementSettings settings = PlacementSettings.from(key -> null);
    private final AtomicLong skippedMs = new AtomicLong();
    private final MetricRegistry metricRegistry = new MetricRegistry();
    private final PlacementEngine placement = new PlacementEngine(settings, new FakeNamespaceView(), metricRegistry);
    private final PlacementLoop loop = new PlacementLoop(
            placement,
            new Leader(),
            metricRegistry,
            10,
            () -> skippedMs.get() + TimeUnit.NANOSECONDS.toMillis(System.nanoTime()));

    /** Leads for good. */
    private final class Leader implements Leadership {

        @Override
        public long epoch() {
            return EPOCH;
        }

        @Override
        public OperatorState operatorState() {
            return OperatorState.initial();
        }

        @Override
        public PolicyChoice policy() {
            return settings.policy();
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
        eventually().untilAsserted(() -> assertThat(loop.engineStatus().epoch()).isEqualTo(epoch));
    }

    private void breakLoop(Planted planted) {
        assertThatThrownBy(() -> loop.change(broken -> {
                    throw planted;
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasCause(planted);
    }

    @Test
    void failure_endsTheEpochAndBeginsAnother() throws Exception {
        breakLoop(new Planted(0));
        awaitEpoch(EPOCH + 1);
        assertThat(loop.ask(PlacementEngine::isActive)).isTrue();
        assertThat(loop.hasGivenUp()).isFalse();
    }

    /** Any user may ask, and what a question finds is not what the loop decides by. */
    @Test
    void questionsThatFail_endNoEpoch_andAreCounted() throws Exception {
        for (int i = 1; i <= PlacementLoop.MOST_FAILURES; i++) {
            Planted planted = new Planted(0);
            assertThatThrownBy(() -> loop.ask(asked -> {
                        throw planted;
                    }))
                    .hasCause(planted);
        }
        assertThat(loop.ask(PlacementEngine::isActive)).isTrue();
        assertThat(loop.ask(PlacementEngine::epoch)).isEqualTo(EPOCH);
        assertThat(metricRegistry.snapshot(Metric.Where.NAMENODE))
                .containsEntry("placement.questions.failed", (long) PlacementLoop.MOST_FAILURES);
    }

    @Test
    void failure_whileStandingDown_isOutlived() throws Exception {
        breakLoop(new Planted(3));
        awaitEpoch(EPOCH + 1);
        assertThat(loop.ask(PlacementEngine::isActive)).isTrue();
    }

    @Test
    void failures_tooMany_leaveAStandbyThatAnswers() throws Exception {
        for (int i = 1; i < PlacementLoop.MOST_FAILURES; i++) {
            breakLoop(new Planted(1));
            awaitEpoch(EPOCH + i);
        }
        breakLoop(new Planted(1));
        eventually()
                .untilAsserted(() -> assertThat(loop.engineStatus().active()).isFalse());
        assertThat(loop.ask(PlacementEngine::isActive)).isFalse();
        assertThat(loop.hasGivenUp()).isTrue();
    }

    @Test
    void failures_hoursApart_areForgiven() throws Exception {
        for (int i = 1; i <= 2 * PlacementLoop.MOST_FAILURES; i++) {
            breakLoop(new Planted(0));
            awaitEpoch(EPOCH + i);
            skippedMs.addAndGet(PlacementLoop.FORGIVEN_MS);
        }
        assertThat(loop.ask(PlacementEngine::isActive)).isTrue();
        assertThat(loop.hasGivenUp()).isFalse();
    }
}
