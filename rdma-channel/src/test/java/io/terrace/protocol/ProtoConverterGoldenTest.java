package io.terrace.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.common.StorageTier;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatResponseProto;
import io.terrace.protocol.proto.DataNodeProtos.OrderProto;
import io.terrace.protocol.proto.DataNodeProtos.OutcomeProto;
import io.terrace.protocol.proto.DataNodeProtos.TierProto;
import io.terrace.protocol.proto.DataNodeProtos.VolumeMoveProto;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** How outcomes, tiers, orders and results are written on the wire. */
final class ProtoConverterGoldenTest {

    private static final HexFormat HEX = HexFormat.of();

    @Test
    void outcomes() {
        assertThat(Stream.of(OutcomeProto.values())
                        .map(proto -> ProtoConverter.outcome(proto) + "=" + proto.getNumber()))
                .containsExactly(
                        "DONE=0",
                        "NO_ROOM=1",
                        "NOT_HERE=2",
                        "CHANGED=3",
                        "CORRUPT=4",
                        "PINNED=5",
                        "REFUSED=6",
                        "FAILED=7");
        for (OutcomeProto proto : OutcomeProto.values()) {
            assertThat(ProtoConverter.outcome(ProtoConverter.outcome(proto))).isEqualTo(proto);
        }
    }

    @Test
    void outcomes_ofTheServiceAlone_haveNoNumber() {
        for (MoveOutcome outcome : EnumSet.range(MoveOutcome.LOST, MoveOutcome.EXPIRED)) {
            assertThatThrownBy(() -> ProtoConverter.outcome(outcome))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(outcome.name());
        }
    }

    @Test
    void tiers() {
        assertThat(Stream.of(StorageTier.values())
                        .map(tier -> tier + "=" + ProtoConverter.tier(tier).getNumber()))
                .containsExactly("MEMORY=0", "NVM=1", "SSD=2", "DISK=3", "ARCHIVE=4");
        for (TierProto proto : TierProto.values()) {
            assertThat(ProtoConverter.tier(ProtoConverter.tier(proto))).isEqualTo(proto);
        }
    }

    @Test
    void orders() throws Exception {
        StampedBlock block = new StampedBlock(1, 2, 3);
        OrderProto promote = OrderProto.parseFrom(HEX.parseHex("0807" + "1000" + "1a06080110021803" + "2009"));
        OrderProto drop = OrderProto.parseFrom(HEX.parseHex("0808" + "1001" + "1a06080110021803"));
        MoveOrder promotion = ProtoConverter.order(promote);
        assertThat(promotion).isEqualTo(new MoveOrder(7, block, null, StorageTier.MEMORY, 9));
        assertThat(promotion.isPromotion()).isTrue();
        assertThat(ProtoConverter.order(drop))
                .isEqualTo(new MoveOrder(8, block, StorageTier.MEMORY, null, 0))
                .matches(order -> !order.isPromotion());
    }

    @Test
    void volumeMoves() throws Exception {
        StampedBlock block = new StampedBlock(1, 2, 3);
        String bytes = "0807" + "1206080110021803" + "1803" + "2002" + "2809";
        VolumeMoveProto fromDisk = VolumeMoveProto.parseFrom(HEX.parseHex(bytes));
        MoveOrder order = ProtoConverter.order(fromDisk);
        assertThat(order).isEqualTo(new MoveOrder(7, block, StorageTier.DISK, StorageTier.SSD, 9));
        assertThat(order.isVolumeMove()).isTrue();
        assertThat(order.isPromotion()).isFalse();
        VolumeMoveProto fromAnywhere = VolumeMoveProto.parseFrom(HEX.parseHex("0808" + "1206080110021803" + "2004"));
        assertThat(ProtoConverter.order(fromAnywhere)).isEqualTo(new MoveOrder(8, block, null, StorageTier.ARCHIVE, 0));
    }

    @Test
    void orders_areWrittenAsTheyAreRead() throws Exception {
        HeartbeatResponseProto.Builder answer =
                HeartbeatResponseProto.newBuilder().setActive(true).setEpoch(5).setServe(true);
        StampedBlock block = new StampedBlock(1, 2, 3);
        ProtoConverter.add(answer, MoveOrder.promotion(7, block, 9));
        ProtoConverter.add(answer, MoveOrder.drop(8, block));
        ProtoConverter.add(answer, new MoveOrder(7, block, StorageTier.DISK, StorageTier.SSD, 9));
        ProtoConverter.add(answer, new MoveOrder(8, block, null, StorageTier.ARCHIVE, 0));
        assertThat(HEX.formatHex(answer.build().toByteArray()))
                .isEqualTo("0801" + "1005" + "1801"
                        + "2a0e" + "0807" + "1000" + "1a06080110021803" + "2009"
                        + "2a0e" + "0808" + "1001" + "1a06080110021803" + "2000"
                        + "3a10" + "0807" + "1206080110021803" + "1803" + "2002" + "2809"
                        + "3a0e" + "0808" + "1206080110021803" + "2004" + "2800");
    }

    /** What a DataNode of today answers to a service that knows nothing of it, and the other way round. */
    @Test
    void olderPeers_readWhatTheyKnow() throws Exception {
        HeartbeatResponseProto answer = HeartbeatResponseProto.newBuilder()
                .setActive(true)
                .setEpoch(5)
                .setServe(true)
                .addVolumeMoves(VolumeMoveProto.parseFrom(HEX.parseHex("0808" + "1206080110021803" + "2004")))
                .build();
        // Nothing before field 7 changes, so that one who does not know it reads the rest.
        assertThat(HEX.formatHex(answer.toByteArray()))
                .isEqualTo("0801" + "1005" + "1801" + "3a0c" + "0808" + "1206080110021803" + "2004");
        assertThat(HeartbeatResponseProto.parseFrom(HEX.parseHex("080110051801"))
                        .getVolumeMovesList())
                .isEmpty();
    }

    @Test
    void results() {
        MoveOrder order = MoveOrder.promotion(7, new StampedBlock(1, 2, 3), 9);
        MoveResult result = new MoveResult(MoveOutcome.CORRUPT, 3, 4_000_000, "no");
        assertThat(HEX.formatHex(ProtoConverter.result(order, 5, result).toByteArray()))
                .isEqualTo("0807" + "1004" + "1a06080110021803" + "2003" + "2804" + "32026e6f" + "3805");
        assertThat(HEX.formatHex(ProtoConverter.result(order, 5, result.in(StorageTier.ARCHIVE))
                        .toByteArray()))
                .isEqualTo("0807" + "1004" + "1a06080110021803" + "2003" + "2804" + "32026e6f" + "3805" + "4004");
    }
}
