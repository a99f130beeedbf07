package io.terrace.placementctl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.terrace.common.ControlSample;
import io.terrace.common.ControlSample.Arm;
import io.terrace.placement.hdfs.NameNodePluginTest;
import io.terrace.placement.hdfs.StandInDataNode;
import io.terrace.placement.hdfs.TerraceNameNodePlugin;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a real NameNode reports of reads that a DataNode timed, with ten percent of blocks in the control sample. */
@Tag("cluster")
class ReportCtlTest {

    private static final int FILES = 120;
    private static final int BLOCK = 1 << 10;
    private static final long MS = 1_000_000;

    @TempDir
    java.nio.file.Path dir;

    private MiniDFSCluster cluster;
    private CtlSession session;
    private final List<ExtendedBlock> blocks = new ArrayList<>();

    @BeforeEach
    void start() throws Exception {
        Configuration conf = new HdfsConfiguration();
        conf.set("dfs.namenode.plugins", TerraceNameNodePlugin.class.getName());
        conf.set("terrace.placement.rpc-address", "127.0.0.1:0");
        conf.set("terrace.placement.policy", "idecider");
        conf.set("terrace.placement.control.share", "10");
        cluster = new MiniDFSCluster.Builder(conf, dir.resolve("dfs").toFile()).build();
        cluster.waitActive();
        DistributedFileSystem fs = cluster.getFileSystem();
        session = CtlSession.of(
                dir.resolve("conf"),
                fs.getUri(),
                CtlSession.service(cluster.getNameNode().getConf()));
        await().atMost(Duration.ofSeconds(30)).until(() -> session.run("status") == 0);
        for (int i = 0; i < FILES; i++) {
            Path file = new Path("/f" + i);
            DFSTestUtil.createFile(fs, file, BLOCK, (short) 1, i);
            blocks.add(DFSTestUtil.getFirstBlock(fs, file));
        }
    }

    @AfterEach
    void stop() {
        cluster.shutdown(true);
    }

    private StandInDataNode standIn() throws Exception {
        return new StandInDataNode(
                NameNodePluginTest.service(cluster, 0),
                cluster.getConfiguration(0),
                cluster.getDataNodes().get(0),
                cluster.getNamesystem(0).getBlockPoolId(),
                1 << 20);
    }

    /** All blocks are read four times; those in memory took as long as said, others 10 ms. */
    private void round(StandInDataNode node, long nsOfMemory) throws Exception {
        for (ExtendedBlock block : blocks) {
            long mean = node.memory.containsKey(block.getBlockId()) ? nsOfMemory : 10 * MS;
            node.timedReads(block, 4, 4 * mean * (90 + block.getBlockId() % 20) / 100);
        }
        node.beat();
    }

    private JsonNode report() throws Exception {
        assertThat(session.run("report", "--json")).as(session.err).isZero();
        return session.json();
    }

    @Test
    void fasterMemory_isReported_andTheSampleExplained() throws Exception {
        ControlSample sample = new ControlSample(10);
        ExtendedBlock control = blocks.stream()
                .filter(block -> sample.arm(block.getBlockId()) == Arm.CONTROL)
                .findFirst()
                .orElseThrow();
        assertThat(session.run("report")).isZero();
        assertThat(session.out).contains("No read was timed.").contains("Heat asked no tier for a block");
        try (StandInDataNode node = standIn()) {
            await().atMost(Duration.ofSeconds(60)).ignoreExceptions().until(() -> {
                round(node, 2 * MS);
                return report().path("benefits")
                        .path(0)
                        .path("verdict")
                        .asText()
                        .equals("faster");
            });
            for (int i = 0; i < 20; i++) {
                round(node, 2 * MS);
            }
            assertThat(node.memory).isNotEmpty().doesNotContainKey(control.getBlockId());
            JsonNode report = report();
            assertThat(report.path("controlPercent").asInt()).isEqualTo(10);
            assertThat(report.path("benefits").path(0).path("tier").asText()).isEqualToIgnoringCase("memory");
            assertThat(report.path("benefits")
                            .path(0)
                            .path("timesAsFast")
                            .path("mean")
                            .asDouble())
                    .isBetween(3.0, 5.2);
            assertThat(report.path("tiers")).hasSize(2);
            assertThat(session.run("report")).isZero();
            assertThat(session.out)
                    .containsPattern("memory +stayed +[0-9]+ ")
                    .containsPattern("memory +climbed +[0-9]+ ")
                    .containsPattern("disk +[0-9]+ ")
                    .contains("memory: reads of blocks that climbed are ");
            assertThat(session.run("explain", "blk_" + control.getBlockId())).isZero();
            assertThat(session.out).contains("in the control sample (terrace.placement.control.share)");
        }
    }

    @Test
    void slowerMemory_isLeft_asDoctorSays() throws Exception {
        try (StandInDataNode node = standIn()) {
            await().atMost(Duration.ofSeconds(60)).ignoreExceptions().until(() -> {
                round(node, 40 * MS);
                return report().path("benefits").path(0).has("leftForMs");
            });
            assertThat(session.run("report")).isZero();
            assertThat(session.out).contains("nothing climbs there by heat");
            assertThat(session.run("doctor")).isOne();
            assertThat(session.out).contains("memory: reads of blocks that climbed are 0.");
        }
    }
}
