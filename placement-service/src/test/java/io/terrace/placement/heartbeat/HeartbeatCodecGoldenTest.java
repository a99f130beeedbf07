package io.terrace.placement.heartbeat;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.common.StorageTier;
import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.heartbeat.HealthFinding.Severity;
import io.terrace.placement.heartbeat.Heartbeat.Heat;
import io.terrace.placement.heartbeat.Heartbeat.Residency;
import io.terrace.placement.heartbeat.Heartbeat.Result;
import io.terrace.placement.heartbeat.Heartbeat.TierState;
import io.terrace.protocol.MoveOrder;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.StampedBlock;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatRequestProto;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatResponseProto;
import io.terrace.protocol.proto.DataNodeProtos.OutcomeProto;
import io.terrace.protocol.proto.DataNodeProtos.ResultProto;
import io.terrace.protocol.proto.DataNodeProtos.TierStateProto;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The bytes of a heartbeat and of its answer, as DataNodes of other versions send and expect them. */
final class HeartbeatCodecGoldenTest {

    private static final HexFormat HEX = HexFormat.of();

    /** Id 1, stamp 1001, 100 bytes. */
    private static final StampedBlock BLOCK = new StampedBlock(1, 1001, 100);

    private static final String BLOCK_BYTES = " 0801 10e907 1864";

    private static final String HEARTBEAT = "0a04 42502d31" // pool
            + " 1204 75756964 1a04 686f7374 208a4d 2807 3009" // uuid, host, port, incarnation, sequence
            + " 3a0d 0800 10e807 1864 200a 2814 3002" // tier
            + " 4219 0a07" + BLOCK_BYTES + " 1003 1801 2002 2850 301e 3801 403c 4804" // heat
            + " 4a0d 0a07" + BLOCK_BYTES + " 1001 1801" // residency
            + " 5001" // full
            + " 5a19 080b 1002 1a07" + BLOCK_BYTES + " 2064 2803 3204 6e6f6e65 3805" // result
            + " 6214 0a02 6964 1001 1a04 74657874 2206 72656d656479" // condition
            + " 6850 7000" // bytes served, serving
            + " 7a06 0a02 6f6b 1003"; // figure

    private static final String ANSWER = "0801 1005 1800 2001"
            + " 2a10 080b 1000 1a07" + BLOCK_BYTES + " 20e807"
            + " 2a0f 080c 1001 1a07" + BLOCK_BYTES + " 2000"
            + " 30b817 5801 6800";

    private static byte[] bytes(String hex) {
        return HEX.parseHex(hex.replace(" ", ""));
    }

    @Test
    void heartbeat() throws Exception {
        HeartbeatRequestProto proto = HeartbeatRequestProto.parseFrom(bytes(HEARTBEAT));
        assertThat(HeartbeatCodec.heartbeat(proto, "registered", 1, 10, new MetricRegistry()))
                .isEqualTo(new Heartbeat(
                        "uuid",
                        "registered",
                        1,
                        7,
                        9,
                        List.of(new TierState(StorageTier.MEMORY, 1000, 100, 10, 20, 2)),
                        List.of(new Heat(BLOCK, StorageTier.DISK, true, 2, 80, 30, 1, 60, 4)),
                        List.of(new Residency(BLOCK, true, true)),
                        true,
                        List.of(new Result(11, 5, MoveOutcome.NOT_HERE, BLOCK, 100, 3, "none")),
                        List.of(new HealthFinding("id", Severity.WARNING, "text", "remedy")),
                        80,
                        false,
                        Map.of("ok", 3L),
                        false,
                        ""));
        assertThat(proto.getBlockPoolId()).isEqualTo("BP-1");
        assertThat(HEX.formatHex(proto.toByteArray()))
                .as("no field is unknown here")
                .isEqualTo(HEX.formatHex(bytes(HEARTBEAT)));
        assertThat(proto.getUnknownFields().asMap()).isEmpty();
    }

    @Test
    void answer() {
        HeartbeatAnswer answer = new HeartbeatAnswer(
                true, 5, false, true, List.of(MoveOrder.promotion(11, BLOCK, 1000), MoveOrder.drop(12, BLOCK)), 3000);
        // Metrics that come later change it.
        HeartbeatResponseProto proto =
                HeartbeatCodec.answer(answer).toBuilder().clearFigureTable().build();
        assertThat(HEX.formatHex(proto.toByteArray())).isEqualTo(HEX.formatHex(bytes(ANSWER)));
    }

    @Test
    void tiers() throws Exception {
        String[] numbers = {"MEMORY=0", "NVM=1", "SSD=2", "DISK=3", "ARCHIVE=4"};
        assertThat(Stream.of(StorageTier.values()).map(tier -> tier + "=" + tier.ordinal()))
                .containsExactly(numbers);
        for (StorageTier tier : StorageTier.values()) {
            String hex = "080" + tier.ordinal() + " 10e807 1864 200a 2814 3002";
            TierStateProto proto = HeartbeatCodec.tier(new TierState(tier, 1000, 100, 10, 20, 2));
            assertThat(HEX.formatHex(proto.toByteArray())).isEqualTo(hex.replace(" ", ""));
        }
    }

    @Test
    void severities() {
        assertThat(Stream.of(Severity.values()).map(severity -> severity + "=" + severity.ordinal()))
                .containsExactly("NOTE=0", "WARNING=1", "ERROR=2");
        for (Severity severity : Severity.values()) {
            String hex = "0a02 6964 100" + severity.ordinal() + " 1a04 74657874";
            assertThat(HEX.formatHex(HeartbeatCodec.condition(new HealthFinding("id", severity, "text", null))
                            .toByteArray()))
                    .isEqualTo(hex.replace(" ", ""));
        }
    }

    /** By their numbers on the wire; those that only the service knows have none. */
    @Test
    void outcomes() throws Exception {
        List<MoveOutcome> sent = List.of(
                MoveOutcome.DONE,
                MoveOutcome.NO_ROOM,
                MoveOutcome.NOT_HERE,
                MoveOutcome.CHANGED,
                MoveOutcome.CORRUPT,
                MoveOutcome.PINNED,
                MoveOutcome.REFUSED,
                MoveOutcome.FAILED);
        assertThat(OutcomeProto.values()).hasSameSizeAs(sent);
        HeartbeatRequestProto empty = HeartbeatRequestProto.parseFrom(bytes("0a00 1200 1a00 2000 2800 3000"));
        for (int number = 0; number < sent.size(); number++) {
            ResultProto result = ResultProto.parseFrom(bytes("0801 100" + number + " 1a07" + BLOCK_BYTES));
            Heartbeat heartbeat = HeartbeatCodec.heartbeat(
                    empty.toBuilder().addResults(result).build(), "host", 1, 10, new MetricRegistry());
            assertThat(heartbeat.results().get(0).outcome()).isEqualTo(sent.get(number));
        }
    }
}
