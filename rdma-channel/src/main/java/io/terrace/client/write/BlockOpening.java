package io.terrace.client.write;

import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.write.ConnectionEndedException;
import io.terrace.channel.write.WriteConnection;
import io.terrace.channel.write.WriteFrame;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.Selector;
import java.util.function.LongUnaryOperator;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens blocks at DataNodes. What else the file's thread sends goes on while a DataNode's answer is awaited. */
final class BlockOpening {
    private static final Logger LOG = LoggerFactory.getLogger(BlockOpening.class);
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final WriteConnections connections;
    private final StockStreamer stock;
    private final Selector selector;
    private final LongUnaryOperator others;

    /**
     * For one file.
     *
     * @param selector that its connections are registered with
     * @param others serves them at this time, and says how long until it is to be called again, at most
     */
    BlockOpening(WriteConnections connections, StockStreamer stock, Selector selector, LongUnaryOperator others) {
        this.connections = connections;
        this.stock = stock;
        this.selector = selector;
        this.others = others;
    }

    /**
     * What a DataNode is asked for.
     *
     * @param body Hadoop's request to write a block
     * @param flags of the OPEN frame
     * @param whole all of the block, to be sent with the request; null where frames are sent after the answer
     */
    record Request(byte[] body, byte flags, @Nullable DataFrame whole) {
        /**
         * For a replica that was there before.
         *
         * @param sync whether it is to be on the disk; only where the request is to finalise it
         */
        static Request again(byte[] body, boolean sync) {
            return new Request(body, sync ? WriteFrame.SYNC_REPLICA : 0, null);
        }

        private ByteBuffer open() {
            return Handshake.open(body, flags, whole == null ? 0 : whole.dataBytes());
        }
    }

    /**
     * A block that is open at its DataNode.
     *
     * @param connection registered with the selector
     * @param unsent of the frame that was sent with the request, what the socket has not taken yet
     * @param ack of that frame; null when the DataNode has only said that the block is open
     */
    record Opened(WriteConnection connection, ByteBuffer unsent, WriteConnection.@Nullable Received ack) {}

    /**
     * Opens a block.
     *
     * @param anyway whether the DataNode is asked also where it had no channel lately
     * @return null when the DataNode has no channel
     * @throws IOException when it refuses the block or fails
     */
    @Nullable
    Opened open(DatanodeInfo node, Request request, long answerTimeoutNs, boolean anyway) throws IOException {
        WriteConnection idle = connections.takeIdle(node);
        if (idle != null) {
            try {
                return open(idle, request, answerTimeoutNs);
            } catch (ConnectionEndedException e) {
                LOG.debug("An idle connection to {} has ended", node, e);
            }
        }
        WriteConnection fresh = anyway ? connections.connectAnyway(node) : connections.connect(node);
        if (fresh == null) {
            return null;
        }
        try {
            return open(fresh, request, answerTimeoutNs);
        } catch (ConnectionEndedException e) {
            connections.pause(node, e);
            return null;
        }
    }

    private Opened open(WriteConnection connection, Request request, long answerTimeoutNs) throws IOException {
        boolean isOpen = false;
        try {
            connection.register(selector);
            DataFrame whole = request.whole();
            Opened opened =
                    handshake(connection, request.open(), whole == null ? NOTHING : whole.wire(1), answerTimeoutNs);
            isOpen = true;
            return opened;
        } finally {
            if (!isOpen) {
                close(connection);
            }
        }
    }

    private Opened handshake(WriteConnection connection, ByteBuffer open, ByteBuffer data, long answerTimeoutNs)
            throws IOException {
        boolean isWhole = data.hasRemaining();
        long deadlineNs = System.nanoTime() + answerTimeoutNs;
        while (true) {
            boolean sent = isWhole ? connection.send(open, data) : connection.send(open);
            connection.awaitOutput(!sent);
            connection.fill();
            WriteConnection.Received answer = connection.next();
            if (answer != null) {
                if (isWhole && sent && answer.frame().type() == WriteFrame.ACK) {
                    return new Opened(connection, data, answer);
                }
                Handshake.check(answer);
                if (open.hasRemaining()) {
                    throw new MalformedMessageException("a block is open before it was asked for");
                }
                return new Opened(connection, data, null);
            }
            long nowNs = System.nanoTime();
            long leftNs = deadlineNs - nowNs;
            if (leftNs <= 0) {
                throw new SocketTimeoutException("the block was not opened in time");
            }
            if (!stock.isRunning()) {
                throw new InterruptedIOException("the file was closed while a block was opened");
            }
            await(leftNs);
        }
    }

    /** Serves all other connections, then waits as {@link #select}. */
    void await(long longestNs) throws IOException {
        select(Math.min(longestNs, others.applyAsLong(System.nanoTime())));
    }

    /** Waits until a connection is ready, or so long. */
    void select(long longestNs) throws IOException {
        stock.await(selector, longestNs);
        WriteConnection.takeSelected(selector);
    }

    /** Looks which connections are ready. */
    void selectNow() throws IOException {
        selector.selectNow();
        WriteConnection.takeSelected(selector);
    }

    /** The block is finalised: the connection may serve another one. */
    void giveBack(WriteConnection connection) throws IOException {
        connection.deregister(selector);
        connections.giveBack(connection);
    }

    static void close(WriteConnection connection) {
        try {
            connection.close();
        } catch (IOException e) {
            LOG.debug("Closing a connection for writes", e);
        }
    }
}
