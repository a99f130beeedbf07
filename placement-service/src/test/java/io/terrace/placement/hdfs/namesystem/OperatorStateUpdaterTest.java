package io.terrace.placement.hdfs.namesystem;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.Leadership;
import io.terrace.placement.PlacementEngine;
import io.terrace.placement.PlacementLoop;
import io.terrace.placement.PlacementSettings;
import io.terrace.placement.hdfs.EmptyNamespaceView;
import io.terrace.placement.hdfs.namesystem.OperatorStateUpdater.Resolve;
import io.terrace.placement.policy.PolicyChoice;
import io.terrace.placement.state.OperatorState;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.ipc.StandbyException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What becomes of a change that cannot be stored, or that a failover overtakes. */
class OperatorStateUpdaterTest {

    private static final byte[] DAMAGED = "1 serve=tr".getBytes(StandardCharsets.UTF_8);

    private final PlacementSettings settings = PlacementSettings.from(key -> null);
    private final FakeAttribute stored = new FakeAttribute();
    private final OperatorStateStore store = new OperatorStateStore(stored);
    private final PlacementLoop loop = new PlacementLoop(
            new PlacementEngine(settings, new EmptyNamespaceView(), new MetricRegistry()),
            new Leader(),
            new MetricRegistry(),
            10,
            () -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime()));
    private final OperatorStateUpdater updater = new OperatorStateUpdater(loop, store);
    private volatile long epoch = 7;

    /** Leads in the epoch that the test sets. */
    private final class Leader implements Leadership {

        private long last;

        @Override
        public long epoch() {
            if (epoch != last) {
                last = epoch;
                store.forget();
            }
            return epoch;
        }

        @Override
        public OperatorState operatorState() {
            return store.load();
        }

        @Override
        public PolicyChoice policy() {
            return settings.policy();
        }
    }

    @BeforeEach
    void start() {
        loop.start();
        awaitEpoch(7);
    }

    @AfterEach
    void stop() {
        loop.close();
    }

    private void awaitEpoch(long wanted) {
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(loop.engineStatus().epoch()).isEqualTo(wanted));
    }

    private void becomes(long next) {
        epoch = next;
        awaitEpoch(Math.max(0, next));
    }

    private OperatorState inForce() throws Exception {
        return loop.ask(PlacementEngine::operatorState);
    }

    private void assertNothingChanged() throws Exception {
        assertThat(inForce()).isEqualTo(OperatorState.initial());
        assertThat(store.load()).isEqualTo(OperatorState.initial());
        assertThat(stored.value).isNull();
    }

    private static OperatorState off(OperatorState state) {
        return state.withServe(false);
    }

    private static void planted() throws IOException {
        throw new IOException("planted");
    }

    @Test
    void change_thatCannotBeStored_holdsInThisEpochOrNotAtAll() throws Exception {
        stored.fault = OperatorStateUpdaterTest::planted;
        assertThatThrownBy(() -> updater.change(state -> state.withPin(5, true), Resolve.IF_KEPT))
                .hasMessage("not stored: planted");
        assertNothingChanged();
        assertThat(updater.change(OperatorStateUpdaterTest::off, Resolve.ALWAYS).error())
                .isEqualTo("holds until the next restart or failover; not stored: planted");
        assertThat(inForce().serve()).isFalse();
        assertThat(store.load().serve()).isFalse();
        becomes(8);
        assertNothingChanged();
    }

    @Test
    void change_whenTheNameNodeStoodDownBeforeTheLoop_isRefused() throws Exception {
        stored.fault = () -> {
            throw new StandbyException("planted");
        };
        assertThatThrownBy(() -> updater.change(OperatorStateUpdaterTest::off, Resolve.ALWAYS))
                .isInstanceOf(StandbyException.class);
        assertNothingChanged();
    }

    @Test
    void change_thatIsNotStoredWhileTheEpochEnds_isRefused() throws Exception {
        stored.fault = () -> {
            becomes(8);
            planted();
        };
        assertThatThrownBy(() -> updater.change(OperatorStateUpdaterTest::off, Resolve.ALWAYS))
                .isInstanceOf(StandbyException.class);
        assertNothingChanged();
        stored.fault = () -> {
            becomes(Leadership.STANDBY);
            planted();
        };
        assertThatThrownBy(() -> updater.change(OperatorStateUpdaterTest::off, Resolve.ALWAYS))
                .isInstanceOf(StandbyException.class);
        becomes(9);
        assertNothingChanged();
    }

    @Test
    void change_thatIsStoredWhileTheEpochEnds_holdsInTheNext() throws Exception {
        stored.fault = () -> becomes(8);
        assertThat(updater.change(OperatorStateUpdaterTest::off, Resolve.ALWAYS).error())
                .isNull();
        assertThat(inForce().serve()).isFalse();
        assertThat(store.load().serve()).isFalse();
        stored.fault = () -> becomes(Leadership.STANDBY);
        assertThat(updater.change(state -> state.withServe(true), Resolve.ALWAYS)
                        .error())
                .isNull();
        becomes(9);
        assertThat(inForce().serve()).isTrue();
    }

    @Test
    void change_onAStandby_isRefused() throws Exception {
        becomes(Leadership.STANDBY);
        assertThatThrownBy(() -> updater.change(OperatorStateUpdaterTest::off, Resolve.ALWAYS))
                .isInstanceOf(StandbyException.class);
        assertThat(stored.value).isNull();
    }

    @Test
    void change_overWhatCannotBeRead_isThatOfWhoBeginsAnewAlone() throws Exception {
        stored.value = DAMAGED;
        becomes(8);
        assertThat(inForce()).isEqualTo(OperatorState.off());
        for (Resolve resolve : new Resolve[] {Resolve.IF_KEPT, Resolve.IF_READ}) {
            assertThatThrownBy(() -> updater.change(state -> state.withPin(5, true), resolve))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("cannot be read");
        }
        assertThat(stored.value).isEqualTo(DAMAGED);
        assertThat(store.problem()).isNotNull();

        updater.change(state -> state.withServe(true), Resolve.ALWAYS);
        updater.change(state -> state.withPin(5, true), Resolve.IF_KEPT);
        assertThat(OperatorState.decoded(stored.value)).isEqualTo(inForce());
        assertThat(inForce().pins()).containsOnlyKeys(5L);
        assertThat(store.problem()).isNull();
    }
}
