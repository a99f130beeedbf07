package io.terrace.datanode.heartbeat;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.common.StorageTier;
import io.terrace.protocol.proto.DataNodeProtos.ConditionProto;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatRequestProto;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatResponseProto;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** The bytes of a heartbeat that tells of everything, and of the answer before it. */
final class HeartbeatExchangeGoldenTest {

    private static final String POOL = "BP-1";
    private static final HexFormat HEX = HexFormat.of();

    /** Active, epoch 5, serve, interval 3000 ms; order 11 drops block 1. */
    private static final String ANSWER = "0801 1005 1801" + " 2a0f 080b 1001 1a07 0801 10e907 1864 2000" + " 30b817";

    private static final String HEARTBEAT = "0a04 42502d31" // pool
            + " 1204 75756964 1a04 686f7374 208a4d 2807 3001" // uuid, host, port, incarnation, sequence
            + " 3a0f 0800 10c0843d 18c801 2064 2800 3002" // memory, block 1 retiring
            + " 3a09 0801 10e807 180a 3001" // NVM
            + " 4219 0a07 0803 10e907 1864 1003 1801 2002 2850 301e 3801 403c 4804" // heat of block 3
            + " 4a0d 0a07 0803 10e907 1864 1001 1800" // block 3 entered memory
            + " 4a0d 0a07 0801 10e907 1864 1000 1800" // block 1 left it
            + " 5000" // not all that is resident
            + " 5a15 080b 1000 1a07 0801 10e907 1864 2064 2800 3200 3805" // result of order 11
            + " 6214 0a02 6964 1001 1a04 74657874 2206 72656d656479" // condition
            + " 6850 7001" // bytes served, serving
            + " a20109 0803 1001 1832 20d836"; // one read of 50 bytes from disk in 7000 ns

    private final HeartbeatFixture fixture = new HeartbeatFixture(
            POOL,
            1001,
            ConditionProto.newBuilder()
                    .setId("id")
                    .setSeverity(ConditionProto.Severity.WARNING)
                    .setText("text")
                    .setRemedy("remedy")
                    .build());

    @Test
    void heartbeat_afterOrdersReadsAndWrites() throws Exception {
        HeartbeatExchange link = fixture.exchange(() -> {});
        link.compose(0);
        fixture.enter(1);
        fixture.enter(3);
        HeartbeatResponseProto answer = HeartbeatResponseProto.parseFrom(HEX.parseHex(ANSWER.replace(" ", "")));
        assertThat(link.delivered(answer, 0)).isEqualTo(3000);
        fixture.accessRecorder.granted(StorageTier.MEMORY, POOL, 3, 2, 30, null);
        fixture.accessRecorder.stockReadEnded(POOL, 3, 50, false, 7_000);
        fixture.accessRecorder.written(POOL, 3, 60);

        // The list of figures grows with the metrics, and their values change with what is counted; the release is
        // that of the build.
        HeartbeatRequestProto told = link.compose(9_000_000L);
        assertThat(told.getRelease()).isNotEmpty();
        HeartbeatRequestProto heartbeat =
                told.toBuilder().clearFigures().clearRelease().build();
        assertThat(HEX.formatHex(heartbeat.toByteArray())).isEqualTo(HEARTBEAT.replace(" ", ""));
    }
}
