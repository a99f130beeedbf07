package io.terrace.placement.hdfs.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.protocol.proto.AdminProtos.TiersResponseProto;
import org.junit.jupiter.api.Test;

class SharedTiersTest {

    private long nowMs = 5_000;
    private int taken;
    private final SharedTiers tiers = new SharedTiers(() -> nowMs, () -> {
        taken++;
        nowMs += 2 * SharedTiers.VALID_MS;
        return TiersResponseProto.newBuilder().addWithoutPlugin("host").build();
    });

    @Test
    void latest_askedOftenWithinASecond_isMadeOnce() throws Exception {
        TiersResponseProto first = tiers.latest();
        for (int i = 1; i < SharedTiers.VALID_MS; i++) {
            nowMs++;
            assertThat(tiers.latest()).isSameAs(first);
        }
        assertThat(taken).isEqualTo(1);
        nowMs++;
        tiers.latest();
        assertThat(taken).isEqualTo(2);
    }
}
