package io.terrace.client.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.channel.ReadReport;
import io.terrace.channel.transport.ChannelException;
import io.terrace.channel.transport.ExtentPiece;
import io.terrace.channel.transport.RemoteExtent;
import io.terrace.channel.transport.TransferStatus;
import io.terrace.common.RetryPause;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** When a client reads by RDMA, when not, and what it tells of it; without a device. */
final class OneSidedReadsTest {
    private static final long HOUR_NS = TimeUnit.HOURS.toNanos(1);

    private final MetricRegistry metricRegistry = new MetricRegistry();
    private final Way verbs = new Way();
    private final Way tcp = new Way();
    private final RetryPause pause = new RetryPause(HOUR_NS, HOUR_NS);

    @Test
    void read_whileTheLeaseLasts_isByRdma() throws Exception {
        VerbsFirstExtent region = new VerbsFirstExtent(verbs, tcp, pause, System.nanoTime() + HOUR_NS, metricRegistry);
        region.read(0, ByteBuffer.allocate(10), HOUR_NS);
        region.begin(0, 10, HOUR_NS).next(HOUR_NS);
        assertThat(verbs.asked).isEqualTo(2);
        assertThat(tcp.asked).isZero();
        assertThat(region.takeReport(7)).isEqualTo(new ReadReport(7, 2, 20));
        assertThat(region.takeReport(7)).isNull();
    }

    @Test
    void read_afterTheLease_isOverTcp_whichTheServerMayRefuse() throws Exception {
        VerbsFirstExtent region = new VerbsFirstExtent(verbs, tcp, pause, System.nanoTime() - 1, metricRegistry);
        region.read(0, ByteBuffer.allocate(10), HOUR_NS);
        region.begin(0, 10, HOUR_NS).next(HOUR_NS);
        assertThat(verbs.asked).isZero();
        assertThat(tcp.asked).isEqualTo(2);
        assertThat(metricRegistry.value(Metric.CLIENT_VERBS_STEPPED_DOWN)).isZero();
    }

    @Test
    void read_ofManyPieces_asksForEachWhetherTheLeaseLasts() throws Exception {
        VerbsFirstExtent region = new VerbsFirstExtent(verbs, tcp, pause, System.nanoTime() + HOUR_NS, metricRegistry);
        ByteBuffer target = ByteBuffer.allocate(10 * Way.MOST);
        region.read(0, target, HOUR_NS);
        assertThat(target.hasRemaining()).isFalse();
        assertThat(verbs.asked).isEqualTo(10);
        assertThat(region.takeReport(7))
                .as("heat counts reads, not pieces")
                .isEqualTo(new ReadReport(7, 1, 10 * Way.MOST));
    }

    @Test
    void read_whereRdmaIsSilent_isOverTcpForAPause_alsoOfOtherExtents() throws Exception {
        verbs.failing = true;
        verbs.status = TransferStatus.DEADLINE;
        verbs.waitsMs = 60;
        VerbsFirstExtent region = new VerbsFirstExtent(verbs, tcp, pause, System.nanoTime() + HOUR_NS, metricRegistry);
        VerbsFirstExtent other = new VerbsFirstExtent(verbs, tcp, pause, System.nanoTime() + HOUR_NS, metricRegistry);
        region.read(0, ByteBuffer.allocate(10), HOUR_NS);
        region.read(0, ByteBuffer.allocate(10), HOUR_NS);
        other.begin(0, 10, HOUR_NS).next(HOUR_NS);
        assertThat(verbs.asked).isEqualTo(1);
        assertThat(tcp.asked).isEqualTo(3);
    }

    @Test
    void read_thatFoundNoRoomInTheQueue_isNoReasonForAPause() throws Exception {
        verbs.failing = true;
        verbs.status = TransferStatus.DEADLINE;
        VerbsFirstExtent region = new VerbsFirstExtent(verbs, tcp, pause, System.nanoTime() + HOUR_NS, metricRegistry);
        region.read(0, ByteBuffer.allocate(10), HOUR_NS);
        region.read(0, ByteBuffer.allocate(10), HOUR_NS);
        assertThat(verbs.asked).isEqualTo(2);
    }

    @Test
    void read_thatFailsByRdma_isDoneOverTcp_andCounted() throws Exception {
        verbs.failing = true;
        VerbsFirstExtent region = new VerbsFirstExtent(verbs, tcp, pause, System.nanoTime() + HOUR_NS, metricRegistry);
        region.read(0, ByteBuffer.allocate(10), HOUR_NS);
        assertThat(tcp.asked).isEqualTo(1);
        assertThat(metricRegistry.value(Metric.CLIENT_VERBS_STEPPED_DOWN)).isEqualTo(1);
    }

    @Test
    void reportOfReads_goesOnceForAllUntilThen_andAgainForThoseAfter() throws Exception {
        Told told = new Told();
        VerbsFirstExtent region = told.region(5);
        for (int i = 0; i < 3; i++) {
            region.read(0, ByteBuffer.allocate(10), HOUR_NS);
            told.reports.wasRead();
        }
        assertThat(told.messages).isEmpty();
        assertThat(told.waiting).hasSize(1);
        told.runWaiting();
        assertThat(told.messages).containsExactly(List.of(new ReadReport(5, 3, 30)));
        region.read(0, ByteBuffer.allocate(1), HOUR_NS);
        told.reports.wasRead();
        told.runWaiting();
        assertThat(told.messages).hasSize(2).last().isEqualTo(List.of(new ReadReport(5, 1, 1)));
        assertThat(told.waiting).isEmpty();
    }

    @Test
    void reportThatCannotBeScheduled_isScheduledWithTheNextRead() {
        AtomicInteger tried = new AtomicInteger();
        ReadReporter reports = new ReadReporter(sent -> {}, (work, delayNs) -> {
            if (tried.incrementAndGet() == 1) {
                throw new OutOfMemoryError("unable to create native thread");
            }
        });
        reports.wasRead();
        reports.wasRead();
        reports.wasRead();
        assertThat(tried).hasValue(2);
    }

    @Test
    void readsThroughAGrantThatIsGone_areTold() throws Exception {
        Told told = new Told();
        told.region(5).read(0, ByteBuffer.allocate(10), HOUR_NS);
        told.reports.remove(5);
        told.region(6).read(0, ByteBuffer.allocate(20), HOUR_NS);
        told.runWaiting();
        assertThat(told.messages).containsExactly(List.of(new ReadReport(5, 1, 10), new ReadReport(6, 1, 20)));
    }

    @Test
    void reportOfMoreThanAMessageHolds_goesInSeveral() throws Exception {
        Told told = new Told();
        for (long grant = 1; grant <= 1500; grant++) {
            told.region(grant).read(0, ByteBuffer.allocate(1), HOUR_NS);
            if (grant % 2 == 0) {
                told.reports.remove(grant);
            }
        }
        told.reports.report();
        assertThat(told.messages).extracting(List::size).containsExactly(1024, 476);
        assertThat(told.messages.stream().flatMap(List::stream).map(ReadReport::grantId))
                .doesNotHaveDuplicates();
    }

    @Test
    void reportBeforeTheEnd_goesAtOnce_andTheOneThatWaitedSaysNothing() throws Exception {
        Told told = new Told();
        told.region(5).read(0, ByteBuffer.allocate(10), HOUR_NS);
        told.reports.wasRead();
        told.reports.report();
        assertThat(told.messages).hasSize(1);
        told.runWaiting();
        assertThat(told.messages).hasSize(1);
    }

    /** Reports of reads, sent and run when a test says so. */
    private final class Told {
        final List<List<ReadReport>> messages = new ArrayList<>();
        final List<Runnable> waiting = new ArrayList<>();
        final ReadReporter reports = new ReadReporter(messages::add, (work, delayNs) -> waiting.add(work));

        VerbsFirstExtent region(long grantId) {
            VerbsFirstExtent region =
                    new VerbsFirstExtent(verbs, tcp, pause, System.nanoTime() + HOUR_NS, metricRegistry);
            reports.add(grantId, region);
            return region;
        }

        void runWaiting() {
            List<Runnable> now = List.copyOf(waiting);
            waiting.clear();
            now.forEach(Runnable::run);
        }
    }

    /** A way to zeros. */
    private static final class Way implements RemoteExtent {
        static final int MOST = 1000;

        int asked;
        boolean failing;
        TransferStatus status = TransferStatus.DISCONNECTED;
        long waitsMs;

        @Override
        public long lengthBytes() {
            return 1 << 20;
        }

        @Override
        public int maxPieceBytes() {
            return MOST;
        }

        @Override
        public ExtentPiece begin(long offset, int bytes, long timeoutNs) throws IOException {
            ask();
            return new ExtentPiece() {
                @Override
                public int lengthBytes() {
                    return bytes;
                }

                @Override
                public ByteBuffer next(long pieceTimeoutNs) {
                    return ByteBuffer.allocate(bytes);
                }

                @Override
                public void close() {}
            };
        }

        @Override
        public void read(long offset, ByteBuffer target, long timeoutNs) throws IOException {
            ask();
            target.position(target.limit());
        }

        private void ask() throws ChannelException {
            asked++;
            if (failing) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(waitsMs));
                throw new ChannelException(status, "planted", null);
            }
        }

        @Override
        public void close() {}
    }
}
