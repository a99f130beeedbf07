package io.terrace.datanode.hdfs.write;

import io.terrace.channel.write.WriteData;
import io.terrace.channel.write.WriteFrame;
import java.io.IOException;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.datatransfer.DataTransferProtoUtil;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.OpWriteBlockProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.OpWriteBlockProto.BlockConstructionStage;
import org.apache.hadoop.hdfs.protocolPB.PBHelperClient;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.util.DataChecksum;
import org.jspecify.annotations.Nullable;

/**
 * What a client wants to write: Hadoop's request for a new block of one replica.
 *
 * @param block whose length is the most that it may get; 0 leaves that to the DataNode
 * @param generationStamp a newer one than the block's, or 0
 * @param dropBehind whether what was written leaves the page cache; null leaves that to the DataNode
 */
record WriteRequest(
        ExtendedBlock block,
        StorageType storageType,
        String storageId,
        Token<BlockTokenIdentifier> token,
        String clientName,
        long generationStamp,
        DataChecksum checksum,
        @Nullable Boolean dropBehind,
        boolean lazyPersist,
        boolean pinned) {

    /** Stock serves it, this does not. */
    static final class UnsupportedException extends IOException {
        private static final long serialVersionUID = 1L;

        UnsupportedException(String message) {
            super(message);
        }
    }

    /** Reads Hadoop's message. */
    static WriteRequest parse(byte[] bytes) throws IOException {
        OpWriteBlockProto proto = OpWriteBlockProto.parseFrom(bytes);
        if (proto.getStage() != BlockConstructionStage.PIPELINE_SETUP_CREATE) {
            throw new UnsupportedException("stage " + proto.getStage() + " is not written over the channel");
        }
        if (proto.getTargetsCount() > 0) {
            throw new UnsupportedException("blocks of more than one replica are not written over the channel");
        }
        if (proto.getHeader().getClientName().isEmpty()) {
            throw new UnsupportedException("DataNodes do not write over the channel");
        }
        DataChecksum checksum = DataTransferProtoUtil.fromProto(proto.getRequestedChecksum());
        boolean summed = checksum.getChecksumType() == DataChecksum.Type.CRC32
                || checksum.getChecksumType() == DataChecksum.Type.CRC32C;
        if (!summed || WriteData.mostBytes(checksum.getBytesPerChecksum(), WriteFrame.MAX_DATA_BYTES) == 0) {
            throw new UnsupportedException(checksum + " is not written over the channel");
        }
        boolean says = proto.hasCachingStrategy() && proto.getCachingStrategy().hasDropBehind();
        return new WriteRequest(
                PBHelperClient.convert(proto.getHeader().getBaseHeader().getBlock()),
                PBHelperClient.convertStorageType(proto.getStorageType()),
                proto.getStorageId(),
                PBHelperClient.convert(proto.getHeader().getBaseHeader().getToken()),
                proto.getHeader().getClientName(),
                proto.getLatestGenerationStamp(),
                checksum,
                says ? proto.getCachingStrategy().getDropBehind() : null,
                proto.getAllowLazyPersist(),
                proto.getPinning());
    }
}
