package io.terrace.bench.simulation.write;

import java.util.Arrays;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.BaseHeaderProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.ChecksumProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.ClientOperationHeaderProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.OpWriteBlockProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.OpWriteBlockProto.BlockConstructionStage;
import org.apache.hadoop.hdfs.protocol.proto.HdfsProtos.ChecksumTypeProto;
import org.apache.hadoop.hdfs.protocol.proto.HdfsProtos.ExtendedBlockProto;
import org.apache.hadoop.hdfs.protocolPB.PBHelperClient;

/** Hadoop's requests to write a block. */
final class OpenRequests {
    private OpenRequests() {}

    /** @param nodes the first one is asked, the others are its targets */
    static byte[] of(
            long blockId,
            long stamp,
            long newStamp,
            BlockConstructionStage stage,
            DatanodeInfo[] nodes,
            long leastBytes,
            long mostBytes) {
        ExtendedBlockProto.Builder block = ExtendedBlockProto.newBuilder()
                .setPoolId("pool")
                .setBlockId(blockId)
                .setGenerationStamp(stamp);
        ClientOperationHeaderProto.Builder header = ClientOperationHeaderProto.newBuilder()
                .setBaseHeader(BaseHeaderProto.newBuilder().setBlock(block))
                .setClientName("client");
        return OpWriteBlockProto.newBuilder()
                .setHeader(header)
                .addAllTargets(PBHelperClient.convert(Arrays.copyOfRange(nodes, 1, nodes.length)))
                .setStage(stage)
                .setPipelineSize(nodes.length)
                .setMinBytesRcvd(leastBytes)
                .setMaxBytesRcvd(mostBytes)
                .setLatestGenerationStamp(newStamp)
                .setRequestedChecksum(ChecksumProto.newBuilder()
                        .setType(ChecksumTypeProto.CHECKSUM_CRC32C)
                        .setBytesPerChecksum(WriteWorld.CHUNK_BYTES))
                .build()
                .toByteArray();
    }
}
