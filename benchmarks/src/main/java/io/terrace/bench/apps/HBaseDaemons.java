package io.terrace.bench.apps;

import io.terrace.bench.cluster.JavaProcess;
import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.cluster.Ports;
import io.terrace.bench.measure.ClientVariant;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * An unchanged HBase over a local cluster: ZooKeeper, a master and one region server, each its own JVM. The master always
 * reads stock HDFS; the region server is started anew for each variant.
 */
public final class HBaseDaemons implements Closeable {
    private static final int START_SECONDS = 120;

    private static final String PAGE_PORT = "hbase.regionserver.info.port";

    private final LocalCluster cluster;
    private final Path dir;
    private final JavaProcess.Home home;
    private final Map<String, String> settings;
    private final JavaProcess zooKeeper;
    private final JavaProcess master;
    private @Nullable JavaProcess regionServer;
    private int starts;

    /** Starts ZooKeeper and the master. */
    public HBaseDaemons(LocalCluster cluster, Path dir, String classPath) throws IOException {
        this.cluster = cluster;
        this.dir = dir;
        this.home = new JavaProcess.Home(dir.resolve("logs"), classPath);
        List<Integer> ports = Ports.free(4, new SplittableRandom());
        this.settings = settings(cluster, dir, ports);
        Path conf = clientConf();
        this.zooKeeper = home.start(
                "zookeeper",
                conf,
                List.of("-Xmx128m"),
                List.of("org.apache.hadoop.hbase.zookeeper.HQuorumPeer", "start"));
        zooKeeper.awaitWords("binding to port", START_SECONDS);
        this.master = home.start(
                "master", conf, List.of("-Xmx384m"), List.of("org.apache.hadoop.hbase.master.HMaster", "start"));
    }

    private static Map<String, String> settings(LocalCluster cluster, Path dir, List<Integer> ports) {
        Map<String, String> map = new LinkedHashMap<>();
        map.put("hbase.rootdir", cluster.fileSystemUri() + "/hbase");
        map.put("hbase.cluster.distributed", "true");
        map.put("hbase.tmp.dir", dir.resolve("tmp").toString());
        map.put("hbase.zookeeper.quorum", "127.0.0.1");
        map.put("hbase.zookeeper.property.clientPort", Integer.toString(ports.get(0)));
        map.put("hbase.zookeeper.property.clientPortAddress", "127.0.0.1");
        map.put("hbase.zookeeper.property.dataDir", dir.resolve("zookeeper").toString());
        map.put("hbase.zookeeper.property.admin.enableServer", "false");
        map.put("hbase.master.port", Integer.toString(ports.get(1)));
        map.put("hbase.master.info.port", "-1");
        map.put("hbase.master.hostname", "localhost");
        map.put("hbase.master.ipc.address", "127.0.0.1");
        map.put("hbase.regionserver.port", Integer.toString(ports.get(2)));
        map.put(PAGE_PORT, Integer.toString(ports.get(3)));
        map.put("hbase.regionserver.info.bindAddress", "127.0.0.1");
        map.put("hbase.regionserver.hostname", "localhost");
        map.put("hbase.regionserver.ipc.address", "127.0.0.1");
        // Without the block cache every read of a block goes to HDFS.
        map.put("hfile.block.cache.size", "0");
        map.put("hbase.master.start.timeout.localHBaseCluster", "120000");
        return map;
    }

    /** Starts the region server with the client settings of a variant. Call {@link #stopRegionServer} before. */
    public void startRegionServer(ClientVariant variant) throws IOException {
        starts++;
        Path conf = ApplicationConf.write(dir.resolve("conf-" + variant.name()), cluster, variant, settings);
        String library = cluster.spec().nativeDir();
        JavaProcess started = home.start(
                "regionserver-" + starts + "-" + variant.name(),
                conf,
                List.of("-Xmx1g", "-Djava.library.path=" + library),
                List.of("org.apache.hadoop.hbase.regionserver.HRegionServer", "start"));
        regionServer = started;
        started.awaitWords("Serving as", START_SECONDS);
    }

    /** Host and port of the region server's web page. */
    public String regionServerPage() {
        return "127.0.0.1:" + settings.get(PAGE_PORT);
    }

    /** The process of the region server that runs. */
    public ProcessHandle regionServer() {
        JavaProcess running = regionServer;
        if (running == null) {
            throw new IllegalStateException("no region server runs");
        }
        return running.handle();
    }

    /** Stops it cleanly, so that it flushes its memory. */
    public void stopRegionServer() throws IOException {
        JavaProcess running = regionServer;
        regionServer = null;
        if (running != null) {
            running.close();
        }
    }

    /** Runs HBase's own PerformanceEvaluation in a process of its own and returns what it wrote. */
    public String evaluate(String name, int limitSeconds, List<String> arguments) throws IOException {
        List<String> words = new ArrayList<>();
        words.add("org.apache.hadoop.hbase.PerformanceEvaluation");
        words.add("--nomapred");
        words.addAll(arguments);
        return home.run(name, clientConf(), List.of("-Xmx256m"), words, limitSeconds);
    }

    private Path clientConf() throws IOException {
        return ApplicationConf.write(dir.resolve("conf"), cluster, ClientVariant.stock(), settings);
    }

    @Override
    public void close() throws IOException {
        stopRegionServer();
        master.close();
        zooKeeper.close();
    }
}
