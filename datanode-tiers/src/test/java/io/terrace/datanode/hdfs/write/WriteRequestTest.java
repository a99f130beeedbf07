package io.terrace.datanode.hdfs.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.channel.write.FilePath;
import java.io.IOException;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo.DatanodeInfoBuilder;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.datatransfer.DataTransferProtoUtil;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.BaseHeaderProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.ClientOperationHeaderProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.OpWriteBlockProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.OpWriteBlockProto.BlockConstructionStage;
import org.apache.hadoop.hdfs.protocolPB.PBHelperClient;
import org.apache.hadoop.util.DataChecksum;
import org.junit.jupiter.api.Test;

class WriteRequestTest {

    /** For a block that is written to two DataNodes. */
    private static byte[] hadoops() {
        DatanodeID second = new DatanodeID("127.0.0.1", "localhost", "uuid", 1, 2, 3, 4);
        return OpWriteBlockProto.newBuilder()
                .setHeader(ClientOperationHeaderProto.newBuilder()
                        .setClientName("client")
                        .setBaseHeader(BaseHeaderProto.newBuilder()
                                .setBlock(PBHelperClient.convert(new ExtendedBlock("pool", 1, 0, 1)))))
                .setStage(BlockConstructionStage.PIPELINE_SETUP_CREATE)
                .setPipelineSize(2)
                .setMinBytesRcvd(0)
                .setMaxBytesRcvd(0)
                .setLatestGenerationStamp(0)
                .setRequestedChecksum(
                        DataTransferProtoUtil.toProto(DataChecksum.newDataChecksum(DataChecksum.Type.CRC32C, 512)))
                .addTargets(PBHelperClient.convert(
                        new DatanodeInfoBuilder().setNodeID(second).build()))
                .addTargetStorageTypes(PBHelperClient.convertStorageType(StorageType.DISK))
                .build()
                .toByteArray();
    }

    @Test
    void path_isThatOfTheClient_andChangesNothingElse() throws IOException {
        WriteRequest plain = WriteRequest.parse(hadoops());
        WriteRequest named = WriteRequest.parse(FilePath.addTo(hadoops(), "/a/\u00e9"));
        assertThat(plain.path()).isEmpty();
        assertThat(named.path()).isEqualTo("/a/\u00e9");
        assertThat(named.block()).isEqualTo(plain.block());
        assertThat(named.targets()).isEqualTo(plain.targets());
    }

    @Test
    void path_givenTwice_isNone() throws IOException {
        byte[] twice = FilePath.addTo(FilePath.addTo(hadoops(), "/a"), "/b");
        assertThat(WriteRequest.parse(twice).path()).isEmpty();
    }

    @Test
    void nextDataNode_isNotToldThePath() throws IOException {
        WriteRequest named = WriteRequest.parse(FilePath.addTo(hadoops(), "/a"));
        assertThat(named.forTarget()).isEqualTo(WriteRequest.parse(hadoops()).forTarget());
    }
}
