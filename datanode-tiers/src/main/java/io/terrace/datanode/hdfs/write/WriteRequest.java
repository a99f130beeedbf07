package io.terrace.datanode.hdfs.write;

import io.terrace.channel.transport.ChecksumType;
import io.terrace.channel.transport.ChunkVerifier;
import io.terrace.channel.transport.NativeChunkVerifier;
import io.terrace.channel.write.FilePath;
import io.terrace.channel.write.WriteData;
import io.terrace.channel.write.WriteFrame;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.datatransfer.DataTransferProtoUtil;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.OpWriteBlockProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.OpWriteBlockProto.BlockConstructionStage;
import org.apache.hadoop.hdfs.protocol.proto.HdfsProtos.DatanodeInfoProto;
import org.apache.hadoop.hdfs.protocolPB.PBHelperClient;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.thirdparty.protobuf.ByteString;
import org.apache.hadoop.thirdparty.protobuf.UnknownFieldSet;
import org.apache.hadoop.util.DataChecksum;
import org.jspecify.annotations.Nullable;

/**
 * What a client wants to write: Hadoop's request for a block.
 *
 * @param message the request itself
 * @param block whose length is the most that it may get; 0 leaves that to the DataNode
 * @param checkedTypes types of the storages that the token must allow: of this DataNode and those after it
 * @param checkedIds their ids; empty where the client names none
 * @param targets the DataNodes after this one
 * @param dropBehind whether what was written leaves the page cache; null leaves that to the DataNode
 */
record WriteRequest(
        OpWriteBlockProto message,
        ExtendedBlock block,
        Token<BlockTokenIdentifier> token,
        List<StorageType> checkedTypes,
        List<String> checkedIds,
        List<DatanodeInfo> targets,
        DataChecksum checksum,
        @Nullable Boolean dropBehind) {

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
        switch (proto.getStage()) {
            case PIPELINE_SETUP_CREATE, PIPELINE_SETUP_STREAMING_RECOVERY, PIPELINE_CLOSE_RECOVERY -> {
                // Served.
            }
            default -> throw new UnsupportedException("stage " + proto.getStage() + " is not written over the channel");
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
        ExtendedBlock block =
                PBHelperClient.convert(proto.getHeader().getBaseHeader().getBlock());
        if (block.getNumBytes() < 0) {
            throw new IOException("a request for a block of " + block.getNumBytes() + " bytes");
        }
        int targets = proto.getTargetsCount();
        if (targets != proto.getTargetStorageTypesCount()
                || (proto.getTargetStorageIdsCount() != 0 && targets != proto.getTargetStorageIdsCount())) {
            throw new IOException("a request with " + targets + " DataNodes, " + proto.getTargetStorageTypesCount()
                    + " types and " + proto.getTargetStorageIdsCount() + " ids of their storages");
        }
        boolean says = proto.hasCachingStrategy() && proto.getCachingStrategy().hasDropBehind();
        return new WriteRequest(
                proto,
                block,
                PBHelperClient.convert(proto.getHeader().getBaseHeader().getToken()),
                types(proto),
                ids(proto),
                List.of(PBHelperClient.convert(proto.getTargetsList().toArray(new DatanodeInfoProto[0]))),
                checksum,
                says ? proto.getCachingStrategy().getDropBehind() : null);
    }

    private static List<StorageType> types(OpWriteBlockProto proto) {
        List<StorageType> types = new ArrayList<>();
        types.add(PBHelperClient.convertStorageType(proto.getStorageType()));
        proto.getTargetStorageTypesList().forEach(type -> types.add(PBHelperClient.convertStorageType(type)));
        return types;
    }

    private static List<String> ids(OpWriteBlockProto proto) {
        List<String> ids = new ArrayList<>();
        if (!proto.getStorageId().isEmpty() && proto.getTargetsCount() == proto.getTargetStorageIdsCount()) {
            ids.add(proto.getStorageId());
            ids.addAll(proto.getTargetStorageIdsList());
        }
        return ids;
    }

    ChunkVerifier verifier() {
        boolean zip = checksum.getChecksumType() == DataChecksum.Type.CRC32;
        return NativeChunkVerifier.of(zip ? ChecksumType.CRC32 : ChecksumType.CRC32C, checksum.getBytesPerChecksum());
    }

    StorageType storageType() {
        return checkedTypes.get(0);
    }

    String storageId() {
        return message.getStorageId();
    }

    String clientName() {
        return message.getHeader().getClientName();
    }

    /** A newer one than the block's, or 0. */
    long generationStamp() {
        return message.getLatestGenerationStamp();
    }

    BlockConstructionStage stage() {
        return message.getStage();
    }

    /** Whether this DataNode is the first of the pipeline, whose client is the file's. */
    boolean isFirst() {
        return targets.size() + 1 == message.getPipelineSize();
    }

    /** The path of the file as the client gives it; empty if it does not. */
    String path() {
        List<ByteString> paths =
                message.getUnknownFields().getField(FilePath.FIELD).getLengthDelimitedList();
        return paths.size() == 1 && paths.get(0).size() <= FilePath.MAX_BYTES
                ? paths.get(0).toStringUtf8()
                : "";
    }

    /** Hadoop's message for the first of the targets, without the path: one copy is enough. */
    byte[] forTarget() {
        OpWriteBlockProto.Builder next = message.toBuilder()
                .setUnknownFields(UnknownFieldSet.getDefaultInstance())
                .clearTargets()
                .clearTargetStorageTypes()
                .clearTargetStorageIds()
                .clearTargetPinnings()
                .setStorageType(message.getTargetStorageTypes(0))
                .setStorageId(message.getTargetStorageIdsCount() == 0 ? "" : message.getTargetStorageIds(0))
                .setPinning(message.getTargetPinningsCount() > 0 && message.getTargetPinnings(0));
        for (int i = 1; i < targets.size(); i++) {
            next.addTargets(message.getTargets(i)).addTargetStorageTypes(message.getTargetStorageTypes(i));
        }
        message.getTargetStorageIdsList().stream().skip(1).forEach(next::addTargetStorageIds);
        message.getTargetPinningsList().stream().skip(1).forEach(next::addTargetPinnings);
        return next.build().toByteArray();
    }
}
