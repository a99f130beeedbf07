package io.terrace.placement.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.terrace.metrics.Figures;
import io.terrace.placement.Leadership;
import io.terrace.placement.Placement;
import io.terrace.placement.PlacementSettings;
import io.terrace.placement.PlacementThread;
import io.terrace.placement.PolicyChoice;
import io.terrace.placement.StandingOrders;
import io.terrace.placement.hdfs.OrdersDesk.Resolve;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.ipc.StandbyException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What becomes of a change that cannot be stored, or that a failover overtakes. */
class OrdersDeskTest {

    private static final byte[] DAMAGED = "1 serve=tr".getBytes(StandardCharsets.UTF_8);

    private final PlacementSettings settings = PlacementSettings.defaults();
    private final FakeAttribute stored = new FakeAttribute();
    private final StandingOrdersStore store = new StandingOrdersStore(stored);
    private final PlacementThread loop = new PlacementThread(
            new Placement(settings, new NoNames(), new Figures()),
            new Leader(),
            new Figures(),
            10,
            () -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime()));
    private final OrdersDesk desk = new OrdersDesk(loop, store);
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
        public StandingOrders standingOrders() {
            return store.load();
        }

        @Override
        public PolicyChoice policy() {
            return settings.choice();
        }
    }

    @BeforeEach
    void start() {
        loop.start();
        awaitEpoch(7);
    }

    @AfterEach
    void stop() {
        desk.close();
        loop.close();
    }

    private void awaitEpoch(long wanted) {
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(loop.vitals().epoch()).isEqualTo(wanted));
    }

    private void becomes(long next) {
        epoch = next;
        awaitEpoch(Math.max(0, next));
    }

    private StandingOrders inForce() throws Exception {
        return loop.ask(Placement::standingOrders);
    }

    private void assertNothingChanged() throws Exception {
        assertThat(inForce()).isEqualTo(StandingOrders.initial());
        assertThat(store.load()).isEqualTo(StandingOrders.initial());
        assertThat(stored.value).isNull();
    }

    private static StandingOrders off(StandingOrders orders) {
        return orders.withServe(false);
    }

    private static void planted() throws IOException {
        throw new IOException("planted");
    }

    @Test
    void change_thatCannotBeStored_holdsInThisEpochOrNotAtAll() throws Exception {
        stored.fault = OrdersDeskTest::planted;
        assertThatThrownBy(() -> desk.change(orders -> orders.withPin(5, true), Resolve.IF_KEPT))
                .hasMessage("not stored: planted");
        assertNothingChanged();
        assertThat(desk.change(OrdersDeskTest::off, Resolve.ALWAYS).complaint())
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
        assertThatThrownBy(() -> desk.change(OrdersDeskTest::off, Resolve.ALWAYS))
                .isInstanceOf(StandbyException.class);
        assertNothingChanged();
    }

    @Test
    void change_thatIsNotStoredWhileTheEpochEnds_isRefused() throws Exception {
        stored.fault = () -> {
            becomes(8);
            planted();
        };
        assertThatThrownBy(() -> desk.change(OrdersDeskTest::off, Resolve.ALWAYS))
                .isInstanceOf(StandbyException.class);
        assertNothingChanged();
        stored.fault = () -> {
            becomes(Leadership.STANDBY);
            planted();
        };
        assertThatThrownBy(() -> desk.change(OrdersDeskTest::off, Resolve.ALWAYS))
                .isInstanceOf(StandbyException.class);
        becomes(9);
        assertNothingChanged();
    }

    @Test
    void change_thatIsStoredWhileTheEpochEnds_holdsInTheNext() throws Exception {
        stored.fault = () -> becomes(8);
        assertThat(desk.change(OrdersDeskTest::off, Resolve.ALWAYS).complaint()).isNull();
        assertThat(inForce().serve()).isFalse();
        assertThat(store.load().serve()).isFalse();
        stored.fault = () -> becomes(Leadership.STANDBY);
        assertThat(desk.change(orders -> orders.withServe(true), Resolve.ALWAYS).complaint())
                .isNull();
        becomes(9);
        assertThat(inForce().serve()).isTrue();
    }

    @Test
    void change_onAStandby_isRefused() throws Exception {
        becomes(Leadership.STANDBY);
        assertThatThrownBy(() -> desk.change(OrdersDeskTest::off, Resolve.ALWAYS))
                .isInstanceOf(StandbyException.class);
        assertThat(stored.value).isNull();
    }

    @Test
    void change_overWhatCannotBeRead_isThatOfWhoBeginsAnewAlone() throws Exception {
        stored.value = DAMAGED;
        becomes(8);
        assertThat(inForce()).isEqualTo(StandingOrders.off());
        for (Resolve resolve : new Resolve[] {Resolve.IF_KEPT, Resolve.IF_READ}) {
            assertThatThrownBy(() -> desk.change(orders -> orders.withPin(5, true), resolve))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("cannot be read");
        }
        assertThat(stored.value).isEqualTo(DAMAGED);
        assertThat(store.trouble()).isNotNull();

        desk.change(orders -> orders.withServe(true), Resolve.ALWAYS);
        desk.change(orders -> orders.withPin(5, true), Resolve.IF_KEPT);
        assertThat(StandingOrders.decoded(stored.value)).isEqualTo(inForce());
        assertThat(inForce().pins()).containsExactly(5L);
        assertThat(store.trouble()).isNull();
    }
}
