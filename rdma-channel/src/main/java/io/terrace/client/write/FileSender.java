package io.terrace.client.write;

import io.terrace.channel.write.ConnectionEndedException;
import io.terrace.channel.write.WriteConnection;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.Selector;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.Status;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends a file block by block. It asks for a block when there is data for it and all DataNodes have finalised the one
 * before. What not all DataNodes have when one of them fails is sent again to those that are left. Used by the thread of stock's
 * streamer, but for {@link #wake}.
 */
final class FileSender implements BlockSender.Progress {
    private static final Logger LOG = LoggerFactory.getLogger(FileSender.class);
    private static final long IDLE_NS = TimeUnit.SECONDS.toNanos(1);

    private final FrameQueue queue;
    private final WriteConnections connections;
    private final StockStreamer stock;
    private final MetricRegistry metricRegistry;
    private volatile @Nullable Selector selector;
    private volatile boolean waiting;
    private @Nullable BlockSender block;
    private boolean left;

    /** Whether a block's pipeline is set up again. */
    private boolean recovering;

    /** Whether that is all: the DataNodes finalise the block when they open it. */
    private boolean ending;

    FileSender(FramePool pool, WriteConnections connections, StockStreamer stock, MetricRegistry metricRegistry) {
        this.queue = new FrameQueue(pool, this::wakeWaiting);
        this.connections = connections;
        this.stock = stock;
        this.metricRegistry = metricRegistry;
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
            while (stock.isRunning() && !left) {
                BlockSender current = block;
                if (current != null) {
                    send(current, opened);
                } else if (queue.hasUnsent()) {
                    stock.nextBlock();
                    left = block == null;
                } else {
                    await(opened, IDLE_NS);
                }
            }
        } finally {
            selector = null;
        }
    }

    boolean isLeft() {
        return left;
    }

    /** After {@link #run}: what was not sent is stock's or nobody's. */
    void end() {
        BlockSender current = block;
        block = null;
        if (left) {
            queue.leaveToStock();
        } else if (current == null) {
            queue.end(List.of());
        } else {
            queue.end(current.sent());
            close(current.connection());
        }
    }

    private void send(BlockSender current, Selector opened) throws IOException {
        try {
            advance(current, opened);
        } catch (IOException e) {
            recover(current, current.said(e));
        }
    }

    private void recover(BlockSender failed, IOException fault) throws IOException {
        block = null;
        close(failed.connection());
        queue.giveBack(failed.sent());
        DataFrame next = queue.peek();
        ending = next != null && next.isEnd();
        if (!stock.isRunning()) {
            return;
        }
        metricRegistry.increment(Metric.CLIENT_WRITE_RECOVERIES);
        recovering = true;
        stock.recoverBlock(fault, ending);
        recovering = false;
        if (ending && next != null && stock.isRunning()) {
            queue.poll();
            queue.acked(next);
            blockEnded();
        } else {
            left = block == null && stock.isRunning();
        }
        ending = false;
    }

    private void blockEnded() {
        metricRegistry.increment(Metric.CLIENT_WRITE_BLOCKS);
        stock.blockEnded();
    }

    private void advance(BlockSender current, Selector opened) throws IOException {
        long nowNs = System.nanoTime();
        current.send(nowNs);
        long leftNs = current.keepAlive(nowNs);
        current.connection().awaitOutput(current.hasUnsent());
        await(opened, leftNs);
        if (current.connection().isReadable()) {
            current.receive(System.nanoTime());
        }
        if (current.isFinalised()) {
            block = null;
            current.connection().deregister(opened);
            connections.giveBack(current.connection());
            blockEnded();
        }
    }

    /** Waits until a connection is ready, there is more to send, {@link #wake}, or so long. */
    private void await(Selector opened, long longestNs) throws IOException {
        waiting = true;
        BlockSender current = block;
        // Whoever queued before the flag was set woke nobody.
        if ((current == null || current.takesMore()) && queue.hasUnsent()) {
            opened.selectNow();
        } else {
            opened.select(Math.max(1, TimeUnit.NANOSECONDS.toMillis(longestNs)));
        }
        waiting = false;
        opened.selectedKeys().clear();
    }

    /**
     * Opens a block at its DataNodes; what is queued goes there from now on.
     *
     * @param nodes the first one opens it at the others
     * @param request Hadoop's request to write a block
     * @return false when one of them has no channel
     * @throws IOException when a DataNode refuses the block or fails
     */
    boolean open(DatanodeInfo[] nodes, byte[] request, long answerTimeoutNs) throws IOException {
        try {
            return openAt(nodes[0], request, answerTimeoutNs);
        } catch (PipelineException e) {
            if (e.status() != Status.ERROR_UNSUPPORTED) {
                throw e;
            }
            LOG.debug("A block is left to stock", e);
            return false;
        }
    }

    private boolean openAt(DatanodeInfo node, byte[] request, long answerTimeoutNs) throws IOException {
        WriteConnection idle = connections.takeIdle(node);
        if (idle != null) {
            try {
                open(idle, request, answerTimeoutNs);
                return true;
            } catch (ConnectionEndedException e) {
                LOG.debug("An idle connection to {} has ended", node, e);
            }
        }
        WriteConnection fresh = recovering ? connections.connectAnyway(node) : connections.connect(node);
        if (fresh == null) {
            return false;
        }
        try {
            open(fresh, request, answerTimeoutNs);
            return true;
        } catch (ConnectionEndedException e) {
            connections.pause(node, e);
            return false;
        }
    }

    private void open(WriteConnection connection, byte[] request, long answerTimeoutNs) throws IOException {
        Selector opened = selector;
        boolean isOpen = false;
        try {
            if (opened == null) {
                throw new IllegalStateException("not in run()");
            }
            connection.register(opened);
            handshake(connection, opened, request, answerTimeoutNs);
            if (!ending) {
                block = new BlockSender(
                        queue, connection, answerTimeoutNs, stock.keepAliveNs(), this, System.nanoTime());
                isOpen = true;
            }
        } finally {
            if (!isOpen) {
                close(connection);
            }
        }
    }

    private void handshake(WriteConnection connection, Selector opened, byte[] request, long answerTimeoutNs)
            throws IOException {
        ByteBuffer frame = Handshake.open(request);
        long deadlineNs = System.nanoTime() + answerTimeoutNs;
        while (true) {
            connection.awaitOutput(!connection.send(frame));
            connection.fill();
            WriteConnection.Received answer = connection.next();
            if (answer != null) {
                Handshake.check(answer);
                return;
            }
            long leftMs = TimeUnit.NANOSECONDS.toMillis(deadlineNs - System.nanoTime());
            if (leftMs <= 0) {
                throw new SocketTimeoutException("the block was not opened in time");
            }
            if (!stock.isRunning()) {
                throw new InterruptedIOException("the file was closed while a block was opened");
            }
            opened.select(leftMs);
            opened.selectedKeys().clear();
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

    private static void close(Closeable connection) {
        try {
            connection.close();
        } catch (IOException e) {
            LOG.debug("Closing a connection for writes", e);
        }
    }
}
