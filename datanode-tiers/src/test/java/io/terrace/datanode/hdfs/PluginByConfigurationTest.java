package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Terrace as an operator turns it on: by configuration alone, from the DataNode's first moment. */
@Tag("cluster")
class PluginByConfigurationTest {

    @Test
    void datanode_withTerraceConfigured_servesPinsAndShowsFigures() throws Exception {
        Configuration conf = TerraceCluster.configuration();
        conf.set("dfs.datanode.plugins", TerraceDataNodePlugin.class.getName());
        int port = freePort();
        conf.set(DataNodeConfig.METRICS_ADDRESS, "localhost:" + port);
        try (TerraceCluster cluster = TerraceCluster.startByConfiguration(1, conf)) {
            Path file = cluster.write("configured", 300_000, 1);
            cluster.pin(file, 1);
            Awaitility.await()
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> cluster.located(file, 0).getCachedLocations().length == 1);
            assertThat(cluster.read(file)).isEqualTo(TerraceCluster.contents("configured", 300_000));

            String uuid = cluster.datanode(0).getDatanodeUuid();
            assertThat(DefaultMetricsSystem.instance().getSource("Terrace-" + uuid))
                    .isNotNull();
            HttpResponse<String> page = HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/metrics"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            assertThat(page.body().lines())
                    .anyMatch(line -> line.startsWith("terrace_memory_pinned_bytes") && line.endsWith(" 300000.0"))
                    .anyMatch(line -> line.startsWith("terrace_reads_stock_memory_total") && line.endsWith(" 1.0"));
            assertThat(cluster.datanode(0).getFSDataset().getCacheUsed()).isEqualTo(300_000);
            assertThat(cluster.datanode(0).getFSDataset().getNumBlocksCached()).isEqualTo(1);
        }
    }

    @Test
    void datanodes_thatShareAConfiguration_haveADirectoryEach_ifTheyAreToldSo() throws Exception {
        Configuration conf = TerraceCluster.configuration();
        conf.set("dfs.datanode.plugins", TerraceDataNodePlugin.class.getName());
        conf.setBoolean(DataNodeConfig.MEMORY_DIR_PER_DATANODE, true);
        try (TerraceCluster cluster = TerraceCluster.startByConfiguration(2, conf)) {
            Path file = cluster.write("shared", 300_000, 2);
            cluster.pin(file, 2);
            Awaitility.await()
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> cluster.located(file, 0).getCachedLocations().length == 2);
            for (int i = 0; i < 2; i++) {
                assertThat(cluster.datanode(i).getFSDataset().getCacheUsed()).isEqualTo(300_000);
            }
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
