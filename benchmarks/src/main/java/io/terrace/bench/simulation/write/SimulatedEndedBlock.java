package io.terrace.bench.simulation.write;

import io.terrace.bench.simulation.kernel.Invariant;
import io.terrace.bench.simulation.kernel.Violation;
import io.terrace.bench.simulation.write.WriteNameNode.FileBlock;
import io.terrace.client.write.EndedBlock;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.OpWriteBlockProto.BlockConstructionStage;
import org.jspecify.annotations.Nullable;

/** A block that its first DataNode has finalised. */
final class SimulatedEndedBlock implements EndedBlock {
    /** For how long a DataNode copies, in its delays. */
    private static final int COPY_DELAYS = 10;

    private final WriteWorld world;
    private final SimulatedStreamer streamer;
    private final FileBlock block;
    private final int lengthBytes;
    private final List<PipelineNode> nodes;

    SimulatedEndedBlock(WriteWorld world, SimulatedStreamer streamer, FileBlock block, int lengthBytes) {
        this.world = world;
        this.streamer = streamer;
        this.block = block;
        this.lengthBytes = lengthBytes;
        this.nodes = block.nodes;
    }

    @Override
    public List<DatanodeInfo> nodes() {
        return nodes.stream().map(PipelineNode::info).toList();
    }

    @Override
    public long answerTimeoutNs() {
        return SimulatedStreamer.TIMEOUT_NS;
    }

    @Override
    public void acknowledged() {
        // Nobody is told.
    }

    @Override
    public byte[] finalising(int node) {
        return request(node, BlockConstructionStage.PIPELINE_CLOSE_RECOVERY, lengthBytes);
    }

    @Override
    public byte[] resuming(int node, long ackedBytes) {
        return request(node, BlockConstructionStage.PIPELINE_SETUP_STREAMING_RECOVERY, ackedBytes);
    }

    private byte[] request(int node, BlockConstructionStage stage, long leastBytes) {
        DatanodeInfo[] asked = {nodes.get(Math.min(node, nodes.size() - 1)).info()};
        return OpenRequests.of(block.id, block.stamp, block.stamp, stage, asked, leastBytes, lengthBytes);
    }

    @Override
    public @Nullable DatanodeInfo copy(
            boolean[] whole, List<DatanodeInfo> copies, List<DatanodeInfo> failed, Others others) throws IOException {
        boolean[] over = new boolean[1];
        world.scheduler().after(nodes.get(0).delayNs() * COPY_DELAYS, "copied", () -> over[0] = true);
        try {
            others.serveUntil(() -> over[0]);
        } catch (IOException e) {
            if (!streamer.isRunning()) {
                return null;
            }
            throw e;
        }
        PipelineNode from = null;
        int found = copies.size();
        for (int i = 0; i < whole.length; i++) {
            StoredReplica there = nodes.get(i).replica(block.id);
            Violation.unless(
                    !whole[i]
                            || !nodes.get(i).isRunning()
                            || (there != null && there.isWhole(block.stamp, lengthBytes)),
                    Invariant.RETAINED_UNTIL_EVERYWHERE,
                    "the client takes %s of %s for whole, which has %s",
                    block,
                    nodes.get(i),
                    there);
            found += whole[i] ? 1 : 0;
            from = whole[i] && nodes.get(i).isRunning() ? nodes.get(i) : from;
        }
        StoredReplica replica = from == null ? null : from.replica(block.id);
        for (PipelineNode to : world.nodes()) {
            // Without the lease, which ends with the file, the NameNode names nobody.
            boolean free = !world.nameNode().isClosed()
                    && to.isRunning()
                    && to.replica(block.id) == null
                    && !copies.contains(to.info())
                    && !failed.contains(to.info());
            if (free && replica != null && replica.isWhole(block.stamp, lengthBytes)) {
                to.copy(replica);
                world.say(to.toString(), "copies %s from %s", replica, String.valueOf(from));
                return to.info();
            }
        }
        streamer.expect(block, found);
        return null;
    }

    @Override
    public String toString() {
        return block.toString();
    }
}
