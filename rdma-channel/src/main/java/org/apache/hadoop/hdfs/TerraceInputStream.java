package org.apache.hadoop.hdfs;

import io.terrace.client.BlockReadRequest;
import io.terrace.client.StreamGrants;
import io.terrace.client.read.ReadRouter;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToIntFunction;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;

/** A stock stream that gives each block to {@link ReadRouter} before it connects to the DataNode it chose. */
final class TerraceInputStream extends DFSInputStream {
    private final ReadRouter readRouter;
    private final ToIntFunction<DatanodeInfo> measured;
    private final ToIntFunction<DatanodeInfo> distances = this::distance;
    private final StreamGrants held = new StreamGrants();

    /** Of the DataNodes whose memory was read, by UUID. */
    private final Map<String, Integer> known = new ConcurrentHashMap<>();

    TerraceInputStream(
            DFSClient client,
            String src,
            boolean verifyChecksum,
            LocatedBlocks blocks,
            ReadRouter readRouter,
            ToIntFunction<DatanodeInfo> measured)
            throws IOException {
        super(client, src, verifyChecksum, blocks);
        this.readRouter = readRouter;
        this.measured = measured;
    }

    @Override
    protected BlockReader getBlockReader(
            LocatedBlock block,
            long offsetInBlock,
            long length,
            InetSocketAddress address,
            StorageType storageType,
            DatanodeInfo datanode)
            throws IOException {
        if (!readRouter.mayServe(block, held)) {
            return super.getBlockReader(block, offsetInBlock, length, address, storageType, datanode);
        }
        BlockReadRequest range = new BlockReadRequest(
                block,
                offsetInBlock,
                offsetInBlock + length,
                address,
                shortCircuitForbidden(),
                dfsClient.ugi.getUserName(),
                distances,
                dfsClient.getConfiguration(),
                held);
        return readRouter.open(
                range,
                datanode.getDatanodeUuid(),
                (offset, lengthBytes) ->
                        super.getBlockReader(block, offset, lengthBytes, address, storageType, datanode));
    }

    /** Measured once a stream: stock does so for each reader, of which a positional read has one of its own. */
    private int distance(DatanodeInfo datanode) {
        Integer distance = known.get(datanode.getDatanodeUuid());
        if (distance == null) {
            distance = measured.applyAsInt(datanode);
            known.put(datanode.getDatanodeUuid(), distance);
        }
        return distance;
    }
}
