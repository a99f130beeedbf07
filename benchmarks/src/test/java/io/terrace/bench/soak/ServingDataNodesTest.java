package io.terrace.bench.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.protocol.proto.AdminProtos.NodeProto;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ServingDataNodesTest {
    private static final int PORT = 9_866;
    private static final NodeProto SERVING = NodeProto.newBuilder()
            .setUuid("u")
            .setName("127.0.1.1:" + PORT)
            .setLive(true)
            .setServing(true)
            .setIdle(false)
            .setSilentMs(100)
            .setUpMs(2_000)
            .setResidents(0)
            .setPinnedBytes(0)
            .setMovesWaiting(0)
            .setMovesInFlight(0)
            .build();

    @Test
    void dataNode_thatServesSinceItsStart_lacksNothing() {
        assertThat(ServingDataNodes.missing(List.of(SERVING), PORT, 2_500)).isEmpty();
    }

    @Test
    void dataNode_thatTheServiceRemembers_isNotBack() {
        assertThat(ServingDataNodes.missing(List.of(SERVING), PORT, 1_500).orElseThrow())
                .contains("since it was started");
        assertThat(ServingDataNodes.missing(List.of(SERVING), PORT + 10_000, 2_500)
                        .orElseThrow())
                .contains("not known");
        assertThat(ServingDataNodes.missing(
                                List.of(SERVING.toBuilder().setLive(false).build()), PORT, 2_500)
                        .orElseThrow())
                .contains("silent for 100 ms");
    }

    @Test
    void dataNode_thatIsStock_doesNotServe() {
        NodeProto stock = SERVING.toBuilder().setServing(false).build();
        assertThat(ServingDataNodes.missing(List.of(stock), PORT, 2_500)).contains("does not serve");
    }
}
