package io.terrace.bench.tierfaults;

import io.terrace.bench.cluster.ClassPath;
import io.terrace.bench.cluster.ConfDir;
import io.terrace.bench.cluster.JavaProcess;
import io.terrace.bench.cluster.PlacementAdmin;
import io.terrace.bench.cluster.Ports;
import io.terrace.bench.faults.Waits;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.ha.HAServiceProtocol;
import org.apache.hadoop.ha.HAServiceProtocol.HAServiceState;
import org.apache.hadoop.ha.HAServiceProtocol.RequestSource;
import org.apache.hadoop.ha.HAServiceProtocol.StateChangeRequestInfo;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.DatanodeReportType;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.SafeModeAction;
import org.apache.hadoop.hdfs.tools.NNHAServiceTarget;

/** Two NameNodes that share their edits through three JournalNodes, and DataNodes, each a process; failover is by hand. */
public final class HaCluster implements Closeable {
    private static final String SERVICE = "ns";
    private static final int JOURNALNODES = 3;
    private static final int NAMENODES = 2;
    private static final int FORMAT_SECONDS = 90;
    private static final int START_SECONDS = 90;
    private static final int RPC_TIMEOUT_MS = 10_000;

    private static final String NAMENODE = "org.apache.hadoop.hdfs.server.namenode.NameNode";

    private final Path dir;
    private final int datanodes;
    private final List<Integer> ports;
    private final JavaProcess.Home home;
    private final Map<String, String> properties;
    private final List<JavaProcess> others = new ArrayList<>();
    private final List<Optional<JavaProcess>> namenodes = new ArrayList<>(List.of(Optional.empty(), Optional.empty()));
    private final DistributedFileSystem fs;
    private int active;

    /** @param properties more of every daemon and client */
    public HaCluster(Path dir, int datanodes, Map<String, String> properties) throws IOException {
        this.dir = dir;
        this.datanodes = datanodes;
        this.properties = properties;
        this.ports = Ports.free(2 * JOURNALNODES + 3 * NAMENODES + 3 * datanodes, new SplittableRandom());
        this.home = new JavaProcess.Home(
                dir.resolve("logs"), ClassPath.ofThisProcess().text());
        this.fs = (DistributedFileSystem) FileSystem.newInstance(URI.create("hdfs://" + SERVICE), conf());
        boolean up = false;
        try {
            start();
            up = true;
        } finally {
            if (!up) {
                close();
            }
        }
    }

    private void start() throws IOException {
        for (int i = 0; i < JOURNALNODES; i++) {
            others.add(start(
                    "journalnode-" + i,
                    journalNode(i),
                    "org.apache.hadoop.hdfs.qjournal.server.JournalNode",
                    List.of()));
        }
        for (int i = 0; i < JOURNALNODES; i++) {
            awaitListener(journalPort(i));
        }
        format("format", 0, "-format");
        startNameNode(0);
        activate(0);
        format("bootstrap", 1, "-bootstrapStandby");
        startNameNode(1);
        for (int i = 0; i < datanodes; i++) {
            others.add(
                    start("datanode-" + i, dataNode(i), "org.apache.hadoop.hdfs.server.datanode.DataNode", List.of()));
        }
        require(Waits.untilRight(START_SECONDS, () -> {
            int live = fs.getDataNodeStats(DatanodeReportType.LIVE).length;
            return live == datanodes ? Optional.empty() : Optional.of(live + " DataNodes are live");
        }));
    }

    private static void awaitListener(int port) throws IOException {
        require(Waits.untilRight(START_SECONDS, () -> {
            new Socket(InetAddress.getLoopbackAddress(), port).close();
            return Optional.empty();
        }));
    }

    private static void require(Optional<String> fault) throws IOException {
        if (fault.isPresent()) {
            throw new IOException(fault.get());
        }
    }

    private JavaProcess start(String name, Map<String, String> settings, String mainClass, List<String> words)
            throws IOException {
        Path conf = dir.resolve("conf").resolve(name);
        ConfDir.write(conf, settings, "daemon-log4j.properties");
        List<String> command = new ArrayList<>(List.of(mainClass));
        command.addAll(words);
        Path log = dir.resolve("logs").resolve(name + ".daemon.log");
        return home.start(name, conf, List.of("-Xmx192m", "-Dterrace.log.file=" + log), command);
    }

    private void format(String name, int namenode, String word) throws IOException {
        Path conf = dir.resolve("conf").resolve(name);
        ConfDir.write(conf, nameNode(namenode), "client-log4j.properties");
        String unused = home.run(name, conf, List.of(), List.of(NAMENODE, word, "-nonInteractive"), FORMAT_SECONDS);
    }

    /** Starts a NameNode, which is a standby until it is told otherwise. */
    void startNameNode(int number) throws IOException {
        namenodes.set(number, Optional.of(start("namenode-" + number, nameNode(number), NAMENODE, List.of())));
        awaitListener(rpcPort(number));
    }

    /** Waits until a standby could take over: it knows all DataNodes and, as far as it knows of blocks, their replicas. */
    void awaitStandby(int number) throws IOException {
        URI own = URI.create("hdfs://localhost:" + rpcPort(number));
        try (DistributedFileSystem standby = (DistributedFileSystem) FileSystem.newInstance(own, conf())) {
            require(Waits.untilRight(START_SECONDS, () -> {
                int live = standby.getDataNodeStats(DatanodeReportType.LIVE).length;
                return live == datanodes && !standby.setSafeMode(SafeModeAction.SAFEMODE_GET)
                        ? Optional.empty()
                        : Optional.of("standby " + number + " has " + live + " DataNodes, or is in safe mode");
            }));
        }
    }

    /** Makes a NameNode the active one, whatever the other one is. */
    void activate(int number) throws IOException {
        require(Waits.untilRight(START_SECONDS, () -> {
            HAServiceProtocol service =
                    new NNHAServiceTarget(conf(), SERVICE, "nn" + number).getProxy(conf(), RPC_TIMEOUT_MS);
            service.transitionToActive(new StateChangeRequestInfo(RequestSource.REQUEST_BY_USER_FORCED));
            return service.getServiceStatus().getState() == HAServiceState.ACTIVE
                    ? Optional.empty()
                    : Optional.of("NameNode " + number + " is not active");
        }));
        active = number;
    }

    /** Number of the NameNode that was made active last. */
    public int active() {
        return active;
    }

    /** Host and port of a NameNode's web server. */
    public String webAddress(int namenode) {
        return "localhost:" + httpPort(namenode);
    }

    /** Ends the active NameNode as a crash would. */
    void killActive() {
        namenodes.get(active).ifPresent(JavaProcess::kill);
        namenodes.set(active, Optional.empty());
    }

    DistributedFileSystem fs() {
        return fs;
    }

    PlacementAdmin placement(int namenode) throws IOException {
        return new PlacementAdmin(conf(), placementPort(namenode));
    }

    /** Where the volumes of a DataNode are, and its transfer port. */
    List<ReplicaAudit.Node> nodes() {
        List<ReplicaAudit.Node> nodes = new ArrayList<>();
        for (int i = 0; i < datanodes; i++) {
            nodes.add(new ReplicaAudit.Node(transferPort(i), temporary("datanode-" + i)));
        }
        return nodes;
    }

    /** A client's configuration. */
    Configuration conf() {
        Configuration conf = new org.apache.hadoop.hdfs.HdfsConfiguration();
        common().forEach(conf::set);
        return conf;
    }

    private Map<String, String> common() {
        Map<String, String> map = new LinkedHashMap<>();
        map.put("fs.defaultFS", "hdfs://" + SERVICE);
        map.put("dfs.nameservices", SERVICE);
        map.put("dfs.ha.namenodes." + SERVICE, "nn0,nn1");
        map.put(
                "dfs.client.failover.proxy.provider." + SERVICE,
                "org.apache.hadoop.hdfs.server.namenode.ha.ConfiguredFailoverProxyProvider");
        for (int i = 0; i < NAMENODES; i++) {
            String own = "." + SERVICE + ".nn" + i;
            map.put("dfs.namenode.rpc-address" + own, "localhost:" + rpcPort(i));
            map.put("dfs.namenode.http-address" + own, "localhost:" + httpPort(i));
            map.put("terrace.placement.rpc-address" + own, "localhost:" + placementPort(i));
        }
        map.put("dfs.replication", "1");
        map.put("dfs.http.policy", "HTTP_ONLY");
        map.putAll(properties);
        return map;
    }

    private Map<String, String> journalNode(int number) {
        Map<String, String> map = common();
        map.put("dfs.journalnode.edits.dir", dir.resolve("journal-" + number).toString());
        map.put("dfs.journalnode.rpc-address", "localhost:" + journalPort(number));
        map.put("dfs.journalnode.http-address", "localhost:" + ports.get(JOURNALNODES + number));
        return map;
    }

    private Map<String, String> nameNode(int number) {
        Map<String, String> map = common();
        map.put("dfs.ha.namenode.id", "nn" + number);
        map.put("dfs.namenode.name.dir", dir.resolve("name-" + number).toUri().toString());
        List<String> journals = new ArrayList<>();
        for (int i = 0; i < JOURNALNODES; i++) {
            journals.add("localhost:" + journalPort(i));
        }
        map.put("dfs.namenode.shared.edits.dir", "qjournal://" + String.join(";", journals) + "/" + SERVICE);
        map.put("dfs.ha.tail-edits.period", "1s");
        map.put("dfs.namenode.safemode.extension", "0");
        map.put("dfs.namenode.safemode.min.datanodes", Integer.toString(datanodes));
        map.put("dfs.namenode.datanode.registration.ip-hostname-check", "false");
        map.put("dfs.namenode.plugins", "io.terrace.placement.hdfs.TerraceNameNodePlugin");
        map.put("terrace.placement.journal.dir", dir.resolve("heat-" + number).toString());
        return map;
    }

    private Map<String, String> dataNode(int number) throws IOException {
        String name = "datanode-" + number;
        Map<String, String> map = common();
        map.put("hadoop.tmp.dir", temporary(name).toString());
        map.put("dfs.datanode.address", "127.0.0.1:" + transferPort(number));
        map.put("dfs.datanode.http.address", "127.0.0.1:" + ports.get(first() + 3 * number + 1));
        map.put("dfs.datanode.ipc.address", "127.0.0.1:" + ports.get(first() + 3 * number + 2));
        map.put("dfs.datanode.hostname", "localhost");
        map.put("dfs.heartbeat.interval", "1s");
        map.put(
                "dfs.datanode.fsdataset.factory",
                "org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.TerraceDatasetFactory");
        map.put("dfs.datanode.plugins", "io.terrace.datanode.hdfs.TerraceDataNodePlugin");
        // Little is promoted here, so the directory need not be in memory.
        Path memory = dir.resolve("memory-" + number);
        Files.createDirectories(memory);
        Files.setPosixFilePermissions(memory, PosixFilePermissions.fromString("rwx--x--x"));
        map.put("terrace.datanode.memory.dir", memory.toString());
        map.put("terrace.datanode.memory.require-tmpfs", "false");
        map.put("terrace.datanode.memory.capacity", "1m");
        return map;
    }

    private Path temporary(String name) {
        return dir.resolve(name).resolve("tmp");
    }

    private int journalPort(int number) {
        return ports.get(number);
    }

    private int rpcPort(int number) {
        return ports.get(2 * JOURNALNODES + 3 * number);
    }

    private int httpPort(int number) {
        return ports.get(2 * JOURNALNODES + 3 * number + 1);
    }

    private int placementPort(int number) {
        return ports.get(2 * JOURNALNODES + 3 * number + 2);
    }

    private int first() {
        return 2 * JOURNALNODES + 3 * NAMENODES;
    }

    private int transferPort(int number) {
        return ports.get(first() + 3 * number);
    }

    @Override
    public void close() throws IOException {
        fs.close();
        namenodes.forEach(namenode -> namenode.ifPresent(JavaProcess::kill));
        for (JavaProcess other : others) {
            other.kill();
        }
    }
}
