package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.apache.commons.configuration2.SubsetConfiguration;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.metrics2.AbstractMetric;
import org.apache.hadoop.metrics2.MetricsRecord;
import org.apache.hadoop.metrics2.MetricsSink;
import org.apache.hadoop.metrics2.MetricsTag;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whatever a stock DataNode shows in JMX and to sinks, one with Terrace shows under the same names. */
@Tag("cluster")
class StockFiguresTest {
    /** What differs between two clusters. */
    private static final Pattern OWN = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|/[^,\"]*|\\d+");

    /** Of calls that were made so far; and of the JVM, which shows them once for all clusters. */
    private static final Pattern NOT_COMPARED = Pattern.compile(
            ".*(RpcDetailedActivity|JvmMetrics|MetricsSystem|UgiMetrics|DelegationTokenSecretManagerMetrics).*");

    @Test
    void names_ofAStockDataNode_areThereWithTerrace() throws Exception {
        Set<String> stock = stockNames();
        Set<String> terrace;
        try (TerraceCluster cluster = TerraceCluster.startByConfiguration(1, withPlugin())) {
            Path file = cluster.write("figures", 300_000, 1);
            assertThat(cluster.read(file)).hasSize(300_000);
            terrace = names();
        }
        assertThat(stock)
                .as("beans and records that matter are among those compared")
                .contains(
                        "bean Hadoop:service=DataNode,name=FSDatasetState-N Remaining",
                        "bean Hadoop:service=DataNode,name=DataNodeInfo VolumeInfo",
                        "record org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FsDatasetImpl Capacity");
        stock.removeAll(terrace);
        assertThat(stock).as("what dashboards for stock HDFS miss with Terrace").isEmpty();
    }

    private static Configuration withPlugin() {
        Configuration conf = TerraceCluster.configuration();
        conf.set("dfs.datanode.plugins", TerraceDataNodePlugin.class.getName());
        return conf;
    }

    private static Set<String> stockNames() throws IOException, JMException {
        Configuration conf = TerraceCluster.configuration();
        conf.unset("dfs.datanode.fsdataset.factory");
        java.nio.file.Path dir = java.nio.file.Files.createTempDirectory("terrace-stock");
        try (MiniDFSCluster cluster = new MiniDFSCluster.Builder(conf, dir.toFile())
                .storagesPerDatanode(2)
                .build()) {
            cluster.waitActive();
            Path file = new Path("/figures");
            try (var out = cluster.getFileSystem().create(file, (short) 1)) {
                out.write(new byte[300_000]);
            }
            try (var in = cluster.getFileSystem().open(file)) {
                assertThat(in.readAllBytes()).hasSize(300_000);
            }
            return names();
        }
    }

    /** Beans and records of this JVM, each with its attributes, tags and metrics. */
    private static Set<String> names() throws JMException {
        Set<String> names = new ConcurrentSkipListSet<>();
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        for (ObjectName bean : server.queryNames(new ObjectName("Hadoop:*"), null)) {
            for (MBeanAttributeInfo attribute : server.getMBeanInfo(bean).getAttributes()) {
                add(names, "bean " + bean, attribute.getName());
            }
        }
        DefaultMetricsSystem.instance().register("StockFiguresTest", "", new Records(names));
        DefaultMetricsSystem.instance().publishMetricsNow();
        return names;
    }

    private static void add(Set<String> names, String of, String name) {
        if (!NOT_COMPARED.matcher(of).matches()) {
            names.add(OWN.matcher(of).replaceAll("N") + " " + name);
        }
    }

    /** What sinks see, {@code /prom} among them. */
    private record Records(Set<String> names) implements MetricsSink {
        @Override
        public void putMetrics(MetricsRecord record) {
            for (MetricsTag tag : record.tags()) {
                add(names, "record " + record.name(), tag.name());
            }
            for (AbstractMetric metric : record.metrics()) {
                add(names, "record " + record.name(), metric.name());
            }
        }

        @Override
        public void flush() {}

        @Override
        public void init(SubsetConfiguration conf) {}
    }
}
