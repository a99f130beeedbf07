package io.terrace.placementctl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.terrace.placement.hdfs.StandInDataNode;
import io.terrace.placement.hdfs.TerraceNameNodePlugin;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatResponseProto;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.net.NetUtils;
import org.apache.log4j.AppenderSkeleton;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.spi.LoggingEvent;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which blocks {@code top} and {@code policy show} tell whom of, and what asking costs HDFS. */
class BlocksShownTest {

    private static final long BLOCK = 1 << 20;
    private static final int FILES = 20;
    private static final String HDFS_AUDIT = "org.apache.hadoop.hdfs.server.namenode.FSNamesystem.audit";
    private static final List<String> LINES = new CopyOnWriteArrayList<>();

    private static final AppenderSkeleton APPENDER = new AppenderSkeleton() {
        @Override
        protected void append(LoggingEvent event) {
            LINES.add(event.getRenderedMessage());
        }

        @Override
        public void close() {}

        @Override
        public boolean requiresLayout() {
            return false;
        }
    };

    @TempDir
    static java.nio.file.Path dir;

    private static MiniDFSCluster cluster;
    private static CtlSession session;
    private static StandInDataNode dataNode;
    private static ExtendedBlock secret;

    @BeforeAll
    static void start() throws Exception {
        Configuration configuration = new HdfsConfiguration();
        configuration.set("dfs.namenode.plugins", TerraceNameNodePlugin.class.getName());
        configuration.set("terrace.placement.rpc-address", "127.0.0.1:0");
        cluster = new MiniDFSCluster.Builder(configuration, dir.resolve("dfs").toFile()).build();
        cluster.waitActive();
        DistributedFileSystem files = cluster.getFileSystem();
        Configuration bound = cluster.getNameNode().getConf();
        String service = CtlSession.service(bound);
        session = CtlSession.of(dir.resolve("conf"), files.getUri(), service);
        dataNode = new StandInDataNode(
                NetUtils.createSocketAddr(service),
                bound,
                cluster.getDataNodes().get(0),
                cluster.getNamesystem().getBlockPoolId(),
                64 * BLOCK);
        await().atMost(Duration.ofSeconds(20)).until(dataNode::beat, HeartbeatResponseProto::getActive);
        for (int i = 0; i < FILES; i++) {
            Path file = new Path("/open/file" + i);
            DFSTestUtil.createFile(files, file, 1000, (short) 1, i);
            dataNode.reads(DFSTestUtil.getFirstBlock(files, file), 1);
        }
        DFSTestUtil.createFile(files, new Path("/closed/secret"), 1234, (short) 1, 7);
        files.setPermission(new Path("/closed"), new FsPermission((short) 0700));
        secret = DFSTestUtil.getFirstBlock(files, new Path("/closed/secret"));
        dataNode.reads(secret, 5);
        dataNode.beat();
        Logger.getLogger(HDFS_AUDIT).setLevel(Level.INFO);
        Logger.getLogger(HDFS_AUDIT).addAppender(APPENDER);
        Logger.getLogger("io.terrace.audit").addAppender(APPENDER);
    }

    @AfterAll
    static void stop() {
        Logger.getLogger(HDFS_AUDIT).removeAppender(APPENDER);
        Logger.getLogger("io.terrace.audit").removeAppender(APPENDER);
        if (dataNode != null) {
            dataNode.close();
        }
        cluster.shutdown(true);
    }

    @Test
    void top_byAUser_leavesOneLineInAllAuditLogs() throws Exception {
        LINES.clear();
        assertThat(session.runAs("stranger", "top", "-n", "1000")).isZero();
        assertThat(session.out).contains("/open/file7").doesNotContain("/closed");
        assertThat(LINES)
                .singleElement()
                .asString()
                .startsWith("allowed=true\tugi=stranger ")
                .contains("cmd=terrace.top\t")
                .endsWith("result=" + FILES + " of " + (FILES + 1) + " blocks may be read");
    }

    @Test
    void top_ofAFileThatTheCallerMayNotRead_hasHeatAndTierAlone() throws Exception {
        assertThat(session.runAs("stranger", "top", "-n", "1000", "--json")).isZero();
        List<JsonNode> closed = new ArrayList<>();
        session.json().get("blocks").forEach(row -> {
            if (!row.has("path")) {
                closed.add(row);
            }
        });
        assertThat(closed)
                .singleElement()
                .satisfies(row -> assertThat(row.fieldNames()).toIterable().containsExactly("heat", "inMemory"));
        assertThat(session.out).doesNotContain(Long.toString(secret.getBlockId()), "1234");
    }

    @Test
    void top_bySuperuser_showsEverything() {
        assertThat(session.run("top", "-n", "1000")).isZero();
        assertThat(session.out).contains("/closed/secret", "blk_" + secret.getBlockId());
    }

    @Test
    void rehearsal_decisionsAreToldToThoseWhoMayChangePlacementAlone() throws Exception {
        java.nio.file.Path candidate = Files.writeString(dir.resolve("candidate.yaml"), "policy: lru\n");
        assertThat(session.run("policy", "apply", candidate.toString(), "--dry-run"))
                .as(session.err)
                .isZero();
        await().atMost(Duration.ofSeconds(30)).until(() -> {
            dataNode.reads(secret, 1);
            dataNode.beat();
            assertThat(session.run("policy", "show", "--json")).isZero();
            return session.json().get("rehearsal").get("decisions").size() > 0;
        });
        assertThat(session.runAs("stranger", "policy", "show", "--json")).isZero();
        assertThat(session.json().get("rehearsal").get("decisions")).isEmpty();
        assertThat(session.run("policy", "apply", "--dry-run", "--stop")).isZero();
    }
}
