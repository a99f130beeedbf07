package io.terrace.datanode.hdfs.write;

import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.tcp.TcpFrame;
import io.terrace.channel.write.ConnectionEndedException;
import io.terrace.channel.write.IdleConnections;
import io.terrace.channel.write.WriteConnection;
import io.terrace.channel.write.WriteFrame;
import io.terrace.channel.write.WriteThrough;
import io.terrace.datanode.write.NextNode;
import io.terrace.datanode.write.NextNodeException;
import io.terrace.datanode.write.NextOpening;
import io.terrace.datanode.write.WholeBlock;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedByInterruptException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeFaultInjector;
import org.apache.hadoop.hdfs.server.datanode.TerraceWriteAccess;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.security.UserGroupInformation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens blocks at the next DataNodes of their pipelines, over tcp to the port that is as far from the transfer port as this
 * DataNode's. Connections are kept for the next block for a few seconds. Thread-safe.
 */
final class NextNodes {
    private static final Logger LOG = LoggerFactory.getLogger(NextNodes.class);
    private static final int CONNECT_MS = 5_000;

    private final DataNode datanode;
    private final int portOffset;

    /** As for clients: where security is on, only a port that needs root proves that it is the DataNode's. */
    private final int mostPort = UserGroupInformation.isSecurityEnabled() ? 1023 : 65_535;

    private final IdleConnections idle = new IdleConnections();

    /** @param portOffset from a DataNode's transfer port to its tcp channel; 0 when there are none */
    NextNodes(DataNode datanode, int portOffset) {
        this.datanode = datanode;
        this.portOffset = portOffset;
    }

    /**
     * Opens a block at the first of its targets; null when there is none.
     *
     * @param through the copies in memory that it is asked for
     */
    @Nullable
    NextNode open(WriteRequest request, WriteThrough through) throws IOException {
        return request.targets().isEmpty() ? null : open(request, through.flags(), null);
    }

    /** Has its targets finalise their replicas of a block and sync them; null when there are none. */
    @Nullable
    NextNode finaliseSynced(WriteRequest request) throws IOException {
        return request.targets().isEmpty() ? null : open(request, WriteFrame.SYNC_REPLICA, null);
    }

    /** Writes a block at its targets, of which there is one; returns when all have finalised it. */
    void write(WriteRequest request, WriteThrough through, WholeBlock whole) throws IOException {
        NextNode next = open(request, through.flags(), whole);
        idle.give(next.connection());
    }

    private NextNode open(WriteRequest request, byte flags, @Nullable WholeBlock whole) throws IOException {
        DatanodeInfo node = request.targets().get(0);
        long timeoutNs = TimeUnit.MILLISECONDS.toNanos(
                TerraceWriteAccess.answerTimeoutMs(datanode, request.targets().size()));
        DataNodeFaultInjector.get().failMirrorConnection();
        try {
            return open(node, new Asked(request.forTarget(), flags, whole), timeoutNs);
        } catch (SocketTimeoutException e) {
            // It is an InterruptedIOException too, but nobody interrupted this thread: the next DataNode is silent.
            throw NextNodeException.failed(node.getXferAddr(), e);
        } catch (NextNodeException | InterruptedIOException | ClosedByInterruptException e) {
            throw e;
        } catch (IOException | IllegalArgumentException e) {
            throw NextNodeException.failed(node.getXferAddr(), e);
        }
    }

    /** What a DataNode is asked for: Hadoop's request, flags of the OPEN frame, and all of the block, where that is sent with it. */
    private record Asked(byte[] request, byte flags, @Nullable WholeBlock whole) {}

    private NextNode open(DatanodeInfo node, Asked asked, long timeoutNs) throws IOException {
        InetSocketAddress address = address(node);
        WriteConnection used = idle.take(address.toString());
        if (used != null) {
            try {
                return open(used, node, asked, timeoutNs);
            } catch (ConnectionEndedException e) {
                LOG.debug("An idle connection to {} has ended", node, e);
            }
        }
        WriteConnection fresh = connect(node, address);
        try {
            return open(fresh, node, asked, timeoutNs);
        } catch (ConnectionEndedException e) {
            // It takes a connection and closes it where it has as many as it may, or serves reads alone.
            checkGone(node, e);
            throw NextNodeException.withoutChannel(node.getXferAddr());
        }
    }

    private NextNode open(WriteConnection connection, DatanodeInfo node, Asked asked, long timeoutNs)
            throws IOException {
        boolean opened = false;
        try (NextOpening opening = new NextOpening(connection, timeoutNs)) {
            WholeBlock whole = asked.whole();
            if (whole != null) {
                DataNodeFaultInjector.get().stopSendingPacketDownstream(node.getXferAddr());
            }
            byte[] answer = whole == null
                    ? opening.open(asked.request(), asked.flags())
                    : opening.write(asked.request(), asked.flags(), whole, Answers::isSuccess);
            DataNodeFaultInjector.get().writeBlockAfterFlush();
            if (answer != null) {
                Answers.check(node.getXferAddr(), answer);
                if (whole != null) {
                    throw new MalformedMessageException("the block is not written, and the answer is success");
                }
            }
            opened = true;
            return new NextNode(connection, node.getXferAddr(), timeoutNs, keepAliveNs(), idle::give);
        } finally {
            if (!opened) {
                connection.close();
            }
        }
    }

    /** Half of what a DataNode waits for who writes to it: the settings of DataNodes are the same. */
    private long keepAliveNs() {
        return TimeUnit.MILLISECONDS.toNanos(TerraceWriteAccess.readTimeoutMs(datanode)) / 2;
    }

    private InetSocketAddress address(DatanodeInfo node) throws IOException {
        int port = node.getXferPort() + portOffset;
        if (portOffset == 0 || port < 1 || port > mostPort) {
            throw NextNodeException.withoutChannel(node.getXferAddr());
        }
        return NetUtils.createSocketAddrForHost(host(node), port);
    }

    /** Named by its address: what a request says of the DataNode there is the client's word, which others must not suffer from. */
    private WriteConnection connect(DatanodeInfo node, InetSocketAddress address) throws IOException {
        try {
            return WriteConnection.connect(
                    address.toString(), address, TcpFrame.startWrites(), TimeUnit.MILLISECONDS.toNanos(CONNECT_MS));
        } catch (IOException e) {
            if (Thread.currentThread().isInterrupted()) {
                // It says nothing of that DataNode.
                throw new InterruptedIOException("interrupted while connecting to the next DataNode");
            }
            checkGone(node, e);
            throw NextNodeException.withoutChannel(node.getXferAddr());
        }
    }

    private String host(DatanodeInfo node) {
        return TerraceWriteAccess.connectsByHostname(datanode) ? node.getHostName() : node.getIpAddr();
    }

    /** Fails when the DataNode does not listen for stock's clients either: then it is not only its channel that is missing. */
    private void checkGone(DatanodeInfo node, IOException why) throws IOException {
        InetSocketAddress address = NetUtils.createSocketAddrForHost(host(node), node.getXferPort());
        try (Socket socket = new Socket()) {
            socket.connect(address, CONNECT_MS);
        } catch (IOException e) {
            e.addSuppressed(why);
            throw e;
        }
    }
}
