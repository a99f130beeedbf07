package io.terrace.datanode.heartbeat;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.metrics.FigureTable;
import io.terrace.metrics.Metric;
import io.terrace.protocol.proto.DataNodeProtos.BlockProto;
import io.terrace.protocol.proto.DataNodeProtos.ConditionProto;
import io.terrace.protocol.proto.DataNodeProtos.FigureValueProto;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatRequestProto;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatResponseProto;
import io.terrace.protocol.proto.DataNodeProtos.OrderKindProto;
import io.terrace.protocol.proto.DataNodeProtos.OrderProto;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** When heartbeats carry figures and conditions. */
class FigureReportTest {

    private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);
    private final HeartbeatFixture fixture = new HeartbeatFixture("pool", 1);
    private final HeartbeatExchange link = fixture.exchange(() -> {});

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
        HeartbeatResponseProto keeps = HeartbeatFixture.answer(1, true, true).toBuilder()
                .setKeepsFigures(true)
                .build();
        assertThat(hasFigures(0)).as("the first").isTrue();
        link.delivered(HeartbeatFixture.answer(1, true, true), 0);
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
    void figures_haveNoIds_whereTheServiceHasTheSameTable() {
        fixture.metricRegistry.add(Metric.ORDERS, 3);
        HeartbeatResponseProto keeps = HeartbeatFixture.answer(1, true, true).toBuilder()
                .setKeepsFigures(true)
                .setFigureTable(FigureTable.ID)
                .build();
        assertThat(link.compose(0).getFiguresCount()).isPositive();
        link.delivered(keeps, 0);
        HeartbeatRequestProto request = link.compose(SECOND_NS);
        assertThat(request.getFiguresCount()).isZero();
        assertThat(request.getFigureTable()).isEqualTo(FigureTable.ID);
        assertThat(request.getFigureValuesCount()).isEqualTo(FigureTable.METRICS.size());
        assertThat(request.getFigureValues(FigureTable.METRICS.indexOf(Metric.ORDERS)))
                .isEqualTo(3);
        HeartbeatResponseProto ofAnotherRelease =
                keeps.toBuilder().setFigureTable(FigureTable.ID + 1).build();
        link.delivered(ofAnotherRelease, SECOND_NS);
        assertThat(link.compose(SECOND_NS + 1).getFiguresCount())
                .as("at once, as the service could not read them")
                .isPositive();
        link.delivered(ofAnotherRelease, SECOND_NS + 1);
        assertThat(link.compose(SECOND_NS + 2).getFiguresOmitted()).isTrue();
    }

    @Test
    void conditionThatComesOrGoes_isToldAtOnce() {
        HeartbeatResponseProto keeps = HeartbeatFixture.answer(1, true, true).toBuilder()
                .setKeepsFigures(true)
                .build();
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
        HeartbeatResponseProto keeps = HeartbeatFixture.answer(1, true, true).toBuilder()
                .setKeepsFigures(true)
                .build();
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
}
