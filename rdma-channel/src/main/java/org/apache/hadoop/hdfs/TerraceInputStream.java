package org.apache.hadoop.hdfs;

import io.terrace.client.BlockReadRequest;
import io.terrace.client.StreamGrants;
import io.terrace.client.read.HedgedReads;
import io.terrace.client.read.ReadRouter;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToIntFunction;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.jspecify.annotations.Nullable;

/** A stock stream that gives each block to {@link ReadRouter} before it connects to the DataNode it chose. */
final class TerraceInputStream extends DFSInputStream {
    private final ReadRouter readRouter;
    private final ToIntFunction<DatanodeInfo> measured;
    private final ToIntFunction<DatanodeInfo> distances = this::distance;
    private final StreamGrants held = new StreamGrants();
    private final @Nullable HedgedReads hedged;

    /** Of the DataNodes whose memory was read, by UUID. */
    private final Map<String, Integer> known = new ConcurrentHashMap<>();

    /** Of which the caller wanted another copy, by block id: null until the first, as most streams have none. */
    private volatile @Nullable Set<Long> left;

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
        this.hedged = client.isHedgedReadsEnabled() ? new HedgedReads() : null;
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
        if (isLeft(block)) {
            readRouter.countLeft();
            return super.getBlockReader(block, offsetInBlock, length, address, storageType, datanode);
        }
        if (!readRouter.mayServe(block, held)) {
            return super.getBlockReader(block, offsetInBlock, length, address, storageType, datanode);
        }
        BlockReadRequest range = new BlockReadRequest(
                block,
                offsetInBlock,
                offsetInBlock + length,
                address,
                shortCircuitForbidden(),
                verifyChecksum,
                dfsClient.ugi.getUserName(),
                distances,
                dfsClient.getConfiguration(),
                held);
        return readRouter.open(
                range,
                datanode.getDatanodeUuid(),
                (offset, lengthBytes) ->
                        super.getBlockReader(block, offset, lengthBytes, address, storageType, datanode),
                hedged);
    }

    /** Another DataNode's replica, read by stock HDFS; where there is no other, the replica in the place of its copy in memory. */
    @Override
    public synchronized boolean seekToNewSource(long targetPos) throws IOException {
        if (targetPos < 0 || targetPos >= getFileLength()) {
            return super.seekToNewSource(targetPos); // Stock says what is wrong with it.
        }
        LocatedBlock block = getBlockAt(targetPos);
        boolean fromMemory = !isLeft(block) && readRouter.leave(block, held);
        leave(block);
        return super.seekToNewSource(targetPos) || fromMemory;
    }

    private void leave(LocatedBlock block) {
        Set<Long> blocks = left;
        if (blocks == null) {
            blocks = ConcurrentHashMap.newKeySet();
            left = blocks;
        }
        blocks.add(block.getBlock().getBlockId());
    }

    private boolean isLeft(LocatedBlock block) {
        Set<Long> blocks = left;
        return blocks != null && blocks.contains(block.getBlock().getBlockId());
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
