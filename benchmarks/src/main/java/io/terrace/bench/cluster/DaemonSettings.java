package io.terrace.bench.cluster;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The Hadoop properties of a local cluster's daemons and clients, made from its spec, ports and directories.
 *
 * <p>Everything listens on loopback. Intervals that are tens of seconds in a data centre are a second here, so that a
 * killed DataNode, a pin or a deletion shows while one watches.
 */
final class DaemonSettings {
    private final ClusterSpec spec;
    private final Ports ports;
    private final ClusterLayout layout;

    DaemonSettings(ClusterSpec spec, Ports ports, ClusterLayout layout) {
        this.spec = spec;
        this.ports = ports;
        this.layout = layout;
    }

    String fileSystemUri() {
        return "hdfs://localhost:" + ports.namenodeRpc();
    }

    /** The client of the cluster with Terrace off. */
    Map<String, String> stockClient() {
        Map<String, String> map = new LinkedHashMap<>();
        map.put("fs.defaultFS", fileSystemUri());
        map.put("dfs.blocksize", Long.toString(spec.blockBytes()));
        map.put("dfs.replication", Integer.toString(spec.replication()));
        map.putAll(spec.properties());
        return map;
    }

    /** The client with Terrace on. */
    Map<String, String> client() {
        Map<String, String> map = new LinkedHashMap<>();
        map.putAll(stockClient());
        if (spec.terrace()) {
            map.put("dfs.client.replica.accessor.builder.classes", "io.terrace.client.TerraceAccessorBuilder");
            map.put("terrace.channel.dir", layout.channel().toString());
            map.put("terrace.placement.rpc-address", "localhost:" + ports.placementRpc());
        }
        map.putAll(spec.properties());
        return map;
    }

    Map<String, String> namenode() {
        Map<String, String> map = daemon(ClusterLayout.namenode());
        map.put(
                "dfs.namenode.name.dir",
                uri(layout.home(ClusterLayout.namenode()).resolve("name")));
        map.put("dfs.namenode.http-address", "localhost:" + ports.namenodeHttp());
        map.put("dfs.namenode.safemode.extension", "0");
        map.put("dfs.namenode.datanode.registration.ip-hostname-check", "false");
        map.put("dfs.namenode.heartbeat.recheck-interval", "2000");
        map.put("dfs.namenode.stale.datanode.interval", "9000");
        map.put("dfs.namenode.redundancy.interval.seconds", "1s");
        map.put("dfs.namenode.path.based.cache.refresh.interval.ms", "500");
        map.put("dfs.namenode.path.based.cache.retry.interval.ms", "500");
        map.put("dfs.namenode.replication.considerLoad", "false");
        if (spec.terrace()) {
            map.put("dfs.namenode.plugins", "io.terrace.placement.hdfs.TerraceNameNodePlugin");
            map.put(
                    "terrace.placement.access-log.dir",
                    layout.home(ClusterLayout.namenode()).resolve("accesses").toString());
            map.put(
                    "terrace.placement.journal.dir",
                    layout.home(ClusterLayout.namenode()).resolve("journal").toString());
        }
        map.putAll(spec.properties());
        return map;
    }

    /** @param number of the DataNode, from 1 */
    Map<String, String> datanode(int number) {
        Ports.DataNodePorts own = ports.datanodes().get(number - 1);
        Path home = layout.home(ClusterLayout.datanode(number));
        Map<String, String> map = daemon(ClusterLayout.datanode(number));
        map.put("dfs.datanode.data.dir", uri(home.resolve("data")));
        map.put("dfs.datanode.address", "127.0.0.1:" + own.transfer());
        map.put("dfs.datanode.http.address", "127.0.0.1:" + own.http());
        map.put("dfs.datanode.ipc.address", "127.0.0.1:" + own.ipc());
        map.put("dfs.datanode.hostname", "localhost");
        map.put("dfs.datanode.du.reserved", "0");
        map.put("dfs.heartbeat.interval", "1s");
        map.put("dfs.cachereport.intervalMsec", "500");
        if (!spec.nativeDir().isEmpty()) {
            map.put("dfs.client.read.shortcircuit", "true");
            map.put("dfs.domain.socket.path", layout.shortCircuit().toString());
        }
        if (spec.terrace()) {
            map.put(
                    "dfs.datanode.fsdataset.factory",
                    "org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.TerraceDatasetFactory");
            map.put("dfs.datanode.plugins", "io.terrace.datanode.hdfs.TerraceDataNodePlugin");
            map.put("terrace.datanode.memory.dir", memoryDir(number).toString());
            map.put("terrace.datanode.memory.capacity", Long.toString(spec.memoryBytes()));
        }
        map.putAll(spec.properties());
        return map;
    }

    Path memoryDir(int number) {
        return layout.memory().resolve(ClusterLayout.datanode(number));
    }

    /** What every daemon has in common, with what it shares with the clients. */
    private Map<String, String> daemon(String name) {
        Map<String, String> map = new LinkedHashMap<>();
        map.put("fs.defaultFS", fileSystemUri());
        map.put("hadoop.tmp.dir", layout.home(name).resolve("tmp").toString());
        map.put("dfs.blocksize", Long.toString(spec.blockBytes()));
        map.put("dfs.replication", Integer.toString(spec.replication()));
        map.put("dfs.http.policy", "HTTP_ONLY");
        map.put("dfs.block.access.token.enable", Boolean.toString(spec.blockTokens()));
        if (spec.terrace()) {
            map.put("terrace.channel.dir", layout.channel().toString());
            map.put("terrace.placement.rpc-address", "localhost:" + ports.placementRpc());
            map.put(LocalCluster.PLACEMENT_PORT_PROPERTY, Integer.toString(ports.placementRpc()));
        }
        return map;
    }

    private static String uri(Path path) {
        return path.toUri().toString();
    }
}
