package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.metrics2.MetricsRecord;
import org.apache.hadoop.metrics2.MetricsSource;
import org.apache.hadoop.metrics2.impl.MetricsCollectorImpl;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Terrace as an operator turns it on: by configuration alone, from the DataNode's first moment. */
@Tag("cluster")
class PluginByConfigurationTest {

    @Test
    void datanode_withTerraceConfigured_servesPinsAndExportsMetrics() throws Exception {
        Configuration conf = TerraceCluster.configuration();
        conf.set("dfs.datanode.plugins", TerraceDataNodePlugin.class.getName());
        conf.setBoolean(CommonConfigurationKeys.HADOOP_PROMETHEUS_ENABLED, true);
        try (TerraceCluster cluster = TerraceCluster.startByConfiguration(1, conf)) {
            Path file = cluster.write("configured", 300_000, 1);
            cluster.pin(file, 1);
            Awaitility.await()
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> cluster.located(file, 0).getCachedLocations().length == 1);
            assertThat(cluster.read(file)).isEqualTo(TerraceCluster.contents("configured", 300_000));

            String uuid = cluster.datanode(0).getDatanodeUuid();
            // Of several daemons in one JVM, the first has the sink.
            InetSocketAddress first = cluster.cluster().getNameNode().getHttpAddress();
            assertThat(page(first.getPort(), "/prom").lines())
                    .anyMatch(line -> shows(line, "terrace_data_node_memory_pinned_bytes", uuid, 300_000))
                    .anyMatch(line -> shows(line, "terrace_data_node_reads_stock_memory_total", uuid, 1));
            int port = cluster.datanode(0).getInfoPort();
            assertThat(page(port, "/jmx?qry=Hadoop:service=*,name=TerraceDataNode,*"))
                    .contains("name=TerraceDataNode,datanode=" + uuid)
                    .contains("\"tag.datanode\" : \"" + uuid + "\"")
                    .contains("\"MemoryPinnedBytes\"");
            MetricsCollectorImpl stock = new MetricsCollectorImpl();
            ((MetricsSource) cluster.datanode(0).getFSDataset()).getMetrics(stock, true);
            assertThat(stock.getRecords())
                    .as("named as in stock HDFS, whose dashboards find it")
                    .extracting(MetricsRecord::name)
                    .containsExactly("org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FsDatasetImpl");
            assertThat(cluster.datanode(0).getFSDataset().getCacheUsed()).isEqualTo(300_000);
            assertThat(cluster.datanode(0).getFSDataset().getNumBlocksCached()).isEqualTo(1);
        }
    }

    private static boolean shows(String line, String name, String uuid, long value) {
        return line.startsWith(name + "{") && line.contains("datanode=\"" + uuid + "\"") && line.endsWith("} " + value);
    }

    private static String page(int port, String path) throws Exception {
        // A DataNode refuses a request that offers to go on in HTTP/2.
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .build()
                .send(
                        HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .body();
    }
}
