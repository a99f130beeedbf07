package io.terrace.placementctl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.placement.hdfs.NameNodePluginTest;
import io.terrace.placement.hdfs.TerraceNameNodePlugin;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.MiniDFSNNTopology;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code placementctl stats} while another NameNode takes over. */
@Tag("cluster")
class StatsFailoverTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String LINES = "15";

    @TempDir
    Path dir;

    @Test
    void stats_whileAnotherNameNodeTakesOver_saysSoAndGoesOn() throws Exception {
        Configuration daemons = new HdfsConfiguration();
        daemons.set("dfs.namenode.plugins", TerraceNameNodePlugin.class.getName());
        daemons.set("terrace.placement.rpc-address", "127.0.0.1:0");
        MiniDFSCluster cluster = new MiniDFSCluster.Builder(
                        daemons, dir.resolve("dfs").toFile())
                .nnTopology(MiniDFSNNTopology.simpleHATopology())
                .numDataNodes(0)
                .build();
        try {
            cluster.transitionToActive(0);
            CtlSession session = new CtlSession(write(cluster));
            await().atMost(PATIENCE).until(() -> session.run("stats") == 0);
            StringWriter out = new StringWriter();
            CompletableFuture<Integer> code = CompletableFuture.supplyAsync(() -> PlacementCtl.run(
                    new PrintWriter(out),
                    new PrintWriter(OutputStream.nullOutputStream()),
                    "stats",
                    "1",
                    LINES,
                    "--conf",
                    session.conf.toString()));
            await().atMost(PATIENCE).until(() -> numbers(out) > 0);
            cluster.transitionToStandby(0);
            await().atMost(PATIENCE).until(() -> out.toString().contains("-- no placement service is active"));
            int before = numbers(out);
            cluster.transitionToActive(1);
            assertThat(code.get(60, TimeUnit.SECONDS)).isZero();
            assertThat(out.toString())
                    .containsOnlyOnce("-- no placement service is active")
                    .containsOnlyOnce("-- NameNode ")
                    .contains(" decides now, in epoch ");
            assertThat(numbers(out)).as("lines of the other one").isGreaterThan(before);
        } finally {
            cluster.shutdown(true);
        }
    }

    /** Lines with the figures of an interval. */
    private static int numbers(StringWriter out) {
        return (int) out.toString()
                .lines()
                .filter(line -> line.strip().matches("[0-9-].*[0-9-]") && !line.startsWith("--"))
                .count();
    }

    private Path write(MiniDFSCluster cluster) throws Exception {
        Configuration conf = new Configuration(false);
        conf.set("fs.defaultFS", "hdfs://ns");
        conf.set("dfs.nameservices", "ns");
        conf.set("dfs.ha.namenodes.ns", "nn0,nn1");
        for (int i = 0; i < 2; i++) {
            InetSocketAddress service = NameNodePluginTest.service(cluster, i);
            conf.set(
                    "dfs.namenode.rpc-address.ns.nn" + i,
                    "127.0.0.1:" + cluster.getNameNode(i).getNameNodeAddress().getPort());
            conf.set("terrace.placement.rpc-address.ns.nn" + i, "127.0.0.1:" + service.getPort());
        }
        Path to = Files.createDirectories(dir.resolve("conf"));
        for (String site : new String[] {"core-site.xml", "hdfs-site.xml"}) {
            try (OutputStream file = Files.newOutputStream(to.resolve(site))) {
                conf.writeXml(file);
            }
        }
        return to;
    }
}
