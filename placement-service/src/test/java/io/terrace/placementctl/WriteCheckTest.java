package io.terrace.placementctl;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.placement.heartbeat.HealthFinding;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.junit.jupiter.api.Test;

/** What doctor says of writes over the channel, by the configuration alone. */
class WriteCheckTest {
    private static final String WRITES = "terrace.client.write.enabled=true";
    private static final String CLASS = "fs.hdfs.impl=io.terrace.fs.TerraceFileSystem";
    private static final String TCP = "terrace.channel.tcp.port.offset=10";

    private static List<String> found(String... settings) {
        Configuration conf = new Configuration(false);
        for (String setting : settings) {
            conf.set(setting.substring(0, setting.indexOf('=')), setting.substring(setting.indexOf('=') + 1));
        }
        List<String> ids = new ArrayList<>();
        for (HealthFinding finding : new ConfigurationCheck(conf).run()) {
            if (finding.id().startsWith("write-")) {
                ids.add(finding.id());
            }
        }
        return ids;
    }

    @Test
    void run_writesThatAreOff_findsNothing() {
        assertThat(found(CLASS, TCP, "dfs.encrypt.data.transfer=true")).isEmpty();
    }

    @Test
    void run_writesAsTheyShouldBe_findsNothing() {
        assertThat(found(WRITES, CLASS, TCP, "terrace.client.write.close=minimal"))
                .isEmpty();
    }

    @Test
    void run_whatHasNoEffectWithoutWrites_isSaid() {
        assertThat(found(CLASS, TCP, "terrace.client.write.close=minimal")).containsExactly("write-off");
        assertThat(found(CLASS, TCP, "terrace.client.write.through=true")).containsExactly("write-off");
    }

    @Test
    void run_withoutTheClass_saysThatStockWrites() {
        assertThat(found(WRITES, TCP)).containsExactly("write-no-class");
    }

    /** A process without the jar fails where core-site.xml names the class. */
    @Test
    void run_withoutTheClass_neverSendsToCoreSite() {
        Configuration conf = new Configuration(false);
        conf.set("terrace.client.write.enabled", "true");
        conf.set("terrace.channel.tcp.port.offset", "10");
        assertThat(new ConfigurationCheck(conf).run())
                .filteredOn(finding -> finding.id().endsWith("no-class"))
                .hasSize(2)
                .allSatisfy(
                        finding -> assertThat(finding.remedy()).contains("hdfs-site.xml", "never in core-site.xml"));
    }

    @Test
    void run_protectedTransfer_saysThatStockWrites() {
        assertThat(found(WRITES, CLASS, TCP, "dfs.encrypt.data.transfer=true")).containsExactly("write-protected");
        assertThat(found(WRITES, CLASS, TCP, "dfs.data.transfer.protection=integrity"))
                .containsExactly("write-protected");
    }

    @Test
    void run_withoutTcp_saysThatStockWrites() {
        assertThat(found(WRITES, CLASS)).containsExactly("write-no-tcp");
    }

    @Test
    void run_hadoopsDefaults_areNotNamed() {
        Configuration conf = new HdfsConfiguration();
        conf.setBoolean("terrace.client.write.enabled", true);
        assertThat(new WriteCheck(conf).run()).extracting(HealthFinding::id).containsExactly("write-no-class");
    }

    @Test
    void run_settingsOfStockThatKeepFilesWaiting_areNamed() {
        assertThat(found(
                        WRITES,
                        CLASS,
                        TCP,
                        "dfs.client.block.write.locateFollowingBlock.retries=0",
                        "dfs.blockreport.incremental.intervalMsec=100"))
                .containsExactly("write-no-retries", "write-late-reports");
    }

    @Test
    void run_retriesForEver_areNotNamed() {
        assertThat(found(WRITES, CLASS, TCP, "dfs.client.block.write.locateFollowingBlock.retries=-1"))
                .isEmpty();
    }
}
