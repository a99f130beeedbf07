package io.terrace.bench.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

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
        return namenode(ClusterLayout.namenode());
    }

    /** @param name of its directory */
    Map<String, String> namenode(String name) {
        Map<String, String> map = daemon(name);
        map.put("dfs.namenode.name.dir", uri(layout.home(name).resolve("name")));
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
                    layout.home(name).resolve("accesses").toString());
            map.put(
                    "terrace.placement.journal.dir",
                    layout.home(name).resolve("journal").toString());
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

    /** Makes the directories of the memory tiers and of the sockets, with the permissions that the daemons require. */
    void makeMemory() throws IOException {
        makeSearchable(layout.memory());
        makeSearchable(layout.channel());
        for (int i = 1; i <= spec.datanodes(); i++) {
            makeSearchable(memoryDir(i));
        }
        if (!spec.nativeDir().isEmpty()) {
            makeSearchable(layout.shortCircuitDir());
        }
    }

    static void makeSearchable(Path dir) throws IOException {
        Files.createDirectories(dir);
        Files.setPosixFilePermissions(dir, PosixFilePermissions.fromString("rwx--x--x"));
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

    /** The same for two NameNodes that share their edits through JournalNodes. */
    static final class Pair {
        static final String SERVICE = "ns";
        static final int JOURNALNODES = 3;
        static final int NAMENODES = 2;

        private final ClusterSpec spec;
        private final ClusterLayout layout;

        /** NameNode 0 is the NameNode of these. */
        private final Ports ports;

        /** RPC, web and placement port of NameNode 1, then RPC and web port of each JournalNode. */
        private final List<Integer> morePorts;

        private Pair(ClusterSpec spec, ClusterLayout layout, Ports ports, List<Integer> morePorts) {
            this.spec = spec;
            this.layout = layout;
            this.ports = ports;
            this.morePorts = List.copyOf(morePorts);
        }

        static Pair draw(ClusterSpec spec, ClusterLayout layout, RandomGenerator random) throws IOException {
            int first = 3 + 3 * spec.datanodes();
            List<Integer> drawn = Ports.free(first + 3 + 2 * JOURNALNODES, random);
            List<Ports.DataNodePorts> datanodes = IntStream.range(1, 1 + spec.datanodes())
                    .mapToObj(
                            i -> new Ports.DataNodePorts(drawn.get(3 * i), drawn.get(3 * i + 1), drawn.get(3 * i + 2)))
                    .toList();
            return new Pair(
                    spec,
                    layout,
                    new Ports(drawn.get(0), drawn.get(1), drawn.get(2), datanodes),
                    drawn.subList(first, drawn.size()));
        }

        static String namenode(int number) {
            return "namenode-" + number;
        }

        static String journalnode(int number) {
            return "journalnode-" + number;
        }

        /** Names of all. */
        List<String> daemons() {
            List<String> names = new ArrayList<>();
            IntStream.range(0, JOURNALNODES).mapToObj(Pair::journalnode).forEach(names::add);
            IntStream.range(0, NAMENODES).mapToObj(Pair::namenode).forEach(names::add);
            IntStream.rangeClosed(1, spec.datanodes())
                    .mapToObj(ClusterLayout::datanode)
                    .forEach(names::add);
            return names;
        }

        String fileSystemUri() {
            return "hdfs://" + SERVICE;
        }

        int rpcPort(int namenode) {
            return namenode == 0 ? ports.namenodeRpc() : morePorts.get(0);
        }

        int webPort(int namenode) {
            return namenode == 0 ? ports.namenodeHttp() : morePorts.get(1);
        }

        int placementPort(int namenode) {
            return namenode == 0 ? ports.placementRpc() : morePorts.get(2);
        }

        int journalPort(int journalnode) {
            return morePorts.get(3 + 2 * journalnode);
        }

        int transferPort(int datanode) {
            return ports.datanodes().get(datanode - 1).transfer();
        }

        int ipcPort(int datanode) {
            return ports.datanodes().get(datanode - 1).ipc();
        }

        void makeMemory() throws IOException {
            one(spec.terrace()).makeMemory();
        }

        Map<String, String> client() {
            return pair(one(spec.terrace()).client());
        }

        Map<String, String> stockClient() {
            return pair(one(spec.terrace()).stockClient());
        }

        /** @param terrace whether it runs with Terrace */
        Map<String, String> daemon(String name, boolean terrace) {
            int number = Integer.parseInt(name.substring(name.lastIndexOf('-') + 1));
            Map<String, String> map = name.equals(journalnode(number))
                    ? journalnodeSettings(number)
                    : name.equals(namenode(number))
                            ? namenodeSettings(number, terrace)
                            : pair(one(terrace).datanode(number));
            if (!terrace) {
                map.keySet().removeIf(key -> key.startsWith("terrace."));
            }
            return map;
        }

        private DaemonSettings one(boolean terrace) {
            return new DaemonSettings(spec.withTerrace(terrace), ports, layout);
        }

        private Map<String, String> journalnodeSettings(int number) {
            Map<String, String> map = stockClient();
            map.put(
                    "dfs.journalnode.edits.dir",
                    layout.home(journalnode(number)).resolve("edits").toString());
            map.put("dfs.journalnode.rpc-address", "localhost:" + journalPort(number));
            map.put("dfs.journalnode.http-address", "localhost:" + morePorts.get(4 + 2 * number));
            map.put("dfs.http.policy", "HTTP_ONLY");
            return map;
        }

        private Map<String, String> namenodeSettings(int number, boolean terrace) {
            Map<String, String> map = pair(one(terrace).namenode(namenode(number)));
            map.put(
                    "dfs.namenode.shared.edits.dir",
                    IntStream.range(0, JOURNALNODES)
                            .mapToObj(i -> "localhost:" + journalPort(i))
                            .collect(Collectors.joining(";", "qjournal://", "/" + SERVICE)));
            map.put("dfs.ha.namenode.id", "nn" + number);
            map.put("dfs.ha.tail-edits.period", "1s");
            map.put("dfs.ha.log-roll.period", "5s");
            map.put("dfs.namenode.safemode.min.datanodes", Integer.toString(spec.datanodes()));
            map.putAll(spec.properties());
            return map;
        }

        /** The settings of a cluster with one NameNode, for two. */
        private Map<String, String> pair(Map<String, String> one) {
            Map<String, String> map = new LinkedHashMap<>(one);
            boolean terrace = map.remove("terrace.placement.rpc-address") != null;
            map.remove("dfs.namenode.http-address");
            map.put("fs.defaultFS", fileSystemUri());
            map.put("dfs.nameservices", SERVICE);
            map.put("dfs.ha.namenodes." + SERVICE, "nn0,nn1");
            map.put(
                    "dfs.client.failover.proxy.provider." + SERVICE,
                    "org.apache.hadoop.hdfs.server.namenode.ha.ConfiguredFailoverProxyProvider");
            for (int i = 0; i < NAMENODES; i++) {
                String own = "." + SERVICE + ".nn" + i;
                map.put("dfs.namenode.rpc-address" + own, "localhost:" + rpcPort(i));
                map.put("dfs.namenode.http-address" + own, "localhost:" + webPort(i));
                if (terrace) {
                    map.put("terrace.placement.rpc-address" + own, "localhost:" + placementPort(i));
                }
            }
            map.putAll(spec.properties());
            return map;
        }
    }
}
