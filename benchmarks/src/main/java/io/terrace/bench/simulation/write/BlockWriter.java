package io.terrace.bench.simulation.write;

import io.terrace.bench.simulation.kernel.Invariant;
import io.terrace.bench.simulation.kernel.Violation;
import io.terrace.channel.transport.ChecksumType;
import io.terrace.channel.transport.ChunkVerifier;
import io.terrace.datanode.write.NextNode;
import io.terrace.datanode.write.OpenBlock;
import io.terrace.datanode.write.PipelineEvents;
import io.terrace.datanode.write.WrittenFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.hadoop.fs.ChecksumException;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.OpWriteBlockProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.OpWriteBlockProto.BlockConstructionStage;
import org.apache.hadoop.hdfs.protocol.proto.HdfsProtos.ExtendedBlockProto;
import org.jspecify.annotations.Nullable;

/** A replica that a client writes, as {@code ReplicaWriter} keeps it in a DataNode. */
final class BlockWriter implements OpenBlock {
    private static final ChunkVerifier VERIFIER = ChunkVerifier.JDK.of(ChecksumType.CRC32C, WriteWorld.CHUNK_BYTES);

    private final WriteWorld world;
    private final PipelineNode node;
    private final NodeConnection connection;
    private final StoredReplica replica;
    private final long recoveredBytes;

    private BlockWriter(
            WriteWorld world,
            PipelineNode node,
            NodeConnection connection,
            StoredReplica replica,
            long recoveredBytes) {
        this.recoveredBytes = recoveredBytes;
        this.world = world;
        this.node = node;
        this.connection = connection;
        this.replica = replica;
    }

    /** Makes the replica, takes it over, or finalises it. */
    static BlockWriter open(WriteWorld world, PipelineNode node, NodeConnection connection, OpWriteBlockProto wanted)
            throws IOException {
        ExtendedBlockProto block = wanted.getHeader().getBaseHeader().getBlock();
        long id = block.getBlockId();
        long stamp = block.getGenerationStamp();
        long newStamp = wanted.getLatestGenerationStamp();
        StoredReplica replica;
        if (wanted.getStage() == BlockConstructionStage.PIPELINE_SETUP_CREATE) {
            replica = node.create(id, stamp);
        } else if (wanted.getStage() == BlockConstructionStage.PIPELINE_CLOSE_RECOVERY) {
            replica = node.recoverClose(id, stamp, newStamp, wanted.getMinBytesRcvd());
            node.report(replica, (int) wanted.getMinBytesRcvd());
        } else {
            replica = node.recover(id, stamp, newStamp, wanted.getMinBytesRcvd(), wanted.getMaxBytesRcvd());
        }
        BlockWriter writer = new BlockWriter(world, node, connection, replica, wanted.getMinBytesRcvd());
        if (!writer.isWritten()) {
            replica.writer = connection;
        }
        world.say(node.toString(), "opens %s, %s", replica, wanted.getStage());
        return writer;
    }

    @Override
    public long recoveredBytes() {
        return recoveredBytes;
    }

    /** Whether there is nothing left to write. */
    boolean isWritten() {
        return replica.state == StoredReplica.State.FINALIZED;
    }

    @Override
    public void write(long offset, ByteBuffer data, ByteBuffer sums) throws IOException {
        int wrongAt = VERIFIER.firstWrong(data, sums);
        if (wrongAt >= 0) {
            throw new ChecksumException("wrong data at " + (offset + wrongAt), offset + wrongAt);
        }
        if (offset + data.remaining() <= replica.lengthBytes()) {
            return;
        }
        byte[] piece = new byte[data.remaining()];
        data.get(piece);
        soonOrNow(world.hooks().writtenLateNs(), () -> replica.write((int) offset, piece));
    }

    @Override
    public void finish(boolean synced) {
        soonOrNow(world.hooks().finalisedLateNs(), () -> {
            replica.finalise();
            world.say(node.toString(), "has finalised %s", replica);
            node.report(replica);
        });
    }

    private void soonOrNow(long lateNs, Runnable what) {
        if (lateNs == 0) {
            what.run();
        } else {
            world.scheduler().after(lateNs, "late", () -> {
                if (replica.writer == connection) {
                    what.run();
                }
            });
        }
    }

    @Override
    public void acknowledge(long bytes) {
        checkHas(node, bytes);
        connection.after().forEach(later -> checkHas(later, bytes));
        replica.ackedBytes = Math.max(replica.ackedBytes, (int) bytes);
    }

    private void checkHas(PipelineNode one, long bytes) {
        Violation.unless(
                one.has(replica.blockId, bytes),
                Invariant.ACKNOWLEDGED_BY_ALL,
                "%s acknowledges %d bytes of blk_%d, and %s has %s",
                node,
                bytes,
                replica.blockId,
                one,
                one.replica(replica.blockId));
    }

    @Override
    public void close() {
        if (replica.writer == connection) {
            replica.writer = null;
        }
    }

    @Override
    public int chunkBytes() {
        return WriteWorld.CHUNK_BYTES;
    }

    @Override
    public long mostBytes() {
        return WriteWorld.BLOCK_BYTES;
    }

    @Override
    public long lengthBytes() {
        return replica.lengthBytes();
    }

    @Override
    public @Nullable NextNode next() {
        return null;
    }

    @Override
    public boolean isFirst() {
        return true;
    }

    @Override
    public PipelineEvents events() {
        return PipelineEvents.NONE;
    }

    @Override
    public WrittenFiles files() {
        throw new UnsupportedOperationException("frames are sent on as they came");
    }

    @Override
    public void sync() {
        // A crash takes nothing.
    }

    @Override
    public void received() {
        // Nobody counts.
    }

    @Override
    public String toString() {
        return replica.toString();
    }
}
