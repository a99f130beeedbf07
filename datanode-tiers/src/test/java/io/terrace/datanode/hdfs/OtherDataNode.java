package io.terrace.datanode.hdfs;

import static org.awaitility.Awaitility.await;

import io.terrace.conf.TerraceSettings;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.DatanodeReportType;
import org.apache.hadoop.hdfs.server.datanode.DataNode;

/** One more DataNode with Terrace for a cluster, in a process of its own, to be killed. */
final class OtherDataNode implements AutoCloseable {
    private final Process process;

    private OtherDataNode(Process process) {
        this.process = process;
    }

    /** Starts it and waits until the NameNode knows it. */
    static OtherDataNode start(TerraceCluster cluster) throws IOException {
        int known = cluster.fs().getDataNodeStats(DatanodeReportType.LIVE).length;
        Path dir = Files.createDirectory(cluster.scratch().resolve("other"));
        Configuration conf = new Configuration(cluster.cluster().getConfiguration(0));
        conf.set("dfs.datanode.plugins", TerraceDataNodePlugin.class.getName());
        conf.set(DFSConfigKeys.DFS_DATANODE_DATA_DIR_KEY, dir.resolve("data").toString());
        conf.set(TerraceSettings.DATANODE_MEMORY_DIR.key(), made(dir, "memory"));
        conf.set(TerraceSettings.CHANNEL_DIR.key(), made(dir, "channel"));
        Path file = dir.resolve("conf.xml");
        try (OutputStream out = Files.newOutputStream(file)) {
            conf.writeXml(out);
        }
        Process started = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx200m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Djava.net.preferIPv4Stack=true",
                        "-cp",
                        System.getProperty("java.class.path"),
                        OtherDataNode.class.getName(),
                        file.toString())
                .redirectErrorStream(true)
                .redirectOutput(dir.resolve("log").toFile())
                .start();
        await().alias("another DataNode")
                .atMost(Duration.ofMinutes(4))
                .pollInterval(Duration.ofSeconds(1))
                .until(() -> cluster.fs().getDataNodeStats(DatanodeReportType.LIVE).length > known);
        return new OtherDataNode(started);
    }

    private static String made(Path dir, String name) throws IOException {
        return Files.createDirectory(dir.resolve(name)).toString();
    }

    /** As {@code kill -9} does. */
    void kill() throws InterruptedException {
        int unused = process.destroyForcibly().waitFor();
    }

    @Override
    public void close() {
        Process unused = process.destroyForcibly();
    }

    public static void main(String[] arguments) throws Exception {
        Configuration conf = new Configuration();
        conf.addResource(new org.apache.hadoop.fs.Path(arguments[0]));
        DataNode datanode = DataNode.createDataNode(new String[0], conf);
        while (datanode.isDatanodeUp()) {
            Thread.sleep(1000);
        }
    }
}
