package io.terrace.client.write;

import io.terrace.channel.Message;
import io.terrace.channel.MessageCodec;
import io.terrace.channel.shm.SocketDirectory;
import io.terrace.channel.tcp.TcpFrame;
import io.terrace.channel.write.IdleConnections;
import io.terrace.channel.write.LandingClient;
import io.terrace.channel.write.WriteConnection;
import io.terrace.client.ClientConfig;
import io.terrace.client.landing.RdmaLanding;
import io.terrace.client.landing.WindowConnector;
import io.terrace.common.LogThrottle;
import io.terrace.metrics.MetricRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.net.NetUtils;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connections for writes to the DataNodes: over the Unix socket to one of this host, over tcp to any other and where the socket
 * cannot be used. A DataNode that has no channel is not asked again for a pause. Thread-safe.
 */
final class WriteConnections {
    private static final Logger LOG = LoggerFactory.getLogger(WriteConnections.class);
    private static final long PAUSE_NS = TimeUnit.SECONDS.toNanos(30);

    /** A SYN that is lost is sent again after a second, which a block can wait for rather than a read. */
    private static final long PATIENT_NS = TimeUnit.MILLISECONDS.toNanos(1_500);

    /** Pauses that are remembered; beyond them all are forgotten. */
    private static final int MAX_PAUSED = 8192;

    private final ClientConfig.Local local;
    private final ClientConfig.Remote remote;
    private final boolean useLocal;
    private final WindowConnector windows;
    private final MetricRegistry metricRegistry;
    private final IdleConnections idle = new IdleConnections();
    private final Map<String, Long> pausedUntilNs = new ConcurrentHashMap<>();

    /** Whether any DataNode has answered by tcp. */
    private volatile boolean tcpServes;

    /** Of sockets; logged once, until one works again. */
    private final LogThrottle failures = LogThrottle.once();

    WriteConnections(ClientConfig settings, WindowConnector windows, MetricRegistry metricRegistry) {
        this.metricRegistry = metricRegistry;
        this.windows = windows;
        this.local = settings.local();
        this.remote = settings.remote();
        this.useLocal = settings.localReads();
    }

    /** One that was used before; null when there is none. */
    @Nullable
    WriteConnection takeIdle(DatanodeInfo node) {
        return idle.take(node.getDatanodeUuid());
    }

    /** Its block is finalised. */
    void giveBack(WriteConnection connection) {
        idle.give(connection);
    }

    /** Closes all that nobody uses now. */
    void closeIdle() {
        idle.close();
    }

    /** A new one; null when the DataNode has no channel, or had none lately. */
    @Nullable
    WriteConnection connect(DatanodeInfo node) {
        return isPaused(node) ? null : connectAnyway(node);
    }

    private boolean isPaused(DatanodeInfo node) {
        Long until = pausedUntilNs.get(node.getDatanodeUuid());
        return until != null && until - System.nanoTime() > 0;
    }

    /** As {@link #connect}, also where the DataNode had none lately: it may have been gone, and be back. */
    @Nullable
    WriteConnection connectAnyway(DatanodeInfo node) {
        Exception why = null;
        WriteConnection connection = null;
        try {
            connection = connectLocally(node);
        } catch (IOException | IllegalArgumentException e) {
            why = e;
            noSocket(node, e);
        }
        try {
            connection = connection == null ? connectRemotely(node) : connection;
        } catch (IOException | IllegalArgumentException e) {
            why = e;
        }
        if (connection != null) {
            pausedUntilNs.remove(node.getDatanodeUuid());
        } else if (why != null) {
            pause(node, why);
        }
        return connection;
    }

    private void noSocket(DatanodeInfo node, Exception why) {
        if (failures.first()) {
            LOG.info("No writes over the Unix socket of {}, tcp serves where it is on: {}", node, why.toString());
        } else {
            LOG.debug("No writes over the Unix socket of {}", node, why);
        }
    }

    /** The DataNode does not take writes over a channel. */
    void pause(DatanodeInfo node, Exception why) {
        LOG.debug("No writes over a channel to {} for {} s", node, TimeUnit.NANOSECONDS.toSeconds(PAUSE_NS), why);
        if (pausedUntilNs.size() >= MAX_PAUSED) {
            pausedUntilNs.clear();
        }
        pausedUntilNs.put(node.getDatanodeUuid(), System.nanoTime() + PAUSE_NS);
    }

    private @Nullable WriteConnection connectLocally(DatanodeInfo node) throws IOException {
        Path directory = local.channelDirectory();
        if (!useLocal || directory == null || !Files.isDirectory(directory)) {
            return null;
        }
        SocketDirectory sockets = SocketDirectory.check(directory);
        Path socket = sockets.socket(node.getDatanodeUuid());
        if (!Files.exists(socket)) {
            return null;
        }
        sockets.requireOwner(local.owners(), SocketDirectory.ownUid());
        WriteConnection connection = WriteConnection.connect(
                node.getDatanodeUuid(),
                UnixDomainSocketAddress.of(socket),
                MessageCodec.encode(new Message.StartWrites()),
                remote.connectTimeoutNs());
        failures.reset();
        return connection;
    }

    private @Nullable WriteConnection connectRemotely(DatanodeInfo node) throws IOException {
        int port = node.getXferPort() + remote.portOffset();
        if (remote.portOffset() == 0 || !remote.trusts(port)) {
            return null;
        }
        String host = remote.byHostname() ? node.getHostName() : node.getIpAddr();
        InetSocketAddress address = NetUtils.createSocketAddrForHost(host, port);
        String datanode = node.getDatanodeUuid();
        boolean window = windows.wants(datanode);
        LandingClient landing = window ? new RdmaLanding(windows, datanode, metricRegistry) : LandingClient.NONE;
        WriteConnection connection = WriteConnection.connect(
                datanode, address, TcpFrame.startWrites(window), landing, connectTimeoutNs(datanode));
        tcpServes = true;
        return connection;
    }

    /** Long only where it is likely to be answered: a host that is gone, or a firewall, would cost that for file after file. */
    private long connectTimeoutNs(String datanode) {
        boolean likely = tcpServes && !pausedUntilNs.containsKey(datanode);
        return likely ? Math.max(PATIENT_NS, remote.connectTimeoutNs()) : remote.connectTimeoutNs();
    }
}
