package io.terrace.placementctl;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.placement.heartbeat.HealthFinding;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.apache.hadoop.conf.Configuration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What doctor says of reads from other hosts, by the configuration alone. */
class ConfigurationCheckTest {
    private static final String OFFSET = "terrace.channel.tcp.port.offset";

    @Test
    void run_tcpWithEncryptedTransfer_saysThatItStepsAside() {
        assertThat(ids(Map.of(OFFSET, "10", "dfs.encrypt.data.transfer", "true")))
                .contains("tcp-protected");
    }

    @Test
    void run_tcpWithProtectedTransfer_saysThatItStepsAside() {
        assertThat(ids(Map.of(OFFSET, "10", "dfs.data.transfer.protection", "privacy")))
                .contains("tcp-protected");
    }

    @Test
    void run_classThatIsMissing_namesTheJarOfTheTarball() {
        Configuration conf = new Configuration(false);
        conf.set("fs.hdfs.impl", "io.terrace.fs.NotThere");
        assertThat(new ConfigurationCheck(conf).run())
                .filteredOn(finding -> finding.id().equals("missing-class"))
                .singleElement()
                .satisfies(finding -> assertThat(finding.remedy()).contains("lib/client/terrace-client-*.jar"));
    }

    @Test
    void run_tcpWithTheClass_findsNothingOfIt() {
        assertThat(ids(Map.of(OFFSET, "10", "fs.hdfs.impl", "io.terrace.fs.TerraceFileSystem")))
                .noneMatch(id -> id.startsWith("tcp-"));
    }

    @Test
    void run_withoutTcp_saysNothingOfProtection() {
        assertThat(ids(Map.of("dfs.encrypt.data.transfer", "true"))).noneMatch(id -> id.startsWith("tcp-"));
    }

    @Test
    void run_nvmWithoutTcp_saysWhoServesIt() {
        String dirs = "/disk, [nvdimm]file:///nvm";
        assertThat(ids(Map.of("dfs.datanode.data.dir", dirs))).contains("nvm-without-tcp");
        assertThat(ids(Map.of("dfs.datanode.data.dir", dirs, OFFSET, "10"))).doesNotContain("nvm-without-tcp");
        assertThat(ids(Map.of("dfs.datanode.data.dir", dirs, "terrace.datanode.nvm.enabled", "false")))
                .doesNotContain("nvm-without-tcp");
        assertThat(ids(Map.of("dfs.datanode.data.dir", "/disk"))).doesNotContain("nvm-without-tcp");
    }

    @Test
    void run_nvmWithoutADirectoryForThisHost_saysWhoServesIt() {
        String id = "nvm-without-local-dir";
        String dirs = "dfs.datanode.data.dir";
        String plugin = "dfs.datanode.plugins";
        String ours = "io.terrace.datanode.hdfs.TerraceDataNodePlugin";
        String channel = "terrace.channel.dir";
        String nvm = "/disk,[NVDIMM]/nvm";
        assertThat(ids(Map.of(plugin, ours, dirs, nvm, channel, "/run/t"))).contains(id);
        assertThat(ids(Map.of(plugin, ours, dirs, nvm, channel, "/run/t", "terrace.datanode.nvm.local.dir", "/nvm-t")))
                .doesNotContain(id);
        assertThat(ids(Map.of(plugin, ours, dirs, nvm)))
                .as("nobody is granted anything")
                .doesNotContain(id);
        assertThat(ids(Map.of(plugin, ours, dirs, "/disk", channel, "/run/t"))).doesNotContain(id);
    }

    @Test
    void run_wrongValuesOfAnyProcess_areAllNamed() {
        Configuration conf = new Configuration(false);
        conf.set("terrace.client.grant.timeout", "soon");
        conf.set("terrace.datanode.memory.copy.threads", "0");
        conf.set("terrace.placement.interval", "-5s");
        assertThat(new ConfigurationCheck(conf).run())
                .filteredOn(finding -> finding.id().equals("bad-value"))
                .extracting(HealthFinding::text)
                .hasSize(3)
                .anyMatch(text -> text.startsWith("terrace.client.grant.timeout is soon; it must be a time"))
                .anyMatch(text -> text.startsWith("terrace.datanode.memory.copy.threads is 0; it must be"))
                .anyMatch(text -> text.startsWith("terrace.placement.interval is -5s; it must be"));
    }

    @Test
    void run_aPolicyThatThereIsNot_isNamed() {
        assertThat(ids(Map.of("terrace.placement.policy", "guess"))).contains("bad-value");
        assertThat(ids(Map.of())).doesNotContain("bad-value");
    }

    /** With each of them the whole DataNode is stock. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "unset",
            value = {
                "terrace.datanode.memory.capacity     | unset | no-memory-capacity",
                "terrace.datanode.memory.dir          | unset | no-memory-dir",
                "terrace.datanode.memory.capacity.max | 2g    | bad-value",
                "terrace.datanode.memory.capacity     | 9t    | bad-value",
                "terrace.datanode.nvm.local.dir       | nvm   | bad-value"
            })
    void run_whatMakesADataNodeStock_isAnError(String key, @Nullable String value, String id) {
        Configuration conf = new Configuration(false);
        conf.set("dfs.datanode.plugins", ConfigurationCheck.DATANODE_PLUGIN);
        conf.set("dfs.datanode.fsdataset.factory", ConfigurationCheck.DATASET_FACTORY);
        conf.set("terrace.datanode.memory.dir", "/mnt/t");
        conf.set("terrace.datanode.memory.capacity", "4g");
        assertThat(errors(conf)).isEmpty();
        if (value == null) {
            conf.unset(key);
        } else {
            conf.set(key, value);
        }
        assertThat(errors(conf)).singleElement().satisfies(finding -> {
            assertThat(finding.id()).isEqualTo(id);
            assertThat(finding.text()).contains("terrace.datanode.").contains("are stock");
        });
    }

    @ParameterizedTest
    @CsvSource({
        "dfs.datanode.max.locked.memory, 64gb",
        "dfs.blockreport.incremental.intervalMsec, 300ms",
        "dfs.client.block.write.locateFollowingBlock.retries, many"
    })
    void run_valueOfStockThatCannotBeRead_isNamed(String key, String value) {
        Configuration conf = new Configuration(false);
        conf.set("dfs.datanode.plugins", ConfigurationCheck.DATANODE_PLUGIN);
        conf.set("dfs.datanode.fsdataset.factory", ConfigurationCheck.DATASET_FACTORY);
        conf.set("terrace.datanode.memory.dir", "/mnt/t");
        conf.set("terrace.datanode.memory.capacity", "4g");
        conf.set("terrace.client.write.enabled", "true");
        conf.set(key, value);
        assertThat(errors(conf)).singleElement().satisfies(finding -> {
            assertThat(finding.id()).isEqualTo("bad-stock-value");
            assertThat(finding.text()).startsWith(key + " is " + value + ": ");
        });
    }

    private static List<HealthFinding> errors(Configuration conf) {
        return new ConfigurationCheck(conf)
                .run().stream()
                        .filter(finding -> finding.severity() == HealthFinding.Severity.ERROR)
                        .toList();
    }

    /** In an installation this command has the servers' jar, whose classes clients do not have. */
    @Test
    void run_aClassThatHadoopLacks_isNamedThoughThisCommandHasIt(@TempDir Path dir) throws Exception {
        Configuration conf = new Configuration(false);
        conf.set(ConfigurationCheck.ACCESSORS, ConfigurationCheck.ACCESSOR);
        conf.set("fs.hdfs.impl", "io.terrace.fs.TerraceFileSystem");
        assertThat(missing(conf, null)).isEmpty();
        assertThat(missing(conf, dir + ":" + dir + "/*:/nowhere/*"))
                .hasSize(2)
                .allMatch(text -> text.contains("is not on the class path of this host's Hadoop (hadoop classpath)"));
        Path client = Files.createDirectories(dir.resolve("classes/io/terrace/client"));
        Files.createFile(client.resolve("TerraceAccessorBuilder.class"));
        try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(dir.resolve("fs.jar")))) {
            jar.putNextEntry(new JarEntry("io/terrace/fs/TerraceFileSystem.class"));
        }
        assertThat(missing(conf, dir + "/classes:" + dir + "/*")).isEmpty();
    }

    private static List<String> missing(Configuration conf, @Nullable String hadoop) {
        return new ConfigurationCheck(conf, new HadoopClassPath(conf, hadoop))
                .run().stream()
                        .filter(finding -> finding.id().equals("missing-class"))
                        .map(HealthFinding::text)
                        .toList();
    }

    private static List<String> ids(Map<String, String> properties) {
        Configuration conf = new Configuration(false);
        properties.forEach(conf::set);
        return new ConfigurationCheck(conf)
                .run().stream().map(HealthFinding::id).toList();
    }
}
