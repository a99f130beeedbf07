package io.terrace.client.write;

import io.terrace.channel.write.WriteConnection;
import io.terrace.channel.write.WriteThrough;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.io.IOException;
import java.nio.channels.Selector;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.Status;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends a file block by block. It asks for a block when there is data for it and the first DataNode has finalised the one
 * before; the others get that one meanwhile. What not all DataNodes have when one of them fails is sent again to those
 * that are left. Used by the thread of stock's streamer, but for {@link #wake}.
 */
final class FileSender implements BlockSender.Progress {
    private static final Logger LOG = LoggerFactory.getLogger(FileSender.class);
    private static final long IDLE_NS = TimeUnit.SECONDS.toNanos(1);

    /** Blocks behind that one may share DataNodes with; with more they would only wait for each other. */
    private static final int MOST_SHARED = 2;

    private final FrameQueue queue;
    private final WriteConnections connections;
    private final StockStreamer stock;
    private final MetricRegistry metricRegistry;
    private final TrailingBlocks trailing;
    private final PipelineLimit limit;
    private final NodeSpeeds speeds;
    private final WriteThrough through;
    private final StockTurn stockTurn;
    private volatile @Nullable Selector selector;
    private volatile boolean waiting;
    private @Nullable BlockOpening opening;
    private @Nullable BlockSender block;

    /** The same, until there is another one. */
    private @Nullable BlockSender last;

    private boolean ended;
    private volatile boolean released;
    private Runnable whenEnded = () -> {};

    /** DataNodes of the block. */
    private int nodes;

    private String firstNode = "";

    /** Whether the block was opened anew, after some of it had been sent. */
    private boolean resumed;

    /** While a block's pipeline is set up again. */
    private @Nullable Recovery recovery;

    /**
     * A block whose pipeline failed.
     *
     * @param ackedBytes what all its DataNodes have
     * @param end where the end is all that is left; the DataNodes finalise the block then when they open it
     */
    private record Recovery(long ackedBytes, List<DataFrame> end) {
        boolean isOfEnd() {
            return !end.isEmpty();
        }
    }

    /**
     * For one file.
     *
     * @param speeds takes how fast DataNodes took them
     * @param retains whether its blocks have several replicas
     * @param limit of blocks that are written at one time
     * @param through the copies in memory that the DataNodes of a new block are asked for
     */
    FileSender(
            FramePool pool,
            WriteConnections connections,
            StockStreamer stock,
            MetricRegistry metricRegistry,
            NodeSpeeds speeds,
            boolean retains,
            PipelineLimit limit,
            WriteThrough through) {
        this.queue = new FrameQueue(pool, retains, this::wakeWaiting);
        this.connections = connections;
        this.stock = stock;
        this.stockTurn = new StockTurn(stock);
        this.metricRegistry = metricRegistry;
        this.trailing = new TrailingBlocks(queue, stock, metricRegistry);
        this.limit = limit;
        this.through = through;
        this.speeds = speeds;
    }

    FrameQueue queue() {
        return queue;
    }

    /**
     * Sends what is queued until the file ends, or a DataNode has no channel and stock's streamer, which is connected to it
     * then, goes on.
     *
     * @throws IOException when the file cannot be written any further
     */
    void run() throws IOException {
        try (Selector opened = Selector.open()) {
            selector = opened;
            BlockOpening fresh = new BlockOpening(connections, stock, opened, this::serveMeanwhile);
            opening = fresh;
            while (stock.isRunning() && !isLeft() && !isDone()) {
                advance(fresh);
            }
        } finally {
            selector = null;
        }
    }

    boolean isLeft() {
        return stockTurn.hasCome() && trailing.isEmpty();
    }

    /** Whether nobody writes to the file any more, and all DataNodes have it. */
    private boolean isDone() {
        return released && block == null && trailing.isEmpty() && !queue.hasUnsent();
    }

    /**
     * Nobody writes to the file any more. Any thread; the streamer may still run, if a wait for it was interrupted, or if the
     * file was closed before all DataNodes have all of it.
     *
     * @param then run once it has ended
     */
    void release(Runnable then) {
        boolean now;
        synchronized (this) {
            released = true;
            now = ended;
            if (now) {
                queue.end(List.of());
            } else {
                whenEnded = then;
            }
        }
        if (now) {
            then.run();
        } else {
            wake();
        }
    }

    /** After {@link #run}: what was not sent is stock's or nobody's. */
    void end() {
        dropSent();
        Runnable then;
        synchronized (this) {
            ended = true;
            if (released) {
                queue.end(List.of());
            }
            then = whenEnded;
        }
        then.run();
    }

    private void dropSent() {
        BlockSender current = block;
        block = null;
        boolean toStock = isLeft();
        trailing.end();
        if (toStock) {
            queue.leaveToStock();
        } else if (current == null) {
            queue.end(List.of());
        } else {
            queue.end(current.sent());
            BlockOpening.close(current.connection());
        }
    }

    private void advance(BlockOpening at) throws IOException {
        waiting = false;
        long leftNs = serve(System.nanoTime());
        trailing.complete(at);
        BlockSender current = block;
        if (current != null && current.isFinalised()) {
            block = null;
            measured(current);
            at.giveBack(current.connection());
            metricRegistry.increment(Metric.CLIENT_WRITE_BLOCKS);
            stock.blockEnded();
        } else if (current != null && current.fault() != null) {
            recover(current, current.fault());
        } else if (current != null && goesOn(current)) {
            block = null;
            measured(current);
            metricRegistry.increment(Metric.CLIENT_WRITE_BLOCKS_OVERLAPPED);
            trailing.add(current, stock.leaveBlock(current.endBytes()));
            nextBlock();
        } else if (current != null && current.isFinalisedByFirst() && queue.isAllSent()) {
            block = null;
            measured(current);
            trailing.add(current, stock.leaveBlock(current.endBytes()));
        } else if (current == null && mayBegin() && queue.hasUnsent()) {
            nextBlock();
        } else if (!isDone()) {
            if (current == null && !stockTurn.hasCome() && queue.isAllSent()) {
                queue.written();
            }
            await(at, leftNs);
        }
    }

    /**
     * Whether the next block begins before this one is everywhere. Where it goes to the same DataNodes, only one is behind; where it
     * shares the last ones of their pipelines, two.
     */
    private boolean goesOn(BlockSender current) {
        if (!current.isFinalisedByFirst() || !queue.hasUnsent() || trailing.size() >= limit.blocks() - 1) {
            return false;
        }
        return trailing.isEmpty()
                || stock.canExclude(trailing.nodes().size() + nodes)
                || (trailing.size() + 1 <= MOST_SHARED
                        && stock.canExclude(trailing.busiest().size() + Math.min(nodes, TrailingBlocks.LINK_NODES)));
    }

    /** The first DataNode has all of the block. */
    private void measured(BlockSender ended) {
        if (!resumed) {
            speeds.measured(firstNode, ended.endBytes(), ended.busyNs(), System.nanoTime());
        }
    }

    /** Whether a block may begin where none is sent. */
    private boolean mayBegin() {
        return !stockTurn.hasCome() && (!limit.replicasAwaited() || trailing.sizeWithout(last) == 0);
    }

    private void nextBlock() throws IOException {
        List<DatanodeInfo> busy = trailing.nodes();
        boolean shares = trailing.size() <= MOST_SHARED;
        // The NameNode does not ask how many DataNodes have the last one.
        boolean canWait = trailing.sizeWithout(last) > 0;
        if (stock.nextBlock(busy, shares ? trailing.busiest().size() : busy.size(), canWait)) {
            stockTurn.comes(block == null);
        } else {
            metricRegistry.increment(Metric.CLIENT_WRITE_BLOCKS_REFUSED);
            limit.awaitReplicas();
        }
    }

    /** Sends and takes in what can be at this time; says how long until that is to be done again, at most. */
    private long serve(long nowNs) {
        BlockSender current = block;
        long leftNs = current == null ? IDLE_NS : Math.min(IDLE_NS, current.advance(nowNs));
        return Math.min(
                Math.min(leftNs, trailing.advance(nowNs)),
                trailing.isEmpty() ? Long.MAX_VALUE : stockTurn.keepAlive(nowNs));
    }

    /** As {@link #serve}, while something else than the block that is sent is waited for. */
    private long serveMeanwhile(long nowNs) {
        // Whoever queued before the flag was set woke nobody.
        waiting = true;
        return serve(nowNs);
    }

    private void recover(BlockSender failed, IOException fault) throws IOException {
        block = null;
        queue.giveBack(failed.sent());
        if (!stock.isRunning()) {
            return;
        }
        metricRegistry.increment(Metric.CLIENT_WRITE_RECOVERIES);
        Recovery begun = new Recovery(failed.ackedBytes(), queue.peekEnd());
        recovery = begun;
        stock.recoverBlock(fault, begun.isOfEnd());
        recovery = null;
        if (begun.isOfEnd() && stock.isRunning()) {
            for (DataFrame frame : begun.end()) {
                queue.poll();
                queue.acked(frame);
            }
            metricRegistry.increment(Metric.CLIENT_WRITE_BLOCKS);
            stock.blockEnded();
        } else {
            stockTurn.comes(block == null && stock.isRunning());
        }
    }

    /** Waits until a connection is ready, there is more to send, {@link #wake}, or so long. */
    private void await(BlockOpening at, long longestNs) throws IOException {
        BlockSender current = block;
        waiting = true;
        // Whoever queued before the flag was set woke nobody.
        boolean more = current == null ? mayBegin() : current.takesMore() || goesOn(current);
        if (more && queue.hasUnsent()) {
            at.selectNow();
        } else {
            at.select(longestNs);
        }
        waiting = false;
    }

    /**
     * Opens a block at its DataNodes; what is queued goes there from now on.
     *
     * @param pipeline the first one opens it at the others
     * @param request Hadoop's request to write a block
     * @return {@link FileOutput#OPEN}, or the index of one that has no channel
     * @throws IOException when a DataNode refuses the block or fails
     */
    int open(DatanodeInfo[] pipeline, byte[] request, long answerTimeoutNs) throws IOException {
        BlockOpening at = opening;
        if (at == null) {
            throw new IllegalStateException("not in run()");
        }
        try {
            // A copy holds what a DataNode has received from the first byte on.
            Recovery again = recovery;
            DataFrame whole = again != null ? null : queue.peekWhole();
            BlockOpening.Request wanted = again != null
                    ? BlockOpening.Request.again(request, DataFrame.anySynced(again.end()))
                    : new BlockOpening.Request(request, through.flags(), whole);
            BlockOpening.Opened opened = open(at, pipeline[0], wanted, answerTimeoutNs);
            if (opened == null) {
                return 0;
            }
            WriteConnection connection = opened.connection();
            if (again != null && again.isOfEnd()) {
                at.giveBack(connection);
                return FileOutput.OPEN;
            }
            nodes = pipeline.length;
            firstNode = pipeline[0].getDatanodeUuid();
            resumed = again != null;
            long nowNs = System.nanoTime();
            BlockSender fresh = new BlockSender(
                    queue,
                    connection,
                    answerTimeoutNs,
                    stock.keepAliveNs(),
                    this,
                    again != null ? again.ackedBytes() : 0,
                    nowNs);
            block = fresh;
            last = fresh;
            if (whole != null) {
                queue.poll();
                fresh.sentWhole(whole, opened.unsent(), opened.ack(), nowNs);
                if (opened.ack() != null) {
                    metricRegistry.increment(Metric.CLIENT_WRITE_BLOCKS_WHOLE);
                }
            }
            return FileOutput.OPEN;
        } catch (PipelineException e) {
            if (e.status() != Status.ERROR_UNSUPPORTED) {
                throw e;
            }
            LOG.debug("A DataNode has no channel", e);
            return e.badNode(pipeline);
        }
    }

    private BlockOpening.@Nullable Opened open(
            BlockOpening at, DatanodeInfo node, BlockOpening.Request request, long answerTimeoutNs) throws IOException {
        DataFrame whole = request.whole();
        if (whole != null) {
            BlockSender.beforeSending(whole);
        }
        BlockOpening.Opened opened = null;
        try {
            opened = at.open(node, request, answerTimeoutNs, recovery != null);
            return opened;
        } finally {
            if (opened == null) {
                BlockSender.sent(whole);
            }
        }
    }

    @Override
    public void sending(long blockBytes) {
        stock.sending(blockBytes);
    }

    @Override
    public void acknowledged(long blockBytes, long freshBytes) {
        metricRegistry.add(Metric.CLIENT_WRITE_BYTES, freshBytes);
        stock.acknowledged(blockBytes);
    }

    /** Ends a wait of {@link #run}. Any thread. */
    void wake() {
        Selector opened = selector;
        if (opened != null) {
            opened.wakeup();
        }
    }

    private void wakeWaiting() {
        if (waiting) {
            wake();
        }
    }
}
