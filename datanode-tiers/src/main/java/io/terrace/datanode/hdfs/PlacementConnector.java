package io.terrace.datanode.hdfs;

import io.terrace.datanode.heartbeat.HeartbeatAgent;
import io.terrace.protocol.PlacementDataNodePB;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.io.retry.RetryPolicies;
import org.apache.hadoop.ipc.ProtobufRpcEngine2;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * Connects to a placement service with Hadoop's RPC, as the DataNode's own user and with its security. One attempt, with
 * short timeouts: the next heartbeat is the retry.
 */
final class PlacementConnector implements HeartbeatAgent.Connector {

    /** Many times the longest interval of heartbeats. By default it is as long as that one, and each heartbeat would connect. */
    private static final int MAX_IDLE_MS = 120_000;

    private final Configuration conf;
    private final InetSocketAddress address;
    private final int timeoutMs;

    PlacementConnector(Configuration datanodeConf, InetSocketAddress address, int timeoutMs) {
        this.conf = new Configuration(datanodeConf);
        this.address = address;
        this.timeoutMs = timeoutMs;
        conf.setInt(CommonConfigurationKeysPublic.IPC_CLIENT_CONNECT_MAX_RETRIES_KEY, 0);
        conf.setInt(CommonConfigurationKeysPublic.IPC_CLIENT_CONNECT_MAX_RETRIES_ON_SOCKET_TIMEOUTS_KEY, 0);
        conf.setInt(CommonConfigurationKeysPublic.IPC_CLIENT_CONNECT_TIMEOUT_KEY, timeoutMs);
        conf.setInt(CommonConfigurationKeysPublic.IPC_CLIENT_CONNECTION_MAXIDLETIME_KEY, MAX_IDLE_MS);
        RPC.setProtocolEngine(conf, PlacementDataNodePB.class, ProtobufRpcEngine2.class);
    }

    @Override
    public PlacementDataNodePB connect() throws IOException {
        // Resolved each time: the NameNode may have another address by now. If the old one drops packets, no error
        // tells
        // RPC to look it up again.
        InetSocketAddress resolved = NetUtils.createSocketAddrForHost(address.getHostString(), address.getPort());
        return RPC.getProtocolProxy(
                        PlacementDataNodePB.class,
                        RPC.getProtocolVersion(PlacementDataNodePB.class),
                        resolved,
                        UserGroupInformation.getLoginUser(),
                        conf,
                        NetUtils.getDefaultSocketFactory(conf),
                        timeoutMs,
                        RetryPolicies.TRY_ONCE_THEN_FAIL,
                        null)
                .getProxy();
    }

    @Override
    public void disconnect(PlacementDataNodePB service) {
        RPC.stopProxy(service);
    }
}
