package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.conf.TerraceSettings;
import io.terrace.datanode.memory.MemoryDirectory;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.metrics2.impl.MetricsCollectorImpl;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.PatternLayout;
import org.apache.log4j.WriterAppender;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whatever keeps Terrace from starting leaves a stock DataNode and one clear line in the log. */
@Tag("cluster")
class GuardedEntryTest {

    private static TerraceCluster cluster;

    private final StringWriter log = new StringWriter();
    private final WriterAppender appender = new WriterAppender(new PatternLayout("%p %m%n"), log);
    private Configuration conf;
    private Configuration before;

    @BeforeAll
    static void start() throws IOException {
        cluster = TerraceCluster.start(1);
        cluster.stopPlugin(0);
    }

    @AfterAll
    static void stop() throws IOException {
        cluster.close();
    }

    @BeforeEach
    void listen() {
        appender.setThreshold(Level.ERROR);
        Logger.getLogger("io.terrace").addAppender(appender);
        conf = cluster.datanode(0).getConf();
        before = new Configuration(conf);
    }

    @AfterEach
    void restore() {
        Logger.getLogger("io.terrace").removeAppender(appender);
        conf.iterator().forEachRemaining(property -> {
            if (property.getKey().startsWith("terrace.") && before.get(property.getKey()) == null) {
                conf.unset(property.getKey());
            }
        });
        before.iterator().forEachRemaining(property -> {
            if (property.getKey().startsWith("terrace.")) {
                conf.set(property.getKey(), property.getValue());
            }
        });
    }

    private void staysStock(String... complaint) throws Exception {
        TerraceDataNodePlugin plugin = new TerraceDataNodePlugin();
        plugin.start(cluster.datanode(0));
        try {
            Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> log.toString()
                    .contains("ERROR"));
            assertThat(log.toString().lines().filter(line -> line.startsWith("ERROR")))
                    .singleElement()
                    .asString()
                    .contains("the DataNode is stock")
                    .contains(complaint);
            assertThat(plugin.running() instanceof PluginStarter thread ? thread.service() : null)
                    .isNull();
            String name = "stock" + Math.abs(String.join("", complaint).hashCode());
            assertThat(cluster.read(cluster.write(name, 10_000, 1))).isEqualTo(TerraceCluster.contents(name, 10_000));
        } finally {
            plugin.stop();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "terrace.datanode.memory.dir||is not set",
                "terrace.datanode.memory.dir|relative/path|must be an absolute path",
                "terrace.datanode.memory.dir|/nonexistent/terrace|is not a directory",
                "terrace.datanode.memory.capacity||is not set",
                "terrace.datanode.memory.capacity|-4g|must be a size such as 4g, from 4k to 1p",
                "terrace.datanode.memory.capacity|4 parsecs|must be a size such as",
                "terrace.datanode.memory.copy.threads|many|must be a whole number",
                "terrace.datanode.memory.require-tmpfs|perhaps|must be true or false",
                "terrace.datanode.grants.lease|5 parsecs|must be a time such as",
                "terrace.datanode.grants.lease|-1s|must be a time such as 60s, from 100ms to 30d",
                "terrace.datanode.region.size|4k|must be",
                "terrace.datanode.memory.capcity|4g|did you mean terrace.datanode.memory.capacity",
                "terrace.channel.dir|/nonexistent/channel|/nonexistent/channel",
            })
    void start_withBadSetting_staysStockAndNamesIt(String key, String value, String complaint) throws Exception {
        conf.set(key, value == null ? "" : value);
        staysStock(key.equals("terrace.channel.dir") ? value : key, complaint);
    }

    @Test
    void start_withDirectoryOfAnotherDataNode_staysStock() throws Exception {
        try (MemoryDirectory other = MemoryDirectory.open(cluster.memoryDir(0), false)) {
            assertThat(other.root()).isEqualTo(cluster.memoryDir(0));
            staysStock(TerraceSettings.DATANODE_MEMORY_DIR.key(), "is used by another DataNode");
        }
    }

    @Test
    void start_withDirectoryThatIsRefused_showsATierOfCapacityZero_untilStopped() {
        String source = "TerraceDataNode,datanode=" + cluster.datanode(0).getDatanodeUuid();
        conf.set(TerraceSettings.DATANODE_MEMORY_DIR.key(), "/nonexistent/terrace");
        TerraceDataNodePlugin plugin = new TerraceDataNodePlugin();
        plugin.start(cluster.datanode(0));
        try {
            Awaitility.await().until(() -> DefaultMetricsSystem.instance().getSource(source) != null);
            MetricsCollectorImpl collector = new MetricsCollectorImpl();
            DefaultMetricsSystem.instance().getSource(source).getMetrics(collector, true);
            assertThat(collector.getRecords().get(0).metrics()).anySatisfy(metric -> {
                assertThat(metric.name()).isEqualTo("MemoryCapacityBytes");
                assertThat(metric.value()).isEqualTo(0L);
            });
        } finally {
            plugin.stop();
        }
        assertThat(DefaultMetricsSystem.instance().getSource(source)).isNull();
    }

    @Test
    void start_withSomethingElseInThePlaceOfItsFiles_staysStock() throws Exception {
        Path directory = Files.createDirectory(cluster.scratch().resolve("occupied"));
        Files.createDirectory(directory.resolve("in_use.lock"));
        conf.set(TerraceSettings.DATANODE_MEMORY_DIR.key(), directory.toString());
        staysStock(TerraceSettings.DATANODE_MEMORY_DIR.key(), "in_use.lock is no file", "remove it");
    }

    @Test
    void start_withDirectoryThatOthersMayWrite_staysStock() throws Exception {
        Path directory = Files.createDirectory(cluster.scratch().resolve("shared"));
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
        conf.set(TerraceSettings.DATANODE_MEMORY_DIR.key(), directory.toString());
        staysStock(TerraceSettings.DATANODE_MEMORY_DIR.key(), "chmod go-w");
    }

    @Test
    void start_withDirectoryOnDisk_staysStockUnlessAllowed(@TempDir Path temporary) throws Exception {
        Path disk = Files.createDirectories(Path.of("target/not-tmpfs").toAbsolutePath());
        Path directory = Files.getFileStore(temporary).type().equals("tmpfs") ? disk : temporary;
        if (Files.getFileStore(directory).type().equals("tmpfs")) {
            return;
        }
        conf.set(TerraceSettings.DATANODE_MEMORY_DIR.key(), directory.toString());
        staysStock(TerraceSettings.DATANODE_MEMORY_DIR.key(), "not on tmpfs");

        conf.setBoolean(TerraceSettings.DATANODE_MEMORY_REQUIRE_TMPFS.key(), false);
        TerraceDataNodePlugin plugin = new TerraceDataNodePlugin();
        plugin.start(cluster.datanode(0));
        try {
            Awaitility.await()
                    .until(() -> plugin.running() instanceof PluginStarter thread && thread.service() != null);
        } finally {
            plugin.stop();
        }
    }

    @Test
    void start_switchedOff_isQuiet() throws Exception {
        conf.setBoolean(TerraceSettings.ENABLED.key(), false);
        TerraceDataNodePlugin plugin = new TerraceDataNodePlugin();
        plugin.start(cluster.datanode(0));
        assertThat(plugin.running()).isNull();
        assertThat(log.toString()).isEmpty();
    }

    @Test
    void start_inAnythingButADataNode_staysOut() {
        TerraceDataNodePlugin plugin = new TerraceDataNodePlugin();
        plugin.start("no DataNode");
        assertThat(plugin.running()).isNull();
        assertThat(log.toString()).contains("for a DataNode");
    }
}
