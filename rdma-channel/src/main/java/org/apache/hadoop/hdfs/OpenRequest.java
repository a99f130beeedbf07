package org.apache.hadoop.hdfs;

import io.terrace.channel.write.FilePath;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.datatransfer.BlockConstructionStage;
import org.apache.hadoop.hdfs.protocol.datatransfer.Sender;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.hdfs.server.datanode.CachingStrategy;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.util.DataChecksum;
import org.jspecify.annotations.Nullable;

/**
 * Stock's request to open a block at the DataNodes of a pipeline.
 *
 * @param block with the most that it may get as its length
 * @param ackedBytes that all DataNodes have
 * @param sentBytes that any can have
 * @param newStamp the stamp of the pipeline that is set up again, or 0
 */
record OpenRequest(
        ExtendedBlock block,
        Token<BlockTokenIdentifier> token,
        String clientName,
        DatanodeInfo[] nodes,
        StorageType[] types,
        String[] storages,
        BlockConstructionStage stage,
        long ackedBytes,
        long sentBytes,
        long newStamp,
        DataChecksum checksum,
        CachingStrategy caching,
        boolean lazyPersist,
        String @Nullable [] favored) {
    /** Before the protobuf: version (2) and operation (1). */
    private static final int OPERATION_BYTES = 3;

    /**
     * For the present block of a streamer.
     *
     * @param recovers whether its pipeline is set up again
     */
    static OpenRequest of(
            DataStreamer streamer,
            DatanodeInfo[] nodes,
            StorageType[] types,
            String[] storages,
            long newStamp,
            boolean recovers,
            CachingStrategy caching,
            String @Nullable [] favored) {
        ExtendedBlock whole = streamer.getBlock();
        whole.setNumBytes(streamer.stat.getBlockSize());
        return new OpenRequest(
                whole,
                streamer.accessToken,
                streamer.dfsClient.clientName,
                nodes,
                types,
                storages,
                recovers ? streamer.getStage().getRecoveryStage() : streamer.getStage(),
                streamer.block.getNumBytes(),
                streamer.bytesSent,
                newStamp,
                streamer.checksum4WriteBlock,
                caching,
                DataStreamer.isLazyPersist(streamer.stat),
                favored);
    }

    /** What stock sends, without what stands before the protobuf. */
    byte[] encode() throws IOException {
        boolean[] pinnings = pinnings();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(512);
        new Sender(new DataOutputStream(bytes))
                .writeBlock(
                        block,
                        types[0],
                        token,
                        clientName,
                        nodes,
                        types,
                        null,
                        stage,
                        nodes.length,
                        ackedBytes,
                        sentBytes,
                        newStamp,
                        checksum,
                        caching,
                        lazyPersist,
                        pinnings != null && pinnings[0],
                        pinnings,
                        storages[0],
                        storages);
        ByteBuffer request = ByteBuffer.wrap(bytes.toByteArray()).position(OPERATION_BYTES);
        while (request.get() < 0) {
            // The length, seven bits a byte.
            continue;
        }
        byte[] proto = new byte[request.remaining()];
        request.get(proto);
        return proto;
    }

    /** The same, for a new block with the path of its file, from which DataNodes know whether a rule wants it in memory. */
    byte[] encode(String path) throws IOException {
        return stage == BlockConstructionStage.PIPELINE_SETUP_CREATE ? FilePath.addTo(encode(), path) : encode();
    }

    private boolean @Nullable [] pinnings() {
        String[] names = favored;
        if (names == null) {
            return null;
        }
        Set<String> left = new HashSet<>(Arrays.asList(names));
        boolean[] pinnings = new boolean[nodes.length];
        for (int i = 0; i < nodes.length; i++) {
            pinnings[i] = left.remove(nodes[i].getXferAddrWithHostname());
        }
        return pinnings;
    }
}
