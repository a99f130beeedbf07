package io.terrace.datanode.heartbeat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.terrace.channel.server.Peer;
import io.terrace.common.StorageTier;
import io.terrace.metrics.Metric;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatRequestProto;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatResponseProto;
import io.terrace.protocol.proto.DataNodeProtos.TierProto;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What heartbeats say of accesses, and what they leave out. */
class HeatReportTest {

    private static final String POOL = "pool";
    private final AtomicInteger sentSoon = new AtomicInteger();
    private final HeartbeatFixture fixture = new HeartbeatFixture(POOL, 1);
    private final AccessRecorder accessRecorder = fixture.accessRecorder;
    private final HeartbeatExchange link = fixture.exchange(sentSoon::incrementAndGet);

    @Test
    void heat_waitsForTheRegularHeartbeat_butAPageOfIt() {
        link.compose(0);
        link.delivered(HeartbeatFixture.answer(1, true, true), 0);
        for (int block = 0; block < 7; block++) {
            accessRecorder.stockReadBegan(POOL, block, false);
        }
        assertThat(sentSoon.get()).isZero();
        assertThat(link.hasUnsent()).isFalse();
        accessRecorder.stockReadBegan(POOL, 7, false);
        assertThat(sentSoon.get()).isPositive();
        assertThat(link.hasUnsent()).isTrue();
        assertThat(link.compose(1).getHeatList()).hasSize(8);
        assertThat(link.hasUnsent()).isFalse();
    }

    @Test
    void heat_serviceWantsReaders_saysOnWhichHostsTheyAre() {
        link.compose(0);
        link.delivered(
                HeartbeatFixture.answer(1, true, true).toBuilder()
                        .setReadersWanted(true)
                        .build(),
                0);
        readFromHosts();
        HeartbeatRequestProto request = link.compose(5_000_000L);
        assertThat(request.getReaderHostsList()).containsExactly("10.0.0.7", "10.0.0.8", "10.0.0.9", "10.0.0.10");
        assertThat(request.getHeat(0).getReads()).isEqualTo(12);
        assertThat(request.getHeat(0).getReadersList())
                .as("the fifth host is not told")
                .containsExactly(1, 0, 2, 3);
        assertThat(request.getHeat(0).getReadersReadsList()).containsExactly(1L, 6L, 2L, 1L);
        assertThat(request.getHeat(1).getReadersList()).containsExactly(4);
        link.refused();
        assertThat(link.compose(5_000_000L).getHeatList()).isEqualTo(request.getHeatList());
        link.delivered(HeartbeatFixture.answer(1, true, true), 0);
        readFromHosts();
        HeartbeatRequestProto silent = link.compose(5_000_000L);
        assertThat(silent.getReaderHostsList()).as("no longer wanted").isEmpty();
        assertThat(silent.getHeat(0).getReadersList()).isEmpty();
    }

    /** Of block 9 one read is by nobody knows whom. */
    private void readFromHosts() {
        fixture.stockReader = "10.0.0.7";
        accessRecorder.stockReadBegan(POOL, 9, false);
        accessRecorder.granted(StorageTier.MEMORY, POOL, 9, 5, 30, Peer.THIS_HOST);
        accessRecorder.granted(StorageTier.MEMORY, POOL, 9, 2, 30, "10.0.0.8");
        accessRecorder.descriptorPassed(POOL, 9, false);
        fixture.stockReader = null;
        accessRecorder.stockReadBegan(POOL, 9, false);
        fixture.stockReader = "10.0.0.9";
        accessRecorder.stockReadBegan(POOL, 9, true);
        fixture.stockReader = "10.0.0.10";
        accessRecorder.stockReadBegan(POOL, 9, true);
        accessRecorder.stockReadBegan(POOL, 2, true);
    }

    /** In the control sample, and as many others, of ten percent. */
    private static final long CONTROL = 13;

    private static final long TREATED = 2;
    private static final long NEITHER = 9;

    private void timedReads() {
        for (long block : new long[] {CONTROL, TREATED, NEITHER}) {
            accessRecorder.stockReadBegan(POOL, block, false);
            accessRecorder.stockReadEnded(POOL, block, 50, false, 7_000);
            accessRecorder.stockReadBegan(POOL, block, true);
            accessRecorder.stockReadEnded(POOL, block, 50, true, 100);
        }
    }

    @Test
    void readTimes_areToldByTier_andOfComparedBlocksAlone() {
        link.compose(0);
        HeartbeatResponseProto compared = HeartbeatFixture.answer(1, true, true).toBuilder()
                .setControlPercent(10)
                .build();
        link.delivered(compared, 0);
        timedReads();
        HeartbeatRequestProto first = link.compose(5_000_000L);
        assertThat(first.getReadTimesList())
                .extracting(
                        time -> time.getTier(), time -> time.getReads(), time -> time.getBytes(), time -> time.getNs())
                .containsExactlyInAnyOrder(
                        tuple(TierProto.DISK, 3L, 150L, 21_000L), tuple(TierProto.MEMORY, 3L, 150L, 300L));
        assertThat(first.getHeatList())
                .extracting(
                        heat -> heat.getBlock().getBlockId(), heat -> heat.getTimedReads(), heat -> heat.getTimedNs())
                .containsExactly(tuple(CONTROL, 2L, 7_100L), tuple(TREATED, 2L, 7_100L), tuple(NEITHER, 0L, 0L));
        link.refused();
        HeartbeatRequestProto again = link.compose(5_000_000L);
        assertThat(again.getReadTimesList()).as("lost with a refusal").isEqualTo(first.getReadTimesList());
        assertThat(again.getHeatList()).isEqualTo(first.getHeatList());
        link.delivered(compared, 0);
        assertThat(link.compose(5_000_000L).getReadTimesList()).isEmpty();
    }

    @Test
    void withoutAControlSample_noBlockIsTimed() {
        link.compose(0);
        link.delivered(HeartbeatFixture.answer(1, true, true), 0);
        timedReads();
        assertThat(link.compose(5_000_000L).getHeatList())
                .allSatisfy(heat -> assertThat(heat.getTimedReads()).isZero());
    }

    @Test
    void heat_beyondTheLimit_forgetsTheOldestAndCountsThem() {
        for (int id = 0; id < 20; id++) {
            accessRecorder.stockReadBegan(POOL, id, false);
        }
        assertThat(link.compose(0).getHeatList())
                .hasSize(16)
                .noneMatch(heat -> heat.getBlock().getBlockId() < 4);
        assertThat(fixture.metricRegistry.value(Metric.HEAT_DROPPED)).isEqualTo(4);
    }
}
