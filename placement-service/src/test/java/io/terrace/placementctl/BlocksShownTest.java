package io.terrace.placementctl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.terrace.placement.hdfs.LoggedLines;
import io.terrace.placement.hdfs.StandInDataNode;
import io.terrace.placement.hdfs.TerraceNameNodePlugin;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatResponseProto;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.net.NetUtils;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which blocks {@code top} and {@code policy show} tell whom of, and what asking costs HDFS. */
@Tag("cluster")
class BlocksShownTest {

    private static final long BLOCK = 1 << 20;
    private static final int FILES = 20;
    private static final String HDFS_AUDIT = "org.apache.hadoop.hdfs.server.namenode.FSNamesystem.audit";

    @TempDir
    static java.nio.file.Path dir;

    private static MiniDFSCluster cluster;
    private static CtlSession session;
    private static StandInDataNode dataNode;
    private static LoggedLines log;
    private static ExtendedBlock secret;
    private static ExtendedBlock replaced;
    private static ExtendedBlock moved;

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
        replaced = readsOfAReplacedFile(files);
        moved = readsOfAMovedFile(files);
        dataNode.beat();
        Logger.getLogger(HDFS_AUDIT).setLevel(Level.INFO);
        log = new LoggedLines(HDFS_AUDIT, "io.terrace.audit");
    }

    /** A file that its owner alone may read, which a snapshot alone still has; at its path stands one that all may read. */
    private static ExtendedBlock readsOfAReplacedFile(DistributedFileSystem files) throws Exception {
        Path directory = new Path("/replaced");
        Path path = new Path(directory, "file");
        DFSTestUtil.createFile(files, path, 4321, (short) 1, 8);
        files.setPermission(path, new FsPermission((short) 0600));
        ExtendedBlock block = DFSTestUtil.getFirstBlock(files, path);
        files.allowSnapshot(directory);
        files.createSnapshot(directory, "before");
        files.delete(path, false);
        DFSTestUtil.createFile(files, path, 1000, (short) 1, 9);
        dataNode.reads(block, 4);
        return block;
    }

    /** A file that was renamed after the snapshot that alone still has it, so that it stands in no directory. */
    private static ExtendedBlock readsOfAMovedFile(DistributedFileSystem files) throws Exception {
        Path directory = new Path("/moved");
        Path path = new Path(directory, "after");
        DFSTestUtil.createFile(files, new Path(directory, "before"), 2345, (short) 1, 10);
        ExtendedBlock block = DFSTestUtil.getFirstBlock(files, new Path(directory, "before"));
        files.allowSnapshot(directory);
        files.createSnapshot(directory, "old");
        files.rename(new Path(directory, "before"), path);
        files.delete(path, false);
        dataNode.reads(block, 3);
        return block;
    }

    @AfterAll
    static void stop() {
        log.close();
        if (dataNode != null) {
            dataNode.close();
        }
        cluster.shutdown(true);
    }

    @Test
    void top_byAUser_leavesOneLineInAllAuditLogs() throws Exception {
        log.lines().clear();
        assertThat(session.runAs("stranger", "top", "-n", "1000")).isZero();
        assertThat(session.out).contains("/open/file7").doesNotContain("/closed", "/replaced", "/moved");
        assertThat(log.lines())
                .singleElement()
                .asString()
                .startsWith("allowed=true\tugi=stranger ")
                .contains("cmd=terrace.top\t")
                .endsWith("result=" + FILES + " of " + (FILES + 3) + " blocks may be read");
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
                .hasSize(3)
                .allSatisfy(row -> assertThat(row.fieldNames()).toIterable().containsExactly("heat", "inMemory"));
        // With the colon: the digits of a heat may be any.
        assertThat(session.out)
                .doesNotContain(
                        Long.toString(secret.getBlockId()), ": 1234", Long.toString(replaced.getBlockId()), ": 4321")
                .doesNotContain(Long.toString(moved.getBlockId()), ": 2345");
    }

    @Test
    void top_bySuperuser_showsEverything() {
        assertThat(session.run("top", "-n", "1000")).isZero();
        assertThat(session.out)
                .contains("/closed/secret", "blk_" + secret.getBlockId(), "blk_" + replaced.getBlockId());
    }

    @Test
    void explain_ofAFileThatStandsInNoDirectory_isForTheSuperuserAlone() throws Exception {
        String block = "blk_" + moved.getBlockId();
        assertThat(session.runAs("stranger", "explain", block)).isEqualTo(1);
        assertThat(session.err).contains("that you may know of").doesNotContain("after");
        assertThat(session.runAs("stranger", "explain", "/moved/.snapshot/old/before"))
                .isEqualTo(1);
        assertThat(session.err).contains("as it is now").doesNotContain("/after", "2345");
        assertThat(session.run("explain", block, "--json")).isZero();
        assertThat(session.json().get("lengthBytes").asLong()).isEqualTo(2345);
    }

    @Test
    void explain_throughASnapshot_ofAFileThatTheCallerMayReadNoMore_isRefused() throws Exception {
        DistributedFileSystem files = cluster.getFileSystem();
        Path directory = new Path("/tightened");
        Path file = new Path(directory, "file");
        DFSTestUtil.createFile(files, file, 1000, (short) 1, 11);
        files.allowSnapshot(directory);
        files.createSnapshot(directory, "open");
        String inSnapshot = "/tightened/.snapshot/open/file";
        assertThat(session.runAs("stranger", "explain", inSnapshot)).isZero();
        files.setPermission(file, new FsPermission((short) 0600));
        assertThat(session.runAs("stranger", "explain", inSnapshot)).isEqualTo(1);
        assertThat(session.err).contains(inSnapshot, "as it is now");
        assertThat(session.run("explain", inSnapshot)).isZero();
    }

    @Test
    void explain_ofABlockWhosePathIsAnotherFilesNow_isThatOfTheBlocksOwnFile() throws Exception {
        assertThat(session.runAs("stranger", "explain", "/replaced/file")).isZero();
        assertThat(session.runAs("stranger", "explain", "blk_" + replaced.getBlockId()))
                .isEqualTo(1);
        assertThat(session.err).contains("that you may know of").doesNotContain("/replaced");
        assertThat(session.run("explain", "blk_" + replaced.getBlockId(), "--json"))
                .isZero();
        assertThat(session.json().get("lengthBytes").asLong()).isEqualTo(4321);
    }

    @Test
    void dryRun_decisionsAreToldToThoseWhoMayChangePlacementAlone() throws Exception {
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
