package io.terrace.datanode.heartbeat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.terrace.channel.server.Peer;
import io.terrace.common.StorageTier;
import io.terrace.datanode.extent.LocalTier;
import io.terrace.datanode.extent.RetireCause;
import io.terrace.datanode.write.ClientSpeeds;
import io.terrace.metrics.Metric;
import io.terrace.protocol.PlacementDataNodePB;
import io.terrace.protocol.proto.DataNodeProtos.BlockProto;
import io.terrace.protocol.proto.DataNodeProtos.ConditionProto;
import io.terrace.protocol.proto.DataNodeProtos.FigureValueProto;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatRequestProto;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatResponseProto;
import io.terrace.protocol.proto.DataNodeProtos.OrderKindProto;
import io.terrace.protocol.proto.DataNodeProtos.OrderProto;
import io.terrace.protocol.proto.DataNodeProtos.ResidencyProto;
import io.terrace.protocol.proto.DataNodeProtos.ResizeProto;
import io.terrace.protocol.proto.DataNodeProtos.TierProto;
import io.terrace.protocol.proto.DataNodeProtos.WriteSpeedProto;
import java.io.IOException;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.ipc.RetriableException;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;
import org.apache.log4j.Logger;
import org.apache.log4j.PatternLayout;
import org.apache.log4j.WriterAppender;
import org.junit.jupiter.api.Test;

/** What a link says when heartbeats are lost, when there is too much to say, and whom it obeys. */
class HeartbeatExchangeTest {

    private static final String POOL = "pool";
    private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);
    private final AtomicInteger sentSoon = new AtomicInteger();
    private final HeartbeatFixture fixture = new HeartbeatFixture(POOL, 1);
    private final LocalTier tier = fixture.tier;
    private final AccessRecorder accessRecorder = fixture.accessRecorder;
    private final HeartbeatExchange link = link();

    private HeartbeatExchange link() {
        return fixture.exchange(sentSoon::incrementAndGet);
    }

    @Test
    void heartbeat_thatEndsInAnError_isNotTheLast() {
        AtomicInteger connects = new AtomicInteger();
        HeartbeatAgent.Connector connector = new HeartbeatAgent.Connector() {
            @Override
            public PlacementDataNodePB connect() {
                connects.incrementAndGet();
                throw new AssertionError("as was wanted");
            }

            @Override
            public void disconnect(PlacementDataNodePB service) {}
        };
        try (HeartbeatAgent thread = new HeartbeatAgent("test", told -> link, connector, 10, 1)) {
            assertThat(thread.exchange()).isSameAs(link);
            await().atMost(Duration.ofSeconds(60)).until(() -> connects.get() > 2);
        }
    }

    @Test
    void refusals_areOneLineOfTheLogEach_andNoWarningBeforeTheServiceIsReadyForThisDataNode() {
        RemoteException early = new RemoteException(RetriableException.class.getName(), "not yet\n\tat a.B");
        RemoteException refused = new RemoteException(IOException.class.getName(), "another pool\n\tat a.B");
        assertThat(logged(early, early, refused, early, refused, null, early, early))
                .satisfiesExactly(
                        line -> assertThat(line).startsWith("INFO").endsWith("not yet"),
                        line -> assertThat(line).startsWith("WARN").endsWith("another pool"),
                        line -> assertThat(line).startsWith("INFO").endsWith("answers"),
                        line -> assertThat(line).startsWith("WARN").endsWith("not yet"));
    }

    /** What is logged of heartbeats that are refused one after the other, but for those that are null, and all after the last. */
    private List<String> logged(RemoteException... refusals) {
        AtomicInteger calls = new AtomicInteger();
        HeartbeatAgent.Connector connector = new HeartbeatAgent.Connector() {
            @Override
            public PlacementDataNodePB connect() {
                return (controller, request) -> {
                    RemoteException refusal = refusals[Math.min(calls.getAndIncrement(), refusals.length - 1)];
                    if (refusal != null) {
                        throw new ServiceException(refusal);
                    }
                    return answer(1, true, true);
                };
            }

            @Override
            public void disconnect(PlacementDataNodePB service) {}
        };
        StringWriter text = new StringWriter();
        WriterAppender appender = new WriterAppender(new PatternLayout("%p %m%n"), text);
        Logger logger = Logger.getLogger(HeartbeatAgent.class);
        logger.addAppender(appender);
        try (HeartbeatAgent thread = new HeartbeatAgent("test", told -> link, connector, 10, 1)) {
            await().atMost(Duration.ofSeconds(60)).until(() -> calls.get() > refusals.length + 1);
        } finally {
            logger.removeAppender(appender);
        }
        return text.toString().lines().toList();
    }

    private static HeartbeatResponseProto answer(long epoch, boolean active, boolean serve) {
        return HeartbeatResponseProto.newBuilder()
                .setActive(active)
                .setEpoch(epoch)
                .setServe(serve)
                .build();
    }

    @Test
    void residency_isToldInFullFirstThenAsChanges() {
        fixture.enter(1);
        HeartbeatRequestProto first = link.compose(0);
        assertThat(first.getFullResidency()).isTrue();
        assertThat(first.getResidencyList()).hasSize(1);
        link.delivered(answer(1, true, true), 0);

        fixture.enter(2);
        tier.drop(fixture.key(1), RetireCause.ORDERED, 0);
        HeartbeatRequestProto second = link.compose(0);
        assertThat(second.getFullResidency()).isFalse();
        assertThat(second.getResidencyList())
                .extracting(entry -> entry.getBlock().getBlockId(), ResidencyProto::getResident)
                .containsExactly(tuple(2L, true), tuple(1L, false));
    }

    @Test
    void heat_waitsForTheRegularHeartbeat_butAPageOfIt() {
        link.compose(0);
        link.delivered(answer(1, true, true), 0);
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

    private HeartbeatRequestProto composeAfterReads() {
        link.compose(0);
        link.delivered(answer(1, true, true), 0);
        accessRecorder.stockReadBegan(POOL, 9, false);
        accessRecorder.stockReadEnded(POOL, 9, 50, false, 7_000);
        fixture.enter(3);
        assertThat(sentSoon.get()).isPositive();
        HeartbeatRequestProto request = link.compose(5_000_000L);
        assertThat(request.getHeatList()).hasSize(1);
        assertThat(request.getResidencyList()).hasSize(1);
        accessRecorder.granted(StorageTier.MEMORY, POOL, 9, 4, 30, null);
        return request;
    }

    @Test
    void heat_serviceWantsReaders_saysOnWhichHostsTheyAre() {
        link.compose(0);
        link.delivered(answer(1, true, true).toBuilder().setReadersWanted(true).build(), 0);
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
        link.delivered(answer(1, true, true), 0);
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
        HeartbeatResponseProto compared =
                answer(1, true, true).toBuilder().setControlPercent(10).build();
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
        link.delivered(answer(1, true, true), 0);
        timedReads();
        assertThat(link.compose(5_000_000L).getHeatList())
                .allSatisfy(heat -> assertThat(heat.getTimedReads()).isZero());
    }

    @Test
    void heartbeat_tellsOfMemoryFirst_thenOfOtherTiers() {
        assertThat(link.compose(0).getTiersList())
                .satisfiesExactly(
                        memory -> assertThat(memory.getTier()).isEqualTo(TierProto.MEMORY),
                        nvm -> assertThat(nvm).isEqualTo(HeartbeatFixture.NVM));
    }

    @Test
    void heartbeat_withoutAnswer_isSentAgainAsItWas() {
        HeartbeatRequestProto lost = composeAfterReads();
        link.failed();
        assertThat(link.compose(9_000_000L)).isEqualTo(lost);
        link.delivered(answer(1, true, true), 0);

        HeartbeatRequestProto next = link.compose(9_000_000L);
        assertThat(next.getSequence()).isGreaterThan(lost.getSequence());
        assertThat(next.getHeatList()).singleElement().satisfies(heat -> {
            assertThat(heat.getReads()).isEqualTo(4);
            assertThat(heat.getBytesRead()).isEqualTo(30);
            assertThat(heat.getBytesReadFromMemory()).isEqualTo(30);
            assertThat(heat.getAgeMs()).isEqualTo(4);
        });
        assertThat(next.getBytesServed()).isEqualTo(30);
    }

    @Test
    void heartbeat_thatWasRefused_losesNeitherHeatNorResidency() {
        composeAfterReads();
        link.refused();
        HeartbeatRequestProto next = link.compose(9_000_000L);
        assertThat(next.getHeatList()).singleElement().satisfies(heat -> {
            assertThat(heat.getReads()).isEqualTo(5);
            assertThat(heat.getBytesRead()).isEqualTo(80);
            assertThat(heat.getBytesReadFromMemory()).isEqualTo(30);
        });
        assertThat(next.getFullResidency()).isTrue();
        assertThat(next.getResidencyList()).hasSize(1);
        assertThat(next.getBytesServed()).isEqualTo(80);
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

    @Test
    void speedsOfClients_areToldOnceTheyChanged_andAgainWhereTheHeartbeatWasRefused() {
        fixture.speeds.received(new ClientSpeeds.Sender("10.0.0.1", true), 8 << 20, TimeUnit.SECONDS.toNanos(1));
        assertThat(link.compose(0).getWriteSpeedsList())
                .extracting(
                        WriteSpeedProto::getClient,
                        WriteSpeedProto::getBytesPerSecond,
                        WriteSpeedProto::getSamples,
                        WriteSpeedProto::getForwarded)
                .containsExactly(tuple("10.0.0.1", 8L << 20, 1, true));
        link.refused();
        assertThat(link.compose(0).getWriteSpeedsCount()).isEqualTo(1);
        link.delivered(
                HeartbeatResponseProto.newBuilder()
                        .setActive(false)
                        .setEpoch(0)
                        .setServe(true)
                        .build(),
                0);
        assertThat(link.compose(0).getWriteSpeedsCount()).isZero();
    }

    @Test
    void answer_ofStandby_isNotObeyed() {
        link.compose(0);
        link.delivered(answer(9, false, false), 0);
        assertThat(tier.serves(POOL)).isTrue();
    }

    @Test
    void answer_ofEarlierEpoch_isObeyedWhereItSaysOff() {
        beat(link, answer(5, true, true));
        fixture.enter(1);
        beat(link, answer(4, true, true));
        assertThat(link.compose(0).getConditionsList()).singleElement().satisfies(condition -> {
            assertThat(condition.getId()).isEqualTo("placement-outranked");
            assertThat(condition.getText()).contains("epoch 4 is below 5");
        });
        assertThat(fixture.metricRegistry.value(Metric.HEARTBEATS_OUTRANKED)).isEqualTo(1);
        assertThat(tier.serves(POOL)).isTrue();

        beat(link, answer(4, true, false));
        assertThat(tier.serves(POOL)).isFalse();
        assertThat(tier.isResident(fixture.key(1))).isFalse();
        assertThat(link.compose(0).getServing()).isFalse();
        beat(link, answer(4, true, true));
        assertThat(tier.serves(POOL))
                .as("on is nothing that an earlier epoch may say")
                .isFalse();

        beat(link, answer(5, true, true));
        assertThat(tier.serves(POOL)).isTrue();
        assertThat(link.compose(0).getConditionsList()).isEmpty();
    }

    @Test
    void off_holdsAsLongAsAnActiveServiceSaysIt() {
        HeartbeatExchange other = link();
        beat(link, answer(5, true, true));
        beat(other, answer(4, true, false));
        beat(link, answer(5, true, true));
        assertThat(tier.serves(POOL)).as("the other still says off").isFalse();
        other.failed();
        beat(link, answer(5, true, true));
        assertThat(tier.serves(POOL)).as("the other is not heard any more").isTrue();

        beat(other, answer(4, true, false));
        beat(other, answer(4, false, false));
        beat(link, answer(5, true, true));
        assertThat(tier.serves(POOL)).as("the other is a standby").isTrue();

        beat(other, answer(4, true, false));
        other.end();
        beat(link, answer(5, true, true));
        assertThat(tier.serves(POOL)).as("the other is gone").isTrue();
    }

    private static void beat(HeartbeatExchange link, HeartbeatResponseProto answer) {
        link.compose(0);
        link.delivered(answer, 0);
    }

    private static HeartbeatResponseProto resize(long id, long bytes) {
        return HeartbeatResponseProto.newBuilder()
                .setActive(true)
                .setEpoch(1)
                .setServe(true)
                .setResize(ResizeProto.newBuilder().setId(id).setCapacityBytes(bytes))
                .build();
    }

    @Test
    void resize_isCarriedOutOnce_andItsResultIsInEachHeartbeatSince() {
        assertThat(link.compose(0).hasResized()).isFalse();
        link.delivered(resize(7, 500_000), 0);
        assertThat(tier.usage().capacityBytes()).isEqualTo(500_000);
        assertThat(link.compose(0).getResized().getId()).isEqualTo(7);
        assertThat(link.compose(0).getResized().hasRefusal()).isFalse();
        tier.resize(600_000);
        link.delivered(resize(7, 500_000), 0);
        assertThat(tier.usage().capacityBytes()).as("not again").isEqualTo(600_000);
        link.delivered(resize(8, 3_000_000), 0);
        assertThat(tier.usage().capacityBytes()).isEqualTo(600_000);
        assertThat(link.compose(0).getResized().getRefusal()).contains("terrace.datanode.memory.capacity.max");
        assertThat(link.compose(0).getResized().getConfiguredBytes()).isEqualTo(1_000_000);
    }

    @Test
    void figures_areAllInEachHeartbeatThatHasThem_asTheyAreThen() {
        fixture.metricRegistry.add(Metric.ORDERS, 3);
        assertThat(figures()).containsEntry(Metric.ORDERS.id(), 3L).containsEntry(Metric.ORDERS_REFUSED.id(), 0L);
        fixture.metricRegistry.add(Metric.ORDERS, 2);
        assertThat(figures())
                .containsOnlyKeys(
                        fixture.metricRegistry.snapshot(Metric.Where.DATANODE).keySet())
                .containsEntry(Metric.ORDERS.id(), 5L)
                .containsEntry(Metric.ORDERS_REFUSED.id(), 0L);
    }

    @Test
    void figures_areLeftOutForASecond_whereTheServiceKeepsThem() {
        HeartbeatResponseProto keeps =
                answer(1, true, true).toBuilder().setKeepsFigures(true).build();
        assertThat(hasFigures(0)).as("the first").isTrue();
        link.delivered(answer(1, true, true), 0);
        assertThat(hasFigures(1)).as("not kept by an older service").isTrue();
        link.delivered(keeps, 1);
        assertThat(hasFigures(2)).isFalse();
        link.delivered(keeps, 2);
        assertThat(hasFigures(SECOND_NS)).isFalse();
        link.delivered(keeps, SECOND_NS);
        assertThat(hasFigures(SECOND_NS + 1)).as("a second later").isTrue();
        link.delivered(keeps, SECOND_NS + 1);
        assertThat(hasFigures(SECOND_NS + 2)).isFalse();
        link.refused();
        assertThat(hasFigures(SECOND_NS + 3)).as("the service took nothing").isTrue();
        link.delivered(keeps.toBuilder().setFullResidencyWanted(true).build(), SECOND_NS + 3);
        assertThat(hasFigures(SECOND_NS + 4)).as("the service was started anew").isTrue();
    }

    @Test
    void conditionThatComesOrGoes_isToldAtOnce() {
        HeartbeatResponseProto keeps =
                answer(1, true, true).toBuilder().setKeepsFigures(true).build();
        assertThat(hasFigures(0)).isTrue();
        link.delivered(keeps, 0);
        fixture.conditions.add(ConditionProto.newBuilder()
                .setId("full")
                .setSeverity(ConditionProto.Severity.ERROR)
                .setText("It is full")
                .build());
        assertThat(link.compose(1).getConditionsList()).hasSize(1);
        assertThat(hasFigures(1)).isTrue();
        link.delivered(keeps, 1);
        assertThat(hasFigures(2)).isFalse();
        link.delivered(keeps, 2);
        fixture.conditions.clear();
        assertThat(hasFigures(3)).isTrue();
        assertThat(link.compose(3).getConditionsList()).isEmpty();
    }

    @Test
    void endOfAMove_comesWithItsFigures() {
        HeartbeatResponseProto keeps =
                answer(1, true, true).toBuilder().setKeepsFigures(true).build();
        assertThat(hasFigures(0)).isTrue();
        OrderProto drop = OrderProto.newBuilder()
                .setMoveId(1)
                .setKind(OrderKindProto.DROP)
                .setBlock(BlockProto.newBuilder()
                        .setBlockId(9)
                        .setGenerationStamp(1)
                        .setLengthBytes(100))
                .build();
        link.delivered(keeps.toBuilder().addOrders(drop).build(), 0);
        assertThat(link.compose(1).getResultsList()).hasSize(1);
        assertThat(hasFigures(1)).isTrue();
        link.delivered(keeps, 1);
        assertThat(hasFigures(2)).isFalse();
    }

    /** Of the next heartbeat; conditions are in it where figures are. */
    private boolean hasFigures(long nowNs) {
        HeartbeatRequestProto request = link.compose(nowNs);
        assertThat(request.getFiguresOmitted()).isEqualTo(request.getFiguresCount() == 0);
        return !request.getFiguresOmitted();
    }

    /** Of the next heartbeat. */
    private Map<String, Long> figures() {
        HeartbeatRequestProto request = link.compose(0);
        link.refused();
        return request.getFiguresList().stream()
                .collect(Collectors.toMap(FigureValueProto::getId, FigureValueProto::getValue));
    }

    @Test
    void resize_ofAStandby_isNotObeyed() {
        link.compose(0);
        link.delivered(resize(7, 500_000).toBuilder().setActive(false).build(), 0);
        assertThat(tier.usage().capacityBytes()).isEqualTo(1_000_000);
    }
}
