package io.terrace.client.write;

import io.terrace.channel.write.WriteConnection;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The replicas of a block whose pipeline has failed after its first DataNode had finalised it. Each DataNode that is left gets
 * what it lacks from the client, with the same generation stamp; one that is not is replaced by a copy elsewhere.
 */
final class LateReplicas {
    private static final Logger LOG = LoggerFactory.getLogger(LateReplicas.class);

    /** For the DataNode that was at fault. */
    private static final long FAULTY_ANSWER_NS = TimeUnit.SECONDS.toNanos(5);

    private final EndedBlock block;
    private final Collection<DataFrame> frames;
    private final BlockOpening opening;
    private final StockStreamer stock;
    private final MetricRegistry metricRegistry;

    /** Whether the replicas are to be on the disks. */
    private final boolean sync;

    /** @param frames what not all DataNodes have */
    LateReplicas(
            EndedBlock block,
            Collection<DataFrame> frames,
            BlockOpening opening,
            StockStreamer stock,
            MetricRegistry metricRegistry) {
        this.block = block;
        this.frames = frames;
        this.sync = DataFrame.anySynced(frames);
        this.opening = opening;
        this.stock = stock;
        this.metricRegistry = metricRegistry;
    }

    /**
     * Completes them; false when the file ended meanwhile.
     *
     * @param fault of the pipeline
     * @throws IOException when no DataNode has all of the block, or fewer than stock would go on with
     */
    boolean complete(IOException fault) throws IOException {
        List<DatanodeInfo> nodes = block.nodes();
        PipelineException said = fault instanceof PipelineException ? (PipelineException) fault : null;
        int bad = said == null ? 0 : said.badNode(nodes.toArray(DatanodeInfo.EMPTY_ARRAY));
        LOG.warn(
                "The pipeline of {} has failed at {} after its first DataNode had finalised it",
                block,
                nodes.get(bad),
                fault);
        boolean[] whole = new boolean[nodes.size()];
        int missing = 0;
        for (int i = 1; i <= nodes.size(); i++) {
            // The one at fault is the last.
            int node = (bad + i) % nodes.size();
            whole[node] = (node == 0 && bad != 0) || complete(node, node == bad);
            missing += whole[node] ? 0 : 1;
        }
        if (!stock.isRunning()) {
            return false;
        }
        if (missing == nodes.size()) {
            throw new EndedBlock.LostException(
                    "All DataNodes of " + block
                            + " are lost; the first one had it, and the NameNode takes it for written",
                    fault);
        }
        return replace(whole, missing);
    }

    private boolean complete(int node, boolean faulty) {
        // A sync may take as long as writing the block.
        boolean briefly = faulty && !sync;
        long timeoutNs = briefly ? Math.min(FAULTY_ANSWER_NS, block.answerTimeoutNs()) : block.answerTimeoutNs();
        try {
            // It may be finalised while it is asked for the first time.
            return finalised(node, timeoutNs) || resumed(node, timeoutNs) || finalised(node, timeoutNs);
        } catch (IOException e) {
            LOG.info("{} cannot be completed at {}: {}", block, block.nodes().get(node), e.toString());
            return false;
        }
    }

    private boolean finalised(int node, long timeoutNs) throws IOException {
        return finalised(block.nodes().get(node), block.finalising(node), timeoutNs);
    }

    private boolean finalised(DatanodeInfo node, byte[] request, long timeoutNs) throws IOException {
        try {
            BlockOpening.Opened opened = opening.open(node, BlockOpening.Request.again(request, sync), timeoutNs, true);
            if (opened == null && sync) {
                // An older DataNode ends the connection: it cannot be asked for a sync.
                opened = opening.open(node, BlockOpening.Request.again(request, false), timeoutNs, true);
            }
            if (opened == null) {
                throw new IOException("it has no channel");
            }
            opening.giveBack(opened.connection());
            return true;
        } catch (PipelineException e) {
            LOG.debug("{} is not whole at {}", block, node, e);
            return false;
        }
    }

    private boolean resumed(int node, long timeoutNs) throws IOException {
        DataFrame first = frames.iterator().next();
        long ackedBytes = first.endOffset() - first.freshBytes();
        byte[] request = block.resuming(node, ackedBytes);
        try {
            BlockOpening.Opened opened =
                    opening.open(block.nodes().get(node), BlockOpening.Request.again(request, false), timeoutNs, true);
            return opened != null && send(opened.connection(), ackedBytes, timeoutNs);
        } catch (PipelineException e) {
            LOG.debug("{} is not open again at {}", block, block.nodes().get(node), e);
            return false;
        }
    }

    private boolean send(WriteConnection connection, long ackedBytes, long timeoutNs) throws IOException {
        boolean done = false;
        try {
            BlockSender sender = new BlockSender(
                    new Again(frames),
                    connection,
                    timeoutNs,
                    stock.keepAliveNs(),
                    new Untold(),
                    ackedBytes,
                    System.nanoTime());
            while (true) {
                long leftNs = sender.advance(System.nanoTime());
                if (sender.isFinalised()) {
                    break;
                }
                IOException fault = sender.fault();
                if (fault != null) {
                    throw fault;
                }
                if (!stock.isRunning()) {
                    throw new InterruptedIOException("the file has ended");
                }
                opening.await(leftNs);
            }
            done = true;
            opening.giveBack(connection);
            return true;
        } finally {
            if (!done) {
                BlockOpening.close(connection);
            }
        }
    }

    private boolean replace(boolean[] whole, int missing) throws IOException {
        List<DatanodeInfo> copies = new ArrayList<>();
        List<DatanodeInfo> failed = new ArrayList<>();
        while (copies.size() < missing) {
            DatanodeInfo copy = block.copy(whole, copies, failed, this::serveUntil);
            if (!stock.isRunning()) {
                return false;
            }
            if (copy == null) {
                break;
            }
            if (isReported(copy)) {
                copies.add(copy);
            } else {
                failed.add(copy);
            }
        }
        metricRegistry.add(Metric.CLIENT_WRITE_REPLICAS_REPLACED, copies.size());
        metricRegistry.add(Metric.CLIENT_WRITE_REPLICAS_MISSING, missing - copies.size());
        return true;
    }

    private void serveUntil(BooleanSupplier done) throws IOException {
        while (!done.getAsBoolean()) {
            if (!stock.isRunning()) {
                throw new InterruptedIOException("the file has ended");
            }
            opening.await(Long.MAX_VALUE);
        }
    }

    /** A DataNode tells the NameNode of a replica that a client has it finalise, not of one that it copied. */
    private boolean isReported(DatanodeInfo copy) {
        try {
            return finalised(copy, block.finalising(block.nodes().size()), block.answerTimeoutNs());
        } catch (IOException e) {
            LOG.info("{} is not whole at {}: {}", block, copy, e.toString());
            return false;
        }
    }

    /** The frames once more; the first time is not over. */
    private static final class Again implements FrameSource {
        private final Deque<DataFrame> unsent;

        Again(Collection<DataFrame> frames) {
            this.unsent = new ArrayDeque<>(frames);
        }

        @Override
        public @Nullable DataFrame poll() {
            return unsent.poll();
        }

        @Override
        public void acked(DataFrame frame) {
            // Not by all.
        }
    }

    private static final class Untold implements BlockSender.Progress {
        @Override
        public void sending(long blockBytes) {
            // It was sent before.
        }

        @Override
        public void acknowledged(long blockBytes, long freshBytes) {
            // By one DataNode.
        }
    }
}
