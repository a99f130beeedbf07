package io.terrace.bench.simulation.write;

import io.terrace.bench.simulation.kernel.Invariant;
import io.terrace.bench.simulation.kernel.Violation;
import io.terrace.bench.simulation.write.StoredReplica.State;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The NameNode of one file: blocks, stamps, who has what, and the recovery of the lease, by Hadoop's rules. */
final class WriteNameNode {
    private final WriteWorld world;
    private final List<FileBlock> blocks = new ArrayList<>();
    private int leastReplicas = 1;
    private boolean leaseTaken;
    private boolean closed;
    private long lastId = 1_000;
    private long lastStamp = 100;

    /** A block of the file. */
    static final class FileBlock {
        final long id;
        long stamp;
        int lengthBytes = -1;
        List<PipelineNode> nodes;
        final Set<PipelineNode> finalised = new LinkedHashSet<>();

        private final int leastReplicas;

        private FileBlock(long id, long stamp, List<PipelineNode> nodes, int leastReplicas) {
            this.id = id;
            this.stamp = stamp;
            this.nodes = nodes;
            this.leastReplicas = leastReplicas;
        }

        boolean isCommitted() {
            return lengthBytes >= 0;
        }

        boolean isComplete() {
            return isCommitted() && finalised.size() >= leastReplicas;
        }

        @Override
        public String toString() {
            return "blk_" + id + "_" + stamp;
        }
    }

    WriteNameNode(WriteWorld world) {
        this.world = world;
    }

    /** {@code dfs.namenode.replication.min}. */
    void require(int replicas) {
        leastReplicas = replicas;
    }

    List<FileBlock> blocks() {
        return blocks;
    }

    boolean isClosed() {
        return closed;
    }

    /** Fails when the writer has lost the file. */
    void checkLease() throws IOException {
        if (leaseTaken || closed) {
            throw new IOException("the lease is another one's");
        }
    }

    /**
     * Adds a block.
     *
     * @param previousBytes the length of the last one, which is committed; negative when there is none
     * @return null when the one before that one is not complete yet
     */
    @Nullable
    FileBlock addBlock(int previousBytes, int replication, Collection<PipelineNode> excluded) throws IOException {
        checkLease();
        if (blocks.size() > 1 && !blocks.get(blocks.size() - 2).isComplete()) {
            return null;
        }
        if (previousBytes >= 0) {
            commit(blocks.get(blocks.size() - 1), previousBytes);
        }
        List<PipelineNode> nodes = new ArrayList<>(world.nodes());
        Collections.shuffle(nodes, world.scheduler().random());
        nodes.removeIf(node -> !node.isRunning() || excluded.contains(node));
        if (nodes.size() < leastReplicas) {
            throw new IOException("too few DataNodes are left");
        }
        List<PipelineNode> chosen = List.copyOf(nodes.subList(0, Math.min(replication, nodes.size())));
        FileBlock block = new FileBlock(++lastId, ++lastStamp, chosen, leastReplicas);
        blocks.add(block);
        world.say("NameNode", "%s is added at %s", block, chosen);
        return block;
    }

    private void commit(FileBlock block, int lengthBytes) {
        boolean isThere = world.nodes().stream()
                .map(node -> node.replica(block.id))
                .anyMatch(replica -> replica != null && replica.isWhole(block.stamp, lengthBytes));
        Violation.unless(
                isThere,
                Invariant.COMMITTED_IS_FINALISED,
                "%s is committed with %d bytes, and finalised nowhere",
                block,
                lengthBytes);
        block.lengthBytes = lengthBytes;
        block.finalised.removeIf(node -> !isWhole(node, block));
        world.say("NameNode", "%s is committed with %d bytes", block, lengthBytes);
    }

    static boolean hasFinalised(PipelineNode node, FileBlock block) {
        StoredReplica replica = node.replica(block.id);
        return replica != null && replica.state == State.FINALIZED && replica.stamp == block.stamp;
    }

    private static boolean isWhole(PipelineNode node, FileBlock block) {
        StoredReplica replica = node.replica(block.id);
        return replica != null && replica.isWhole(block.stamp, block.lengthBytes);
    }

    void abandon(FileBlock block) throws IOException {
        checkLease();
        blocks.remove(block);
        world.say("NameNode", "%s is abandoned", block);
        world.nodes().stream().filter(PipelineNode::isRunning).forEach(node -> node.delete(block.id));
    }

    long newStamp(FileBlock block) throws IOException {
        checkLease();
        if (block.isCommitted()) {
            throw new IOException(block + " is not under construction");
        }
        return ++lastStamp;
    }

    void updatePipeline(FileBlock block, long stamp, List<PipelineNode> nodes) throws IOException {
        checkLease();
        block.stamp = stamp;
        block.nodes = List.copyOf(nodes);
        // A DataNode that finalised it when it was opened may have told of it already.
        block.finalised.removeIf(node -> !hasFinalised(node, block));
        world.say("NameNode", "%s goes on at %s", block, nodes);
    }

    /** Whether the file is closed now; else it is to be asked again. */
    boolean complete(int lastBytes) throws IOException {
        checkLease();
        if (!blocks.isEmpty() && !blocks.get(blocks.size() - 1).isCommitted()) {
            commit(blocks.get(blocks.size() - 1), lastBytes);
        }
        closed = blocks.stream().allMatch(FileBlock::isComplete);
        return closed;
    }

    /** A DataNode has a replica; one that does not fit a block that is written is deleted. */
    void reported(PipelineNode node, StoredReplica replica, int lengthBytes) {
        FileBlock block = blocks.stream()
                .filter(each -> each.id == replica.blockId)
                .findFirst()
                .orElse(null);
        boolean fits = block != null
                && replica.state == State.FINALIZED
                && (block.isCommitted()
                        ? replica.stamp == block.stamp && lengthBytes == block.lengthBytes
                        : replica.stamp >= block.stamp);
        if (fits && block != null) {
            block.finalised.add(node);
        } else if (block == null || (block.isComplete() && replica.writer == null)) {
            node.delete(replica.blockId);
        }
    }

    /** Another client wants the file, or the lease has ended. False while DataNodes are missing that may have it. */
    boolean recoverLease() {
        leaseTaken = true;
        for (FileBlock block : List.copyOf(blocks)) {
            if (!block.isComplete() && !(block.isCommitted() ? copy(block) : recover(block))) {
                return false;
            }
        }
        closed = true;
        return true;
    }

    /** Makes a replica that a committed block lacks; whether it has enough then. */
    private boolean copy(FileBlock block) {
        PipelineNode from = block.finalised.stream()
                .filter(PipelineNode::isRunning)
                .filter(node -> isWhole(node, block))
                .findFirst()
                .orElse(null);
        for (PipelineNode to : world.nodes()) {
            if (from != null && !block.isComplete() && to.isRunning() && to.replica(block.id) == null) {
                to.copy(of(from, block));
                block.finalised.add(to);
                world.say("NameNode", "%s is copied from %s to %s", block, from, to);
            }
        }
        return block.isComplete();
    }

    private boolean recover(FileBlock block) {
        List<PipelineNode> holders = world.nodes().stream()
                .filter(PipelineNode::isRunning)
                .filter(node -> takesPart(node.replica(block.id), block))
                .toList();
        if (holders.isEmpty()) {
            boolean gone = block.nodes.stream().allMatch(PipelineNode::isRunning);
            if (gone) {
                blocks.remove(block);
                world.say("NameNode", "%s is nowhere, and removed", block);
            }
            return gone;
        }
        State best = State.RWR;
        for (PipelineNode node : holders) {
            StoredReplica replica = of(node, block);
            node.stopWriter(replica);
            best = replica.state.compareTo(best) < 0 ? replica.state : best;
        }
        int least = Integer.MAX_VALUE;
        for (PipelineNode node : holders) {
            least = of(node, block).state == best
                    ? Math.min(least, of(node, block).lengthBytes())
                    : least;
        }
        block.stamp = ++lastStamp;
        block.lengthBytes = least;
        block.finalised.clear();
        for (PipelineNode node : holders) {
            StoredReplica replica = of(node, block);
            if (replica.state == best) {
                replica.truncate(least);
                replica.stamp = block.stamp;
                replica.finalise();
                block.finalised.add(node);
            }
        }
        world.say("NameNode", "%s is recovered with %d bytes at %s", block, least, block.finalised);
        return true;
    }

    private static boolean takesPart(@Nullable StoredReplica replica, FileBlock block) {
        return replica != null && replica.stamp >= block.stamp && replica.lengthBytes() > 0;
    }

    private static StoredReplica of(PipelineNode node, FileBlock block) {
        StoredReplica replica = node.replica(block.id);
        if (replica == null) {
            throw new IllegalStateException(node + " has no replica of " + block);
        }
        return replica;
    }
}
