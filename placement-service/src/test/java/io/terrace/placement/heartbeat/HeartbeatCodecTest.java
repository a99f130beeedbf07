package io.terrace.placement.heartbeat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.terrace.common.StorageTier;
import io.terrace.metrics.FigureTable;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.heartbeat.Heartbeat.Offer;
import io.terrace.placement.heartbeat.Heartbeat.ReadTime;
import io.terrace.placement.heartbeat.Heartbeat.Reader;
import io.terrace.placement.heartbeat.Heartbeat.Resized;
import io.terrace.placement.heartbeat.HeartbeatAnswer.OffersWanted;
import io.terrace.protocol.StampedBlock;
import io.terrace.protocol.proto.DataNodeProtos.BlockProto;
import io.terrace.protocol.proto.DataNodeProtos.ConditionProto;
import io.terrace.protocol.proto.DataNodeProtos.FigureValueProto;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatRequestProto;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatResponseProto;
import io.terrace.protocol.proto.DataNodeProtos.HeatProto;
import io.terrace.protocol.proto.DataNodeProtos.OfferProto;
import io.terrace.protocol.proto.DataNodeProtos.OffersWantedProto;
import io.terrace.protocol.proto.DataNodeProtos.OutcomeProto;
import io.terrace.protocol.proto.DataNodeProtos.ReadTimeProto;
import io.terrace.protocol.proto.DataNodeProtos.ResidencyProto;
import io.terrace.protocol.proto.DataNodeProtos.ResultProto;
import io.terrace.protocol.proto.DataNodeProtos.TierProto;
import io.terrace.protocol.proto.DataNodeProtos.TierStateProto;
import io.terrace.protocol.proto.DataNodeProtos.WriteThroughRuleProto;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HeartbeatCodecTest {

    private static final int ENTRIES = 100;

    private final MetricRegistry metricRegistry = new MetricRegistry();

    private Heartbeat decoded(HeartbeatRequestProto request) {
        return HeartbeatCodec.heartbeat(request, "registered", 1, ENTRIES, metricRegistry);
    }

    private static HeartbeatRequestProto heartbeat(long lengthBytes, long reads) {
        BlockProto block = BlockProto.newBuilder()
                .setBlockId(1)
                .setGenerationStamp(1)
                .setLengthBytes(lengthBytes)
                .build();
        return HeartbeatRequestProto.newBuilder()
                .setBlockPoolId("BP-1")
                .setDatanodeUuid("one")
                .setHostName("host")
                .setTransferPort(9866)
                .setIncarnation(1)
                .setSequence(1)
                .addHeat(HeatProto.newBuilder()
                        .setBlock(block)
                        .setReplicaTier(TierProto.DISK)
                        .setInMemory(false)
                        .setReads(reads)
                        .setBytesRead(0))
                .build();
    }

    @Test
    void heartbeat_ofAmountsThatCannotBe_isRefusedNamingThem() {
        assertThat(decoded(heartbeat(1L << 43, 1L << 56)).heat()).hasSize(1);
        for (long length : new long[] {-1, (1L << 43) + 1, Long.MAX_VALUE}) {
            assertThatThrownBy(() -> decoded(heartbeat(length, 1)))
                    .hasMessage("lengthBytes is " + Long.toUnsignedString(length));
        }
        for (long reads : new long[] {-1, (1L << 56) + 1, Long.MAX_VALUE}) {
            assertThatThrownBy(() -> decoded(heartbeat(1, reads)))
                    .hasMessage("reads is " + Long.toUnsignedString(reads));
        }
    }

    @Test
    void heartbeat_withOneTooManyOfEach_isCopiedUpToTheLimitsAndCounted() {
        HeartbeatRequestProto.Builder request = heartbeat(1, 1).toBuilder();
        HeatProto heat = request.getHeat(0);
        ResidencyProto residency = ResidencyProto.newBuilder()
                .setBlock(heat.getBlock())
                .setResident(true)
                .build();
        ResultProto result = ResultProto.newBuilder()
                .setMoveId(1)
                .setOutcome(OutcomeProto.DONE)
                .setBlock(heat.getBlock())
                .build();
        request.clearHeat();
        for (int i = 0; i <= ENTRIES; i++) {
            request.addHeat(heat).addResidency(residency).addResults(result);
        }
        for (int i = 0; i <= HeartbeatLimits.MOST_CONDITIONS; i++) {
            request.addConditions(condition("id", "text"));
        }
        for (int i = 0; i <= HeartbeatLimits.MOST_FIGURES; i++) {
            request.addFigures(FigureValueProto.newBuilder().setId("figure" + i).setValue(i));
        }
        for (int i = 0; i <= HeartbeatLimits.MOST_TIERS; i++) {
            request.addTiers(TierStateProto.newBuilder()
                    .setTier(TierProto.MEMORY)
                    .setCapacityBytes(1)
                    .setUsedBytes(0));
        }
        Heartbeat heartbeat = decoded(request.build());
        assertThat(heartbeat.heat()).hasSize(ENTRIES);
        assertThat(heartbeat.residency()).hasSize(ENTRIES);
        assertThat(heartbeat.results()).hasSize(ENTRIES);
        assertThat(heartbeat.conditions()).hasSize(HeartbeatLimits.MOST_CONDITIONS);
        assertThat(heartbeat.figures()).hasSize(HeartbeatLimits.MOST_FIGURES);
        assertThat(heartbeat.tiers()).hasSize(HeartbeatLimits.MOST_TIERS);
        assertThat(metricRegistry.value(Metric.PLACEMENT_HEARTBEAT_ENTRIES_CUT)).isEqualTo(6);
    }

    @Test
    void heartbeat_ofLongTexts_isCopiedUpToTheLimitsAndCounted() {
        String endless = "x".repeat(1 << 20);
        HeartbeatRequestProto.Builder request = heartbeat(1, 1).toBuilder()
                .setHostName(endless)
                .addConditions(condition(endless, endless))
                .addFigures(FigureValueProto.newBuilder().setId(endless).setValue(1));
        request.addResults(ResultProto.newBuilder()
                .setMoveId(1)
                .setOutcome(OutcomeProto.FAILED)
                .setBlock(request.getHeat(0).getBlock())
                .setMessage(endless));
        Heartbeat heartbeat = decoded(request.build());
        assertThat(heartbeat.host()).as("not what it calls itself").isEqualTo("registered");
        assertThat(heartbeat.conditions().get(0).id()).hasSize(HeartbeatLimits.LONGEST_NAME);
        assertThat(heartbeat.conditions().get(0).text()).hasSize(HeartbeatLimits.LONGEST_TEXT);
        assertThat(heartbeat.conditions().get(0).remedy()).hasSize(HeartbeatLimits.LONGEST_TEXT);
        assertThat(heartbeat.results().get(0).message()).hasSize(HeartbeatLimits.LONGEST_TEXT);
        assertThat(heartbeat.figures()).containsOnlyKeys("x".repeat(HeartbeatLimits.LONGEST_NAME));
        assertThat(metricRegistry.value(Metric.PLACEMENT_HEARTBEAT_ENTRIES_CUT)).isEqualTo(5);
    }

    @Test
    void figuresAndConditions_areLeftOutTogether() {
        Heartbeat heartbeat =
                decoded(heartbeat(1, 1).toBuilder().setFiguresOmitted(true).build());
        assertThat(heartbeat.figures()).isNull();
        assertThat(heartbeat.conditions()).isNull();
        assertThat(HeartbeatCodec.answer(HeartbeatAnswer.standby(250)).getKeepsFigures())
                .as("a standby is asked for its status too")
                .isTrue();
    }

    @Test
    void figures_ofThisReleaseAndOfAnother_areKept() {
        String known = Metric.READS_DESCRIPTORS_HELD.id();
        HeartbeatRequestProto request = heartbeat(1, 1).toBuilder()
                .addFigures(FigureValueProto.newBuilder().setId(known).setValue(3))
                .addFigures(FigureValueProto.newBuilder()
                        .setId("of another release")
                        .setValue(4))
                .build();
        Map<String, Long> figures = decoded(request).figures();
        assertThat(figures.get(known)).isEqualTo(3);
        assertThat(figures.get(Metric.READS_GRANTED.id())).isNull();
        assertThat(figures).isEqualTo(Map.of(known, 3L, "of another release", 4L));
    }

    @Test
    void figures_withoutIds_areThoseOfTheTable() {
        assertThat(HeartbeatCodec.answer(HeartbeatAnswer.standby(250)).getFigureTable())
                .isEqualTo(FigureTable.ID);
        HeartbeatRequestProto.Builder request = heartbeat(1, 1).toBuilder().setFigureTable(FigureTable.ID);
        for (int i = 0; i < FigureTable.METRICS.size(); i++) {
            request.addFigureValues(i);
        }
        Map<String, Long> figures = decoded(request.build()).figures();
        assertThat(figures).hasSameSizeAs(FigureTable.METRICS);
        assertThat(figures.get(Metric.READS_DESCRIPTORS_HELD.id()))
                .isEqualTo(FigureTable.METRICS.indexOf(Metric.READS_DESCRIPTORS_HELD));
        request.addFigureValues(7);
        assertThat(decoded(request.build()).figures()).as("one too many").isEqualTo(figures);
        request.clearFigureValues().addFigureValues(9);
        assertThat(decoded(request.build()).figures())
                .isEqualTo(Map.of(FigureTable.METRICS.get(0).id(), 9L));
    }

    @Test
    void figures_ofAnotherTable_areLeftAsTheyWere() {
        HeartbeatRequestProto request = heartbeat(1, 1).toBuilder()
                .setFigureTable(FigureTable.ID + 1)
                .addFigureValues(1)
                .build();
        assertThat(decoded(request).figures()).isNull();
    }

    @Test
    void figures_areThoseThatWereSent_andCannotBeChanged() {
        HeartbeatRequestProto request = heartbeat(1, 1).toBuilder()
                .addFigures(FigureValueProto.newBuilder().setId("a").setValue(1))
                .addFigures(FigureValueProto.newBuilder().setId("b").setValue(2))
                .build();
        Map<String, Long> asked = decoded(request).figures();
        assertThat(asked.get("b")).isEqualTo(2);
        assertThat(asked.getOrDefault("c", 7L)).isEqualTo(7);
        Map<String, Long> figures = decoded(request).figures();
        assertThat(figures.getOrDefault("b", 7L)).isEqualTo(2);
        assertThat(figures.getOrDefault("c", 7L)).isEqualTo(7);
        assertThat(figures).isEqualTo(Map.of("a", 1L, "b", 2L));
        assertThat(figures.getOrDefault("b", 7L)).isEqualTo(2);
        assertThat(figures.get("b")).isEqualTo(2);
        assertThat(figures.get("c")).isNull();
        assertThat(figures).doesNotContainKey("c");
        assertThatThrownBy(() -> figures.remove("a")).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> figures.entrySet().iterator().next().setValue(3L))
                .isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void host_ofALongName_isCutAndCounted() {
        Heartbeat heartbeat = HeartbeatCodec.heartbeat(
                heartbeat(1, 1), "h".repeat(HeartbeatLimits.LONGEST_NAME + 1), 1, ENTRIES, metricRegistry);
        assertThat(heartbeat.host()).hasSize(HeartbeatLimits.LONGEST_NAME);
        assertThat(metricRegistry.value(Metric.PLACEMENT_HEARTBEAT_ENTRIES_CUT)).isEqualTo(1);
    }

    @Test
    void heartbeat_atTheLimits_isCopiedWhole() {
        String longest = "x".repeat(HeartbeatLimits.LONGEST_NAME);
        HeartbeatRequestProto.Builder request = heartbeat(1, 1).toBuilder();
        HeatProto heat = request.getHeat(0);
        for (int i = 1; i < ENTRIES; i++) {
            request.addHeat(heat);
        }
        for (int i = 0; i < HeartbeatLimits.MOST_CONDITIONS; i++) {
            request.addConditions(condition(longest, "x".repeat(HeartbeatLimits.LONGEST_TEXT)));
        }
        request.addFigures(FigureValueProto.newBuilder().setId(longest).setValue(1));
        Heartbeat heartbeat = decoded(request.build());
        assertThat(heartbeat.heat()).hasSize(ENTRIES);
        assertThat(heartbeat.conditions()).hasSize(HeartbeatLimits.MOST_CONDITIONS);
        assertThat(heartbeat.figures()).containsOnlyKeys(longest);
        assertThat(metricRegistry.value(Metric.PLACEMENT_HEARTBEAT_ENTRIES_CUT)).isZero();
    }

    private static ConditionProto condition(String id, String text) {
        return ConditionProto.newBuilder()
                .setId(id)
                .setSeverity(ConditionProto.Severity.NOTE)
                .setText(text)
                .setRemedy(text)
                .build();
    }

    @Test
    void resize_andWhatCameOfIt_areTheSameOnTheOtherSide() {
        HeartbeatAnswer answer = new HeartbeatAnswer(true, 1, true, false, List.of(), 250, new Resize(7, 1 << 30));
        assertThat(HeartbeatCodec.answer(answer).getResize().getId()).isEqualTo(7);
        assertThat(HeartbeatCodec.answer(answer).getResize().getCapacityBytes()).isEqualTo(1 << 30);
        Resized resized = new Resized(7, 1 << 30, 1 << 20, "no");
        assertThat(decoded(heartbeat(1, 1).toBuilder()
                                .setResized(HeartbeatCodec.resized(resized))
                                .build())
                        .resized())
                .isEqualTo(resized);
        assertThat(decoded(heartbeat(1, 1)).resized()).isNull();
    }

    @Test
    void readTimes_andTheControlSample_areTheSameOnTheOtherSide() {
        HeartbeatRequestProto request = heartbeat(1, 1).toBuilder()
                .addReadTimes(ReadTimeProto.newBuilder()
                        .setTier(TierProto.SSD)
                        .setReads(3)
                        .setBytes(5)
                        .setNs(7))
                .setHeat(
                        0,
                        heartbeat(1, 1).getHeat(0).toBuilder().setTimedReads(2).setTimedNs(9))
                .build();
        assertThat(decoded(request).readTimes()).containsExactly(new ReadTime(StorageTier.SSD, 3, 5, 7));
        assertThat(decoded(request).heat()).singleElement().satisfies(heat -> {
            assertThat(heat.timedReads()).isEqualTo(2);
            assertThat(heat.timedNs()).isEqualTo(9);
        });
        assertThat(HeartbeatCodec.answer(new HeartbeatAnswer(
                                true, 1, true, false, List.of(), 250, null, 4, false, List.of(), 0, null))
                        .getControlPercent())
                .isEqualTo(4);
    }

    private List<Reader> readers(HeartbeatRequestProto.Builder request, int host, long... reads) {
        HeatProto.Builder heat = request.getHeat(0).toBuilder().addReaders(0).addReaders(host);
        for (long some : reads) {
            heat.addReadersReads(some);
        }
        return decoded(request.setHeat(0, heat).build()).heat().get(0).readers();
    }

    @Test
    void readers_areThoseOfHostsThatTheHeartbeatNames() {
        HeartbeatRequestProto named =
                heartbeat(1, 1).toBuilder().addReaderHosts("10.0.0.1").build();
        Reader own = new Reader(Reader.THIS_HOST, 3);
        assertThat(readers(named.toBuilder(), 1, 3, 2)).containsExactly(own, new Reader("10.0.0.1", 2));
        assertThat(readers(named.toBuilder(), 2, 3, 2))
                .as("of a host that it does not name")
                .containsExactly(own);
        assertThat(readers(named.toBuilder(), -1, 3, 2))
                .as("of a number that is too large")
                .containsExactly(own);
        assertThat(readers(named.toBuilder(), 1, 3)).as("without reads").containsExactly(own);
        assertThatThrownBy(() -> readers(named.toBuilder(), 1, 3, -1)).hasMessageContaining("readersReads");
        long[] many = new long[100];
        HeatProto.Builder heat = named.getHeat(0).toBuilder();
        for (int i = 0; i < many.length; i++) {
            heat.addReaders(1).addReadersReads(1);
        }
        assertThat(decoded(named.toBuilder().setHeat(0, heat).build())
                        .heat()
                        .get(0)
                        .readers())
                .hasSize(HeartbeatLimits.MOST_READERS);
        assertThat(HeartbeatCodec.answer(new HeartbeatAnswer(
                                true, 1, true, false, List.of(), 250, null, 0, true, List.of(), 0, null))
                        .getReadersWanted())
                .isTrue();
    }

    @Test
    void readTimes_ofMoreTiersThanThereAre_areCut() {
        HeartbeatRequestProto.Builder request = heartbeat(1, 1).toBuilder();
        for (int i = 0; i < 100; i++) {
            request.addReadTimes(ReadTimeProto.newBuilder()
                    .setTier(TierProto.SSD)
                    .setReads(1)
                    .setBytes(1)
                    .setNs(1));
        }
        assertThat(decoded(request.build()).readTimes()).hasSize(HeartbeatLimits.MOST_TIERS);
    }

    @Test
    void offers_areDecoded_andCutToOneLook() {
        HeartbeatRequestProto.Builder request = heartbeat(1, 1).toBuilder();
        for (int i = 0; i < 100; i++) {
            request.addOffers(OfferProto.newBuilder()
                    .setBlock(BlockProto.newBuilder()
                            .setBlockId(i)
                            .setGenerationStamp(1)
                            .setLengthBytes(10))
                    .setTier(TierProto.SSD)
                    .setAgeMs(5_000));
        }
        assertThat(decoded(request.build()).offers())
                .hasSize(io.terrace.protocol.HeartbeatLimits.OFFERS)
                .first()
                .isEqualTo(new Offer(new StampedBlock(0, 1, 10), StorageTier.SSD, 5_000));
        HeartbeatResponseProto answer = HeartbeatCodec.answer(new HeartbeatAnswer(
                true,
                1,
                true,
                false,
                List.of(),
                250,
                null,
                0,
                false,
                List.of(new OffersWanted(StorageTier.NVM, 7)),
                5,
                null));
        assertThat(answer.getOffersTaken()).isEqualTo(5);
        assertThat(answer.getOffersWantedList())
                .containsExactly(OffersWantedProto.newBuilder()
                        .setTier(TierProto.NVM)
                        .setLeastAgeMs(7)
                        .build());
    }

    @Test
    void writeThroughRules_areTold_andTheDataNodeSaysWhichItHas() {
        WriteThroughRules rules = WriteThroughRules.of(
                List.of(new WriteThroughRules.Rule("/out/tmp/**", false), new WriteThroughRules.Rule("/out/**", true)));
        HeartbeatResponseProto answer = HeartbeatCodec.answer(
                new HeartbeatAnswer(true, 1, true, false, List.of(), 250, null, 0, false, List.of(), 0, rules));
        assertThat(answer.getWriteThroughRules().getId()).isEqualTo(rules.id()).isNotZero();
        assertThat(answer.getWriteThroughRules().getRulesList())
                .extracting(WriteThroughRuleProto::getPath, WriteThroughRuleProto::getToMemory)
                .containsExactly(tuple("/out/tmp/**", false), tuple("/out/**", true));
        HeartbeatRequestProto request =
                heartbeat(1, 1).toBuilder().setWriteThroughRules(rules.id()).build();
        assertThat(decoded(request).writeThroughRules()).isEqualTo(rules.id());
        assertThat(decoded(heartbeat(1, 1)).writeThroughRules()).isZero();
    }
}
