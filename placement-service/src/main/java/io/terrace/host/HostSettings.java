package io.terrace.host;

import static io.terrace.conf.TerraceSettings.CHANNEL_DIR;
import static io.terrace.conf.TerraceSettings.CHANNEL_OWNER;
import static io.terrace.conf.TerraceSettings.CHANNEL_TCP_PORT_OFFSET;
import static io.terrace.conf.TerraceSettings.CHANNEL_VERBS_PORT_OFFSET;
import static io.terrace.conf.TerraceSettings.DATANODE_MEMORY_CAPACITY;
import static io.terrace.conf.TerraceSettings.DATANODE_MEMORY_DIR;

import io.terrace.conf.Setting;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.util.StringUtils;
import org.jspecify.annotations.Nullable;

/**
 * What a DataNode's configuration asks of its host.
 *
 * @param memoryDir directory of the memory tier
 * @param capacityBytes of the tier
 * @param channelDir directory of the Unix sockets; null where clients of this host get no grants
 * @param owner the user who runs the DataNode, as the configuration names it
 * @param tcpPort of the tcp channel; 0 where it is off
 * @param verbsPort of the RDMA channel; 0 where it is off
 */
record HostSettings(
        Path memoryDir, long capacityBytes, @Nullable Path channelDir, String owner, int tcpPort, int verbsPort) {

    private static final int PORTS = 65_535;

    /** @throws IllegalArgumentException naming the key and the remedy */
    static HostSettings of(Configuration conf) {
        Path memoryDir = needed(conf, DATANODE_MEMORY_DIR).normalize();
        if (memoryDir.getNameCount() == 0) {
            throw DATANODE_MEMORY_DIR.refusal("/", "a directory below it", null);
        }
        Path channelDir = CHANNEL_DIR.orNull(conf);
        InetSocketAddress transfer = NetUtils.createSocketAddr(
                conf.getTrimmed(DFSConfigKeys.DFS_DATANODE_ADDRESS_KEY, DFSConfigKeys.DFS_DATANODE_ADDRESS_DEFAULT),
                -1,
                DFSConfigKeys.DFS_DATANODE_ADDRESS_KEY);
        return new HostSettings(
                memoryDir,
                needed(conf, DATANODE_MEMORY_CAPACITY),
                channelDir == null ? null : channelDir.normalize(),
                owner(CHANNEL_OWNER.get(conf)),
                port(conf, transfer, CHANNEL_TCP_PORT_OFFSET),
                port(conf, transfer, CHANNEL_VERBS_PORT_OFFSET));
    }

    private static String owner(String users) {
        return StringUtils.getTrimmedStringCollection(users).stream()
                .findFirst()
                .orElseThrow(() -> CHANNEL_OWNER.refusal(users, "names of users, the DataNode's first", null));
    }

    private static <T extends Comparable<T>> T needed(Configuration conf, Setting<T> setting) {
        T value = setting.orNull(conf);
        if (value == null) {
            throw new IllegalArgumentException(setting.key()
                    + " is not set, so DataNodes with this configuration are stock: set it in hdfs-site.xml, or name another"
                    + " configuration with --conf");
        }
        return value;
    }

    private static int port(Configuration conf, InetSocketAddress transfer, Setting<Integer> setting) {
        int offset = setting.get(conf);
        int port = transfer.getPort() + offset;
        if (offset != 0 && (port < 1 || port > PORTS)) {
            throw setting.refusal(
                    Integer.toString(offset),
                    "such that " + DFSConfigKeys.DFS_DATANODE_ADDRESS_KEY + " (" + transfer.getPort()
                            + ") plus it is a port",
                    null);
        }
        return offset == 0 || transfer.getPort() == 0 ? 0 : port;
    }
}
