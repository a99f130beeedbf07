package io.terrace.client.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.channel.transport.Access;
import io.terrace.channel.transport.ChannelException;
import io.terrace.channel.transport.RegionKey;
import io.terrace.channel.transport.TransferStatus;
import io.terrace.channel.verbs.VerbsExtent;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** When a client connects by RDMA, and what keeps it from trying again; without a device. */
final class VerbsConnectorTest {
    private static final long TIMEOUT_NS = TimeUnit.MILLISECONDS.toNanos(200);

    private static final RegionKey KEY = new RegionKey(1, 2, 0, 100, Access.READ);

    private static final InetSocketAddress NOBODY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);

    private final MetricRegistry metricRegistry = new MetricRegistry();
    private final AtomicLong clockNs = new AtomicLong(77);
    private final FakeWay way = new FakeWay();
    private final VerbsConnector connector = new VerbsConnector(NOBODY, way, metricRegistry, clockNs::get);

    private long stepsDown() {
        return metricRegistry.value(Metric.CLIENT_VERBS_STEPPED_DOWN);
    }

    @Test
    void connect_thatIsLate_isNoRdmaForAWhile() {
        way.connectFailure = new ChannelException(TransferStatus.DEADLINE, "planted", null);
        assertThat(connector.attach(KEY, TIMEOUT_NS)).isNull();
        assertThat(connector.attach(KEY, TIMEOUT_NS)).isNull();
        assertThat(way.timeouts).hasSize(1);
        assertThat(stepsDown()).isEqualTo(1);
        clockNs.addAndGet(TimeUnit.SECONDS.toNanos(1));
        assertThat(connector.attach(KEY, TIMEOUT_NS)).isNull();
        assertThat(way.timeouts).hasSize(2);
    }

    @Test
    void connect_hasTheWholeTime() {
        assertThat(connector.attach(KEY, TIMEOUT_NS)).isNull();
        assertThat(way.timeouts).containsExactly(TIMEOUT_NS);
    }

    /** A DataNode counts a connection over which nothing is attached against the client's host. */
    @Test
    void attach_whereOpeningTakesItsTime_connectsWithTheNext() {
        way.openTakesNs = TIMEOUT_NS / 2 + 1;
        assertThat(connector.attach(KEY, TIMEOUT_NS)).isNull();
        assertThat(way.timeouts).isEmpty();
        way.openTakesNs = 0;
        assertThat(connector.attach(KEY, TIMEOUT_NS)).isNull();
        assertThat(way.timeouts).hasSize(1);
        assertThat(stepsDown()).isZero();
    }

    /** It is late since the connect took most of the time. */
    @Test
    void attach_thatIsLateAfterASlowConnect_keepsTheConnection() {
        FakeLink link = new FakeLink(TransferStatus.DEADLINE);
        way.link = link;
        way.connectTakesNs = TIMEOUT_NS / 2 + 1;
        assertThat(connector.attach(KEY, TIMEOUT_NS)).isNull();
        assertThat(link.attached).isEqualTo(1);
        assertThat(connector.attach(KEY, TIMEOUT_NS)).isNull();
        assertThat(link.attached).isEqualTo(2);
        assertThat(way.timeouts).hasSize(1);
        assertThat(stepsDown()).as("the second had all of its time").isEqualTo(1);
    }

    @Test
    void attach_thatIsLate_isNoRdmaForAWhile_andKeepsTheConnection() {
        FakeLink link = new FakeLink(TransferStatus.DEADLINE);
        way.link = link;
        assertThat(connector.attach(KEY, TIMEOUT_NS)).isNull();
        assertThat(connector.attach(KEY, TIMEOUT_NS)).isNull();
        assertThat(link.attached).isEqualTo(1);
        assertThat(link.closed).isFalse();
        assertThat(stepsDown()).isEqualTo(1);
    }

    @Test
    void attach_thatIsRefusedAfterASlowConnect_isNoRdmaForAWhile() {
        FakeLink link = new FakeLink(TransferStatus.DISCONNECTED);
        way.link = link;
        way.connectTakesNs = TIMEOUT_NS / 2 + 1;
        assertThat(connector.attach(KEY, TIMEOUT_NS)).isNull();
        assertThat(connector.attach(KEY, TIMEOUT_NS)).isNull();
        assertThat(link.attached).isEqualTo(1);
        assertThat(stepsDown()).isEqualTo(1);
    }

    /** Opening the libraries has no bound; who reads meanwhile goes over tcp in time. */
    @Test
    void attach_whileAnotherThreadOpens_waitsNoLongerThanItsTime() throws Exception {
        CountDownLatch opening = new CountDownLatch(1);
        CountDownLatch mayOpen = new CountDownLatch(1);
        way.opensWith = () -> {
            opening.countDown();
            await(mayOpen);
        };
        CompletableFuture<Void> first = attachInAThread();
        try {
            assertThat(opening.await(60, TimeUnit.SECONDS)).isTrue();
            attachInAThread().get(60, TimeUnit.SECONDS);
            assertThat(first).isNotDone();
        } finally {
            mayOpen.countDown();
        }
        first.get(60, TimeUnit.SECONDS);
        assertThat(way.opened).isEqualTo(1);
    }

    private CompletableFuture<Void> attachInAThread() {
        return CompletableFuture.runAsync(
                () -> assertThat(connector.attach(KEY, TIMEOUT_NS)).isNull(), work -> new Thread(work).start());
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void attach_ofAnInterruptedThread_isNoFaultOfRdma() {
        Thread.currentThread().interrupt();
        assertThat(connector.attach(KEY, TIMEOUT_NS)).isNull();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(stepsDown()).isZero();
    }

    @Test
    void connect_thatFailsInAnyWay_isNoRdmaForAWhile_andIsCounted() {
        for (Throwable failure : List.of(
                new IOException("planted"), new NullPointerException(), new LinkageError(), new OutOfMemoryError())) {
            FakeWay failing = new FakeWay();
            failing.connectFailure = failure;
            assertTriedOnceAndCounted(failing);
            assertThat(failing.timeouts).hasSize(1);
        }
    }

    @Test
    void open_thatFailsInAnyWay_isNoRdmaForAWhile_andIsCounted() {
        for (Throwable failure : List.of(new NullPointerException(), new LinkageError(), new OutOfMemoryError())) {
            FakeWay failing = new FakeWay();
            failing.openFailure = failure;
            assertTriedOnceAndCounted(failing);
            assertThat(failing.timeouts).isEmpty();
        }
    }

    private void assertTriedOnceAndCounted(FakeWay failing) {
        MetricRegistry own = new MetricRegistry();
        VerbsConnector peer = new VerbsConnector(NOBODY, failing, own, clockNs::get);
        assertThat(peer.attach(KEY, TIMEOUT_NS)).isNull();
        assertThat(peer.attach(KEY, TIMEOUT_NS)).isNull();
        assertThat(failing.opened).isEqualTo(1);
        assertThat(own.value(Metric.CLIENT_VERBS_STEPPED_DOWN)).isEqualTo(1);
    }

    @Test
    void open_ofAProcessWithoutRdma_isAskedAgainAfterAMinute() {
        way.opens = false;
        assertThat(connector.attach(KEY, TIMEOUT_NS)).isNull();
        clockNs.addAndGet(TimeUnit.SECONDS.toNanos(59));
        assertThat(connector.attach(KEY, TIMEOUT_NS)).isNull();
        assertThat(way.opened).isEqualTo(1);
        clockNs.addAndGet(TimeUnit.SECONDS.toNanos(1));
        assertThat(connector.attach(KEY, TIMEOUT_NS)).isNull();
        assertThat(way.opened).isEqualTo(2);
        assertThat(way.timeouts).isEmpty();
        assertThat(stepsDown()).isZero();
    }

    @Test
    void attach_whileReadsAreSilent_isNotTried() {
        connector.readPause().failed(clockNs.get());
        assertThat(connector.attach(KEY, TIMEOUT_NS)).isNull();
        assertThat(way.timeouts).isEmpty();
    }

    @Test
    void attach_afterClose_connectsNoMore() {
        connector.close();
        assertThat(connector.attach(KEY, TIMEOUT_NS)).isNull();
        assertThat(way.timeouts).isEmpty();
    }

    /** A way that takes the time, and comes to the end, that a test wants. */
    private final class FakeWay implements VerbsConnector.Way {
        private final List<Long> timeouts = new ArrayList<>();
        private int opened;
        private boolean opens = true;
        private Runnable opensWith = () -> {};
        private long openTakesNs;
        private long connectTakesNs;
        private @Nullable Throwable openFailure;
        private @Nullable Throwable connectFailure;
        private @Nullable FakeLink link;

        @Override
        public boolean open() {
            opened++;
            opensWith.run();
            clockNs.addAndGet(openTakesNs);
            if (openFailure instanceof Error error) {
                throw error;
            }
            if (openFailure instanceof RuntimeException unchecked) {
                throw unchecked;
            }
            return opens;
        }

        @Override
        public VerbsConnector.@Nullable Link connect(InetSocketAddress to, long timeoutNs) throws IOException {
            timeouts.add(timeoutNs);
            clockNs.addAndGet(connectTakesNs);
            if (connectFailure instanceof Error error) {
                throw error;
            }
            if (connectFailure instanceof RuntimeException unchecked) {
                throw unchecked;
            }
            if (connectFailure instanceof IOException checked) {
                throw checked;
            }
            return link;
        }
    }

    /** A connection over which nothing can be attached. */
    private static final class FakeLink implements VerbsConnector.Link {
        private final TransferStatus status;
        private int attached;
        private boolean closed;

        FakeLink(TransferStatus status) {
            this.status = status;
        }

        @Override
        public VerbsExtent attach(RegionKey key, long timeoutNs) throws IOException {
            attached++;
            throw new ChannelException(status, "planted", null);
        }

        @Override
        public boolean hasEnded() {
            return false;
        }

        @Override
        public void close() {
            closed = true;
        }
    }
}
