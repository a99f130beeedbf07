package io.terrace.placement.hdfs;

import io.terrace.conf.PlacementPort;
import io.terrace.conf.TerraceSettings;
import java.net.InetSocketAddress;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.DFSUtil;
import org.apache.hadoop.hdfs.HAUtil;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.net.NetUtils;
import org.jspecify.annotations.Nullable;

/** Where the service of a NameNode listens; see {@link TerraceSettings#PLACEMENT_RPC_ADDRESS}. */
record ListenAddress(String bindHost, int port) {

    static ListenAddress of(NameNode nameNode, Configuration conf) {
        String nameservice = DFSUtil.getNamenodeNameServiceId(conf);
        String nameNodeId = HAUtil.getNameNodeId(conf, nameservice);
        String address = null;
        for (String suffix : new String[] {join(nameservice, nameNodeId), join(nameservice, null), ""}) {
            if (address == null && suffix != null) {
                address = conf.getTrimmed(TerraceSettings.PLACEMENT_RPC_ADDRESS.key() + suffix);
            }
        }
        String bindHost = conf.getTrimmed(
                TerraceSettings.PLACEMENT_RPC_BIND_HOST.key(),
                conf.getTrimmed(DFSConfigKeys.DFS_NAMENODE_RPC_BIND_HOST_KEY, ""));
        int defaultPort = PlacementPort.of(conf, nameNode.getNameNodeAddress().getPort());
        InetSocketAddress wanted;
        if (address == null || address.isEmpty()) {
            wanted = new InetSocketAddress(nameNode.getNameNodeAddress().getHostName(), defaultPort);
        } else {
            wanted = NetUtils.createSocketAddr(address, defaultPort, TerraceSettings.PLACEMENT_RPC_ADDRESS.key());
        }
        return new ListenAddress(bindHost.isEmpty() ? wanted.getHostName() : bindHost, wanted.getPort());
    }

    private static @Nullable String join(@Nullable String nameservice, @Nullable String nameNode) {
        if (nameservice == null) {
            return null;
        }
        return "." + nameservice + (nameNode == null ? "" : "." + nameNode);
    }
}
