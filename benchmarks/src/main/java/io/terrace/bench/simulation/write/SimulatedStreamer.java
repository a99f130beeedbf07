package io.terrace.bench.simulation.write;

import io.terrace.bench.simulation.kernel.Invariant;
import io.terrace.bench.simulation.kernel.Violation;
import io.terrace.bench.simulation.write.WriteNameNode.FileBlock;
import io.terrace.client.write.EndedBlock;
import io.terrace.client.write.FileOutput;
import io.terrace.client.write.PipelineException;
import io.terrace.client.write.StockStreamer;
import java.io.IOException;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.OpWriteBlockProto.BlockConstructionStage;
import org.jspecify.annotations.Nullable;

/** What stock's streamer does between the file's sender and the NameNode; its waits let the simulation go on. */
final class SimulatedStreamer implements StockStreamer {
    static final long TIMEOUT_NS = TimeUnit.HOURS.toNanos(1);

    private static final int MOST_TRIES = 8;

    /** How long stock asks again by default: 400 ms, doubled four times. */
    private static final long MOST_WAIT_NS = TimeUnit.MILLISECONDS.toNanos(12_400);

    /** Events within which a slow one may have told of none. */
    private static final int WAITS_BEHIND = 10;

    /** In which a connection is ready, and nothing else happens. */
    private static final int MOST_ROUNDS = 1_000;

    private final WriteWorld world;
    private final int replication;
    private final Map<FileBlock, Integer> expected = new HashMap<>();
    private @Nullable FileOutput output;
    private boolean running = true;
    private boolean stuck;
    private boolean killed;
    private @Nullable FileBlock block;
    private List<PipelineNode> nodes = List.of();
    private boolean toPersist;
    private int rounds;
    private int previousBytes = -1;
    private int ackedBytes;
    private int sentBytes;

    SimulatedStreamer(WriteWorld world, int replication) {
        this.world = world;
        this.replication = replication;
    }

    void sendsTo(FileOutput itsOutput) {
        output = itsOutput;
    }

    /** The file is not written any further. */
    void end() {
        running = false;
    }

    /** The client's process ends. */
    void kill() {
        killed = true;
        end();
    }

    boolean isKilled() {
        return killed;
    }

    /** Whether it waited when nothing was left to happen. */
    boolean isStuck() {
        return stuck;
    }

    /** What a flush asks of the NameNode when a pipeline was set up since the last one, which fails without the lease. */
    void persist() throws IOException {
        if (toPersist) {
            world.nameNode().checkLease();
            toPersist = false;
        }
    }

    /** The DataNodes of the present block; empty between two blocks. */
    List<PipelineNode> nodes() {
        return nodes;
    }

    /** Of the last block. */
    int lastBytes() {
        return previousBytes;
    }

    /** Replicas that a block must have when the file is closed. */
    int expected(FileBlock ended) {
        return expected.getOrDefault(ended, 0);
    }

    void expect(FileBlock ended, int replicas) {
        expected.put(ended, replicas);
    }

    @Override
    public void await(Selector selector, long longestNs) throws IOException {
        if (selector.selectNow() > 0) {
            Violation.unless(++rounds < MOST_ROUNDS, Invariant.SETTLES, "the client does not wait for anything");
            return;
        }
        rounds = 0;
        if (!world.step()) {
            stuck = true;
            running = false;
        }
        selector.selectNow();
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public boolean nextBlock(List<DatanodeInfo> busy, int busiest, boolean canWait) throws IOException {
        Set<PipelineNode> excluded = new LinkedHashSet<>();
        Set<PipelineNode> apart = new LinkedHashSet<>();
        busy.forEach(node -> apart.add(world.node(node.getDatanodeUuid())));
        int waits = 0;
        long beganNs = world.scheduler().nowNs();
        for (int tries = 0; tries < MOST_TRIES && running; tries++) {
            Set<PipelineNode> not = new LinkedHashSet<>(excluded);
            if (canExclude(apart.size() + excluded.size())) {
                not.addAll(apart);
            }
            FileBlock fresh = world.nameNode().addBlock(previousBytes, replication, not);
            if (fresh == null) {
                // As stock, which waits and asks again, a few times.
                tries--;
                boolean over =
                        canWait ? ++waits > WAITS_BEHIND : world.scheduler().nowNs() - beganNs > MOST_WAIT_NS;
                if (over || !world.step()) {
                    world.say("client", "gets no block, as one before the last is not complete");
                    if (canWait && world.hooks().asksForBlocksAgain()) {
                        return false;
                    }
                    throw new IOException("the block before the last one is not complete");
                }
                continue;
            }
            PipelineNode bad = opens(fresh, BlockConstructionStage.PIPELINE_SETUP_CREATE, fresh.stamp, fresh.nodes);
            if (bad == null) {
                block = fresh;
                nodes = fresh.nodes;
                expect(fresh, nodes.size());
                previousBytes = -1;
                return true;
            }
            excluded.add(bad);
            world.nameNode().abandon(fresh);
        }
        throw new IOException("Unable to create new block.");
    }

    /** Opens a block; the DataNode at fault where that cannot be done. */
    private @Nullable PipelineNode opens(
            FileBlock at, BlockConstructionStage stage, long newStamp, List<PipelineNode> pipeline) throws IOException {
        ackedBytes = at == block ? ackedBytes : 0;
        sentBytes = at == block ? sentBytes : 0;
        DatanodeInfo[] infos = pipeline.stream().map(PipelineNode::info).toArray(DatanodeInfo[]::new);
        FileOutput to = output;
        toPersist = true;
        try {
            byte[] request = OpenRequests.of(at.id, at.stamp, newStamp, stage, infos, ackedBytes, sentBytes);
            int without = to == null ? 0 : to.open(infos, request, TIMEOUT_NS);
            return without == FileOutput.OPEN ? null : pipeline.get(without);
        } catch (PipelineException e) {
            return pipeline.get(e.badNode(infos));
        } catch (IOException e) {
            return pipeline.get(0);
        }
    }

    @Override
    public boolean canExclude(int count) {
        long up = world.nodes().stream().filter(PipelineNode::isRunning).count();
        return up - count >= replication;
    }

    @Override
    public void recoverBlock(IOException fault, boolean ending) throws IOException {
        FileBlock failed = block;
        if (failed == null) {
            throw new IllegalStateException("no block");
        }
        List<PipelineNode> left = new ArrayList<>(nodes);
        DatanodeInfo[] infos = nodes.stream().map(PipelineNode::info).toArray(DatanodeInfo[]::new);
        left.remove(fault instanceof PipelineException said ? said.badNode(infos) : 0);
        while (!left.isEmpty() && running) {
            long stamp = world.hooks().renewsStamps() ? world.nameNode().newStamp(failed) : failed.stamp;
            BlockConstructionStage stage = ending
                    ? BlockConstructionStage.PIPELINE_CLOSE_RECOVERY
                    : BlockConstructionStage.PIPELINE_SETUP_STREAMING_RECOVERY;
            PipelineNode bad = opens(failed, stage, stamp, left);
            if (bad == null) {
                nodes = List.copyOf(left);
                expect(failed, nodes.size());
                world.nameNode().updatePipeline(failed, stamp, nodes);
                return;
            }
            left.remove(bad);
        }
        throw new IOException("All datanodes are bad. Aborting...", fault);
    }

    @Override
    public long keepAliveNs() {
        return TIMEOUT_NS;
    }

    @Override
    public void sendHeartbeat() {
        throw new IllegalStateException("all DataNodes have a channel");
    }

    @Override
    public void sending(long blockBytes) {
        sentBytes = Math.max(sentBytes, (int) blockBytes);
    }

    @Override
    public void acknowledged(long blockBytes) {
        FileBlock present = block;
        for (PipelineNode node : nodes) {
            Violation.unless(
                    present != null && node.has(present.id, blockBytes),
                    Invariant.ACKNOWLEDGED_BY_ALL,
                    "the client is told of %d bytes of %s, and %s lacks some",
                    blockBytes,
                    present,
                    node);
        }
        ackedBytes = (int) blockBytes;
    }

    @Override
    public EndedBlock leaveBlock(long blockBytes) {
        FileBlock left = block;
        if (left == null) {
            throw new IllegalStateException("no block");
        }
        ends((int) blockBytes);
        return new SimulatedEndedBlock(world, this, left, (int) blockBytes);
    }

    @Override
    public void blockEnded() {
        ends(ackedBytes);
    }

    private void ends(int lengthBytes) {
        previousBytes = lengthBytes;
        block = null;
        nodes = List.of();
    }
}
