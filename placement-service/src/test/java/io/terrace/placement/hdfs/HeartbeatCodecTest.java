package io.terrace.placement.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.placement.Heartbeat;
import io.terrace.protocol.proto.DataNodeProtos.BlockProto;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatRequestProto;
import io.terrace.protocol.proto.DataNodeProtos.HeatProto;
import io.terrace.protocol.proto.DataNodeProtos.TierProto;
import org.junit.jupiter.api.Test;

class HeartbeatCodecTest {

    private static Heartbeat decoded(HeartbeatRequestProto request) {
        return HeartbeatCodec.heartbeat(request, "registered", 1);
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
}
