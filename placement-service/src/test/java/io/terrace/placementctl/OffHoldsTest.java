package io.terrace.placementctl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.placement.hdfs.NameNodeRestart;
import io.terrace.placement.hdfs.StandInDataNode;
import io.terrace.placement.hdfs.TerraceNameNodePlugin;
import io.terrace.placement.state.OperatorState;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatResponseProto;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.net.NetUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an operator said of off holds, or it is off, whatever happened to where it stands. */
@Tag("cluster")
class OffHoldsTest {

    private static final Path ROOT = new Path("/");
    private static final String ATTRIBUTE = "trusted.terrace.placement";

    @TempDir
    java.nio.file.Path dir;

    private MiniDFSCluster cluster;
    private CtlSession session;
    private StandInDataNode dataNode;

    @BeforeEach
    void start() throws Exception {
        Configuration configuration = new HdfsConfiguration();
        configuration.set("dfs.namenode.plugins", TerraceNameNodePlugin.class.getName());
        configuration.set("terrace.placement.rpc-address", "127.0.0.1:0");
        // What a DataNode takes to find a NameNode that was started again.
        configuration.setLong("dfs.heartbeat.interval", 1);
        cluster = new MiniDFSCluster.Builder(configuration, dir.resolve("dfs").toFile()).build();
        cluster.waitActive();
        connect();
    }

    @AfterEach
    void stop() {
        if (dataNode != null) {
            dataNode.close();
        }
        cluster.shutdown(true);
    }

    private void connect() throws Exception {
        Configuration bound = cluster.getNameNode().getConf();
        String service = CtlSession.service(bound);
        session = CtlSession.of(dir.resolve("conf"), cluster.getFileSystem().getUri(), service);
        dataNode = new StandInDataNode(
                NetUtils.createSocketAddr(service),
                bound,
                cluster.getDataNodes().get(0),
                cluster.getNamesystem().getBlockPoolId(),
                1 << 20);
        // A connection from before a restart breaks once.
        await().atMost(Duration.ofSeconds(30))
                .ignoreExceptions()
                .until(dataNode::beat, HeartbeatResponseProto::getActive);
        await().atMost(Duration.ofSeconds(30)).until(() -> session.run("status") == 0);
    }

    private void restart() throws Exception {
        NameNodeRestart.of(cluster);
        dataNode.close();
        connect();
    }

    private void awaitServing(boolean serving) {
        await().atMost(Duration.ofSeconds(30))
                .until(dataNode::beat, answer -> answer.getActive() && answer.getServe() == serving);
    }

    @Test
    void orders_thatCannotBeRead_areOffUntilTheyCan() throws Exception {
        cluster.getFileSystem().setXAttr(ROOT, ATTRIBUTE, "damaged".getBytes(StandardCharsets.UTF_8));
        restart();
        assertThat(dataNode.beat().getServe()).isFalse();
        assertThat(session.run("status")).isZero();
        assertThat(session.out).contains("Serving    off", "cannot be read");
        assertThat(session.run("doctor")).isEqualTo(1);
        assertThat(session.out).contains("orders.unreadable");

        cluster.getFileSystem()
                .setXAttr(ROOT, ATTRIBUTE, OperatorState.initial().encoded());
        awaitServing(true);
        assertThat(session.run("status")).isZero();
        assertThat(session.out).contains("Serving    on").doesNotContain("cannot be read");
    }

    @Test
    void orders_thatCannotBeRead_areStoredAnewByTheOperator() throws Exception {
        cluster.getFileSystem().setXAttr(ROOT, ATTRIBUTE, new byte[0]);
        restart();
        assertThat(dataNode.beat().getServe()).isFalse();
        assertThat(session.run("on")).isZero();
        assertThat(session.run("resume")).isZero();
        assertThat(dataNode.beat().getServe()).isTrue();
        session.run("doctor");
        assertThat(session.out).doesNotContain("orders.unreadable");
        restart();
        assertThat(dataNode.beat().getServe()).isTrue();
    }

    @Test
    void orders_thatCannotBeRead_areNotErasedByPinsAndPause() throws Exception {
        Path file = new Path("/file");
        DFSTestUtil.createFile(cluster.getFileSystem(), file, 1000, (short) 1, 7);
        assertThat(session.run("pin", "/file")).isZero();
        byte[] before = cluster.getFileSystem().getXAttr(ROOT, ATTRIBUTE);
        byte[] damaged = "damaged".getBytes(StandardCharsets.UTF_8);
        cluster.getFileSystem().setXAttr(ROOT, ATTRIBUTE, damaged);
        restart();
        for (String[] verb : new String[][] {{"pin", "/file"}, {"unpin", "/file"}, {"pause"}}) {
            assertThat(session.run(verb)).as(verb[0]).isEqualTo(1);
            assertThat(session.err).contains("cannot be read");
        }
        assertThat(cluster.getFileSystem().getXAttr(ROOT, ATTRIBUTE)).isEqualTo(damaged);
        assertThat(session.run("doctor")).isEqualTo(1);
        assertThat(session.out).contains("orders.unreadable");

        cluster.getFileSystem().setXAttr(ROOT, ATTRIBUTE, before);
        awaitServing(true);
        assertThat(session.run("explain", "/file")).isZero();
        assertThat(session.out).contains("PINNED since ", ", for ever");
    }

    @Test
    void off_storedBeforeAttributesWereDisabled_holds() throws Exception {
        assertThat(session.run("off")).isZero();
        cluster.getConfiguration(0).setBoolean("dfs.namenode.xattrs.enabled", false);
        restart();
        assertThat(dataNode.beat().getServe()).isFalse();
        assertThat(session.run("on", "--json")).isZero();
        assertThat(session.out).contains("holds until the next restart");
        assertThat(dataNode.beat().getServe()).isTrue();
        restart();
        assertThat(dataNode.beat().getServe()).as("what is stored").isFalse();
    }

    @Test
    void attributes_neverEnabled_areNoTrouble() throws Exception {
        cluster.getConfiguration(0).setBoolean("dfs.namenode.xattrs.enabled", false);
        restart();
        assertThat(dataNode.beat().getServe()).isTrue();
        assertThat(session.run("status")).isZero();
        assertThat(session.out).contains("Serving    on").doesNotContain("cannot be read");
    }
}
