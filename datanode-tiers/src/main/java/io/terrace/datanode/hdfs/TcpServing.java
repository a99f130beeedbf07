package io.terrace.datanode.hdfs;

import io.terrace.channel.server.AnnouncedBlocks;
import io.terrace.channel.server.GrantService;
import io.terrace.channel.server.OneSidedRanges;
import io.terrace.channel.server.TcpGrantServer;
import io.terrace.channel.shm.LinkDirectory;
import io.terrace.channel.tcp.TcpLimits;
import io.terrace.conf.TerraceSettings;
import io.terrace.datanode.replica.ReplicaChecksums;
import io.terrace.datanode.replica.ReplicaSource;
import io.terrace.metrics.MetricRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.security.UserGroupInformation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whether and where a DataNode serves its memory and NVM to clients of other hosts. */
final class TcpServing {

    private static final Logger LOG = LoggerFactory.getLogger(TcpServing.class);

    /** As stock's data transfer without SASL, the channel is trusted on a port that only root can listen on. */
    private static final int MOST_PRIVILEGED_PORT = 1023;

    private TcpServing() {}

    /**
     * Starts to serve them at the transfer port plus {@code terrace.channel.tcp.port.offset}.
     *
     * @param oneSided another way to what is granted
     * @return null when the operator does not want it, where data transfer is to be protected or encrypted, which this
     *     channel does not do, and where the port is taken: then they read through stock HDFS
     */
    static @Nullable TcpGrantServer serve(
            DataNode datanode,
            AnnouncedBlocks blocks,
            LinkDirectory links,
            GrantService grantService,
            ReplicaSource replicas,
            OneSidedRanges oneSided,
            MetricRegistry metricRegistry) {
        Configuration conf = datanode.getConf();
        int offset = TerraceSettings.CHANNEL_TCP_PORT_OFFSET.get(conf);
        if (offset == 0) {
            return null;
        }
        InetSocketAddress transfer = datanode.getXferAddress();
        int port = transfer.getPort() + offset;
        String protection = protection(conf, UserGroupInformation.isSecurityEnabled(), port);
        if (!protection.isEmpty()) {
            LOG.warn("Clients of other hosts read through stock HDFS: {}", protection);
            return null;
        }
        TcpLimits byDefault = TcpLimits.DEFAULT;
        TcpLimits limits = new TcpLimits(
                byDefault.connections(),
                byDefault.addressConnections(),
                TerraceSettings.CHANNEL_TCP_THREADS.get(conf),
                byDefault.operations(),
                byDefault.bytesInFlight(),
                byDefault.requestTimeoutMs(),
                byDefault.idleTimeoutMs());
        long checksumMaxBytes = TerraceSettings.CHANNEL_TCP_CHECKSUMS_MAX.get(conf);
        try {
            TcpGrantServer server = new TcpGrantServer(
                    new InetSocketAddress(transfer.getAddress(), port),
                    datanode.getDatanodeUuid(),
                    blocks,
                    links,
                    grantService,
                    new ReplicaChecksums(replicas),
                    checksumMaxBytes,
                    oneSided,
                    limits,
                    metricRegistry);
            LOG.info("Serving memory to clients of other hosts at {}", server.address());
            return server;
        } catch (IOException | IllegalArgumentException e) {
            LOG.error(
                    "Clients of other hosts read through stock HDFS: cannot serve them at port {}; set {}",
                    port,
                    TerraceSettings.CHANNEL_TCP_PORT_OFFSET.key(),
                    e);
            return null;
        }
    }

    /**
     * Why blocks may not cross the network by tcp or RDMA, which neither sign nor encrypt; empty where they may.
     *
     * @param secure whether the cluster has Kerberos
     * @param port that the tcp channel would be served at
     */
    static String protection(Configuration conf, boolean secure, int port) {
        if (conf.getBoolean(
                DFSConfigKeys.DFS_ENCRYPT_DATA_TRANSFER_KEY, DFSConfigKeys.DFS_ENCRYPT_DATA_TRANSFER_DEFAULT)) {
            return DFSConfigKeys.DFS_ENCRYPT_DATA_TRANSFER_KEY + " is set, and the channel does not encrypt";
        }
        String wanted = conf.getTrimmed(DFSConfigKeys.DFS_DATA_TRANSFER_PROTECTION_KEY, "");
        if (!wanted.isEmpty()) {
            return DFSConfigKeys.DFS_DATA_TRANSFER_PROTECTION_KEY + " is " + wanted
                    + ", and the channel neither signs nor encrypts";
        }
        return secure && port > MOST_PRIVILEGED_PORT
                ? "security is on, and port " + port + " proves nothing of who listens"
                : "";
    }
}
