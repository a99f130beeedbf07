package io.terrace.datanode.heartbeat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.terrace.common.BlockKey;
import io.terrace.common.BlockVersion;
import io.terrace.common.StorageTier;
import io.terrace.datanode.extent.LocalTier;
import io.terrace.datanode.extent.RetireCause;
import io.terrace.datanode.write.ClientSpeeds;
import io.terrace.metrics.Metric;
import io.terrace.protocol.HeartbeatLimits;
import io.terrace.protocol.ProtoConverter;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatRequestProto;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatResponseProto;
import io.terrace.protocol.proto.DataNodeProtos.OffersWantedProto;
import io.terrace.protocol.proto.DataNodeProtos.OrderKindProto;
import io.terrace.protocol.proto.DataNodeProtos.OrderProto;
import io.terrace.protocol.proto.DataNodeProtos.ResidencyProto;
import io.terrace.protocol.proto.DataNodeProtos.ResizeProto;
import io.terrace.protocol.proto.DataNodeProtos.TierProto;
import io.terrace.protocol.proto.DataNodeProtos.TierStateProto;
import io.terrace.protocol.proto.DataNodeProtos.WriteSpeedProto;
import io.terrace.protocol.proto.DataNodeProtos.WriteThroughRuleProto;
import io.terrace.protocol.proto.DataNodeProtos.WriteThroughRulesProto;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What a link says when heartbeats are lost, when there is too much to say, and whom it obeys. */
class HeartbeatExchangeTest {

    private static final String POOL = "pool";
    private final AtomicInteger sentSoon = new AtomicInteger();
    private final HeartbeatFixture fixture = new HeartbeatFixture(POOL, 1);
    private final LocalTier tier = fixture.tier;
    private final AccessRecorder accessRecorder = fixture.accessRecorder;
    private final HeartbeatExchange link = link();

    private HeartbeatExchange link() {
        return fixture.exchange(sentSoon::incrementAndGet);
    }

    @Test
    void residency_isToldInFullFirstThenAsChanges() {
        fixture.enter(1);
        HeartbeatRequestProto first = link.compose(0);
        assertThat(first.getFullResidency()).isTrue();
        assertThat(first.getResidencyList()).hasSize(1);
        link.delivered(HeartbeatFixture.answer(1, true, true), 0);

        fixture.enter(2);
        tier.drop(fixture.key(1), RetireCause.ORDERED, 0);
        HeartbeatRequestProto second = link.compose(0);
        assertThat(second.getFullResidency()).isFalse();
        assertThat(second.getResidencyList())
                .extracting(entry -> entry.getBlock().getBlockId(), ResidencyProto::getResident)
                .containsExactly(tuple(2L, true), tuple(1L, false));
    }

    private HeartbeatRequestProto composeAfterReads() {
        link.compose(0);
        link.delivered(HeartbeatFixture.answer(1, true, true), 0);
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
    void heartbeat_tellsOfMemoryFirst_thenOfOtherTiers() {
        assertThat(link.compose(0).getTiersList())
                .satisfiesExactly(
                        memory -> assertThat(memory.getTier()).isEqualTo(TierProto.MEMORY),
                        nvm -> assertThat(nvm).isEqualTo(HeartbeatFixture.NVM));
    }

    @Test
    void memory_ofOtherPools_isNeitherCapacityNorUsed() {
        fixture.enter(1);
        BlockKey others = new BlockKey("other", 2, 1);
        tier.publish(tier.begin(others, 300, true, 0).extent(), 0);
        TierStateProto memory = link.compose(0).getTiers(0);
        assertThat(memory.getCapacityBytes()).isEqualTo(1_000_000 - 300);
        assertThat(memory.getUsedBytes()).isEqualTo(100);
        assertThat(memory.getPinnedBytes()).isZero();
        assertThat(memory.getExtents()).isEqualTo(1);

        link.delivered(HeartbeatFixture.answer(1, true, true), 0);
        tier.drop(others, RetireCause.CHANGED, 0);
        assertThat(link.compose(0).getTiers(0).getCapacityBytes())
                .as("its file is still there")
                .isEqualTo(1_000_000 - 300);
        link.delivered(HeartbeatFixture.answer(1, true, true), 0);
        tier.sweep(0);
        memory = link.compose(0).getTiers(0);
        assertThat(memory.getCapacityBytes()).isEqualTo(1_000_000);
        assertThat(memory.getRetiringBytes()).isZero();
    }

    @Test
    void heartbeat_withoutAnswer_isSentAgainAsItWas() {
        HeartbeatRequestProto lost = composeAfterReads();
        link.failed();
        assertThat(link.compose(9_000_000L)).isEqualTo(lost);
        link.delivered(HeartbeatFixture.answer(1, true, true), 0);

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
    void heartbeat_thatCannotBeMade_losesNeitherHeatNorResidencyNorResults() {
        link.compose(0);
        link.delivered(
                HeartbeatFixture.answer(1, true, true).toBuilder()
                        .addOrders(OrderProto.newBuilder()
                                .setMoveId(5)
                                .setKind(OrderKindProto.DROP)
                                .setBlock(ProtoConverter.block(new BlockVersion(fixture.key(77), 100))))
                        .build(),
                0);
        accessRecorder.stockReadBegan(POOL, 9, false);
        fixture.enter(3);
        fixture.whileComposing = () -> {
            throw new OutOfMemoryError("as was wanted");
        };
        assertThatThrownBy(() -> link.compose(1)).isInstanceOf(OutOfMemoryError.class);
        fixture.whileComposing = () -> {};
        HeartbeatRequestProto next = link.compose(2);
        assertThat(next.getHeatList()).hasSize(1);
        assertThat(next.getResidencyList()).hasSize(1);
        assertThat(next.getResultsList()).hasSize(1);
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
    void offers_areTold_onceTheServiceAsks_andAsLongAsItDoes() {
        HeartbeatResponseProto asks = HeartbeatFixture.answer(1, true, true).toBuilder()
                .addOffersWanted(
                        OffersWantedProto.newBuilder().setTier(TierProto.SSD).setLeastAgeMs(1_000))
                .build();
        for (int id = 1; id <= HeartbeatLimits.OFFERS + 10; id++) {
            fixture.replicas.add(
                    new ReplicaOffers.Offer(new BlockVersion(new BlockKey(POOL, id, 7), 100), StorageTier.SSD, id));
        }
        link.compose(0);
        link.delivered(asks, 0);
        assertThat(link.compose(1).getOffersList()).as("not walked yet").isEmpty();
        link.delivered(asks, 1);
        fixture.offers.doWork(2);
        fixture.offers.doWork(3);
        HeartbeatRequestProto request = link.compose(4);
        assertThat(request.getOffersList()).hasSize(HeartbeatLimits.OFFERS);
        assertThat(request.getOffers(0).getBlock().getBlockId()).isEqualTo(1);
        assertThat(request.getOffers(0).getAgeMs()).isEqualTo(9_999);
        link.delivered(HeartbeatFixture.answer(1, true, true), 4);
        assertThat(link.compose(5).getOffersList())
                .as("an older service, or one that has enough")
                .isEmpty();
        link.delivered(asks, 5);
        assertThat(link.compose(6).getOffersList()).hasSize(10);
        link.delivered(asks.toBuilder().setOffersTaken(3).build(), 6);
        assertThat(offered(7))
                .as("without those that were looked at")
                .hasSize(7)
                .first()
                .isEqualTo(HeartbeatLimits.OFFERS + 4L);
        link.delivered(asks.toBuilder().setOffersTaken(0).build(), 7);
        assertThat(offered(8)).hasSize(7);
        link.refused();
        link.compose(9);
        link.delivered(asks, 9);
        assertThat(offered(10))
                .as("the service took nothing of what it refused")
                .hasSize(7);
    }

    private List<Long> offered(long nowNs) {
        return link.compose(nowNs).getOffersList().stream()
                .map(offer -> offer.getBlock().getBlockId())
                .toList();
    }

    @Test
    void answer_ofStandby_isNotObeyed() {
        link.compose(0);
        link.delivered(HeartbeatFixture.answer(9, false, false), 0);
        assertThat(tier.serves(POOL)).isTrue();
    }

    @Test
    void answer_ofEarlierEpoch_isObeyedWhereItSaysOff() {
        beat(link, HeartbeatFixture.answer(5, true, true));
        fixture.enter(1);
        beat(link, HeartbeatFixture.answer(4, true, true));
        assertThat(link.compose(0).getConditionsList()).singleElement().satisfies(condition -> {
            assertThat(condition.getId()).isEqualTo("placement-outranked");
            assertThat(condition.getText()).contains("epoch 4 is below 5");
        });
        assertThat(fixture.metricRegistry.value(Metric.HEARTBEATS_OUTRANKED)).isEqualTo(1);
        assertThat(tier.serves(POOL)).isTrue();

        beat(link, HeartbeatFixture.answer(4, true, false));
        assertThat(tier.serves(POOL)).isFalse();
        assertThat(tier.isResident(fixture.key(1))).isFalse();
        assertThat(link.compose(0).getServing()).isFalse();
        beat(link, HeartbeatFixture.answer(4, true, true));
        assertThat(tier.serves(POOL))
                .as("on is nothing that an earlier epoch may say")
                .isFalse();

        beat(link, HeartbeatFixture.answer(5, true, true));
        assertThat(tier.serves(POOL)).isTrue();
        assertThat(link.compose(0).getConditionsList()).isEmpty();
    }

    @Test
    void off_holdsAsLongAsAnActiveServiceSaysIt() {
        HeartbeatExchange other = link();
        beat(link, HeartbeatFixture.answer(5, true, true));
        beat(other, HeartbeatFixture.answer(4, true, false));
        beat(link, HeartbeatFixture.answer(5, true, true));
        assertThat(tier.serves(POOL)).as("the other still says off").isFalse();
        other.failed();
        beat(link, HeartbeatFixture.answer(5, true, true));
        assertThat(tier.serves(POOL)).as("the other is not heard any more").isTrue();

        beat(other, HeartbeatFixture.answer(4, true, false));
        beat(other, HeartbeatFixture.answer(4, false, false));
        beat(link, HeartbeatFixture.answer(5, true, true));
        assertThat(tier.serves(POOL)).as("the other is a standby").isTrue();

        beat(other, HeartbeatFixture.answer(4, true, false));
        other.end();
        beat(link, HeartbeatFixture.answer(5, true, true));
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
        tier.space().resize(600_000);
        link.delivered(resize(7, 500_000), 0);
        assertThat(tier.usage().capacityBytes()).as("not again").isEqualTo(600_000);
        link.delivered(resize(8, 3_000_000), 0);
        assertThat(tier.usage().capacityBytes()).isEqualTo(600_000);
        assertThat(link.compose(0).getResized().getRefusal()).contains("terrace.datanode.memory.capacity.max");
        assertThat(link.compose(0).getResized().getConfiguredBytes()).isEqualTo(1_000_000);
    }

    /** As of a NameNode that becomes active, or is added later. */
    @Test
    void resize_isKnownToTheOtherLinksOfThePool() {
        link.delivered(resize(7, 500_000), 0);
        HeartbeatExchange other = fixture.exchange(() -> {});
        assertThat(other.compose(0).getResized().getId()).isEqualTo(7);
        tier.space().resize(600_000);
        other.delivered(resize(7, 500_000), 0);
        assertThat(tier.usage().capacityBytes()).as("not again").isEqualTo(600_000);
    }

    @Test
    void resize_ofAStandby_isNotObeyed() {
        link.compose(0);
        link.delivered(resize(7, 500_000).toBuilder().setActive(false).build(), 0);
        assertThat(tier.usage().capacityBytes()).isEqualTo(1_000_000);
    }

    /** As after a refresh of the NameNodes that takes one away and brings it back. */
    @Test
    void linkMadeAnew_inOneProcess_goesOnAboveTheEarlierOne() {
        long last = 0;
        for (int i = 0; i < 3; i++) {
            last = link.compose(0).getSequence();
            link.delivered(HeartbeatFixture.answer(1, true, true), 0);
        }

        HeartbeatRequestProto first = link().compose(0);

        assertThat(first.getIncarnation()).isEqualTo(link.compose(0).getIncarnation());
        assertThat(first.getSequence()).isGreaterThan(last);
        assertThat(first.getFullResidency()).isTrue();
    }

    private static HeartbeatResponseProto rules(long epoch, boolean active, long id) {
        return HeartbeatFixture.answer(epoch, active, true).toBuilder()
                .setWriteThroughRules(WriteThroughRulesProto.newBuilder()
                        .setId(id)
                        .addRules(WriteThroughRuleProto.newBuilder()
                                .setPath("/out/**")
                                .setToMemory(true)))
                .build();
    }

    @Test
    void writeThroughRules_areTakenFromTheServiceThatDecides_andNamedFromThenOn() {
        assertThat(link.compose(0).hasWriteThroughRules()).isFalse();
        link.delivered(rules(5, true, 77), 0);
        assertThat(fixture.writeThroughRules.wantCopy(POOL, "/out/a")).isTrue();
        assertThat(link.compose(0).getWriteThroughRules()).isEqualTo(77);
        link.delivered(rules(4, true, 78), 0);
        link.compose(0);
        link.delivered(rules(0, false, 79), 0);
        assertThat(link.compose(0).getWriteThroughRules())
                .as("of an earlier epoch, and of a standby")
                .isEqualTo(77);
        link.delivered(HeartbeatFixture.answer(5, true, true), 0);
        assertThat(link.compose(0).hasWriteThroughRules())
                .as("the service has none")
                .isFalse();
    }
}
