package io.terrace.placementctl.client;

import io.terrace.conf.PlacementPort;
import io.terrace.conf.TerraceSettings;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DFSUtilClient;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.net.NetUtils;
import org.jspecify.annotations.Nullable;

/** Where the placement services of a cluster listen, by its configuration: one per NameNode. */
final class ServiceAddresses {

    private ServiceAddresses() {}

    /**
     * All NameNodes of a name service.
     *
     * @param nameservice null for the one of {@code fs.defaultFS}, or the only one
     * @throws IllegalArgumentException when the configuration names no NameNode, or does not say which are meant, with what
     *     to set
     */
    static List<InetSocketAddress> of(Configuration conf, @Nullable String nameservice) {
        List<InetSocketAddress> addresses = new ArrayList<>();
        Map<String, Map<String, InetSocketAddress>> nameNodes = DFSUtilClient.getAddresses(
                conf, defaultAddress(conf), HdfsClientConfigKeys.DFS_NAMENODE_RPC_ADDRESS_KEY);
        String meant = nameservice == null ? meant(conf, nameNodes.keySet()) : nameservice;
        nameNodes.forEach((service, byId) -> {
            if (meant == null || meant.equals(service)) {
                byId.forEach((id, address) -> addresses.add(of(conf, service, id, address)));
            }
        });
        String stated = conf.getTrimmed(TerraceSettings.PLACEMENT_RPC_ADDRESS.key(), "");
        if (addresses.isEmpty() && nameservice == null && !stated.isEmpty()) {
            addresses.add(NetUtils.createSocketAddr(
                    stated, PlacementPort.of(conf, HdfsClientConfigKeys.DFS_NAMENODE_RPC_PORT_DEFAULT)));
        }
        if (addresses.isEmpty()) {
            throw new IllegalArgumentException("the configuration names no NameNode"
                    + (nameservice == null ? "" : " of name service " + nameservice)
                    + ": use --conf DIR, or set fs.defaultFS or " + TerraceSettings.PLACEMENT_RPC_ADDRESS.key());
        }
        return addresses;
    }

    /** Null where there is but one. A command never goes to a cluster that was not named. */
    private static @Nullable String meant(Configuration conf, Set<@Nullable String> services) {
        if (services.size() < 2) {
            return null;
        }
        String host = FileSystem.getDefaultUri(conf).getHost();
        if (host == null || !services.contains(host)) {
            throw new IllegalArgumentException("the configuration has the name services " + new TreeSet<>(services)
                    + " and fs.defaultFS is none of them: use --nameservice NS");
        }
        return host;
    }

    private static @Nullable String defaultAddress(Configuration conf) {
        URI uri = FileSystem.getDefaultUri(conf);
        boolean plain = "hdfs".equals(uri.getScheme())
                && uri.getHost() != null
                && conf.getTrimmedStringCollection(HdfsClientConfigKeys.DFS_NAMESERVICES)
                        .isEmpty();
        return plain
                ? uri.getHost()
                        + ":"
                        + (uri.getPort() < 0 ? HdfsClientConfigKeys.DFS_NAMENODE_RPC_PORT_DEFAULT : uri.getPort())
                : null;
    }

    private static InetSocketAddress of(
            Configuration conf, @Nullable String service, @Nullable String id, InetSocketAddress nameNode) {
        String key = TerraceSettings.PLACEMENT_RPC_ADDRESS.key();
        String stated = null;
        if (service != null && !service.isEmpty()) {
            stated = id == null || id.isEmpty() ? null : conf.getTrimmed(key + "." + service + "." + id);
            stated = stated == null ? conf.getTrimmed(key + "." + service) : stated;
        }
        stated = stated == null ? conf.getTrimmed(key, "") : stated;
        int port = PlacementPort.of(conf, nameNode.getPort());
        return stated.isEmpty()
                ? NetUtils.createSocketAddrForHost(nameNode.getHostString(), port)
                : NetUtils.createSocketAddr(stated, port);
    }
}
