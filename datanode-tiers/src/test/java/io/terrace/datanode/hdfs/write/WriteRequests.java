package io.terrace.datanode.hdfs.write;

import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.datatransfer.DataTransferProtoUtil;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.BaseHeaderProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.ClientOperationHeaderProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.OpWriteBlockProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.OpWriteBlockProto.BlockConstructionStage;
import org.apache.hadoop.hdfs.protocolPB.PBHelperClient;
import org.apache.hadoop.util.DataChecksum;

/** The messages by which Hadoop's clients open blocks. */
final class WriteRequests {
    private WriteRequests() {}

    /** For a new block that goes to one more DataNode. */
    static byte[] withNext(DatanodeInfo next) {
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
                .addTargets(PBHelperClient.convert(next))
                .addTargetStorageTypes(PBHelperClient.convertStorageType(StorageType.DISK))
                .build()
                .toByteArray();
    }
}
