package io.terrace.placementctl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.terrace.placement.hdfs.NameNodePluginTest;
import io.terrace.placement.hdfs.NameNodeRestart;
import io.terrace.placement.hdfs.StandInDataNode;
import io.terrace.placement.hdfs.TerraceNameNodePlugin;
import io.terrace.placementctl.command.ExitCode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
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

/** The journal of a real NameNode: heat and history through a rename and a restart, and what happens without it. */
@Tag("cluster")
class HistoryCtlTest {

    private static final long BLOCK = 1 << 20;

    @TempDir
    java.nio.file.Path dir;

    private MiniDFSCluster cluster;
    private DistributedFileSystem fs;
    private CtlSession session;

    @BeforeEach
    void start() throws Exception {
        start(dir.resolve("journal"));
    }

    private void start(java.nio.file.Path journal) throws Exception {
        Configuration conf = new HdfsConfiguration();
        conf.set("dfs.namenode.plugins", TerraceNameNodePlugin.class.getName());
        conf.set("terrace.placement.rpc-address", "127.0.0.1:0");
        conf.set("terrace.placement.policy", "idecider");
        conf.set("terrace.placement.journal.dir", journal.toString());
        conf.set("terrace.placement.tracked.blocks", "1000");
        conf.setInt("dfs.heartbeat.interval", 1);
        cluster = new MiniDFSCluster.Builder(conf, dir.resolve("dfs").toFile()).build();
        cluster.waitActive();
        fs = cluster.getFileSystem();
        connect();
    }

    @AfterEach
    void stop() {
        cluster.shutdown(true);
    }

    private void connect() throws Exception {
        session = CtlSession.of(
                dir.resolve("conf"),
                fs.getUri(),
                CtlSession.service(cluster.getNameNode().getConf()));
        await().atMost(Duration.ofSeconds(30)).until(() -> session.run("status") == 0);
    }

    private void restart() throws Exception {
        NameNodeRestart.of(cluster);
        connect();
    }

    private StandInDataNode standIn() throws Exception {
        return new StandInDataNode(
                NameNodePluginTest.service(cluster, 0),
                cluster.getConfiguration(0),
                cluster.getDataNodes().get(0),
                cluster.getNamesystem(0).getBlockPoolId(),
                8 * BLOCK);
    }

    private static void until(StandInDataNode node, BooleanSupplier holds) {
        await().atMost(Duration.ofSeconds(20)).ignoreExceptions().until(() -> {
            node.beat();
            return holds.getAsBoolean();
        });
    }

    private JsonNode moves(String... words) throws Exception {
        assertThat(session.run(words)).as(session.err).isZero();
        return session.json().path("moves");
    }

    @Test
    void movesAndHeat_areThereAfterRenameAndRestart() throws Exception {
        DFSTestUtil.createFile(fs, new Path("/a"), BLOCK, (short) 1, 7);
        fs.setPermission(new Path("/a"), new FsPermission((short) 0600));
        ExtendedBlock block = DFSTestUtil.getFirstBlock(fs, new Path("/a"));
        try (StandInDataNode node = standIn()) {
            node.reads(block, 9);
            until(node, () -> node.memory.containsKey(block.getBlockId()));
            node.beat();
            assertThat(session.run("demote", "/a")).isZero();
            until(node, () -> !node.memory.containsKey(block.getBlockId()));
            node.beat();
            await().atMost(Duration.ofSeconds(10))
                    .until(() -> moves("history", "/a", "--json").size() == 2);
        }
        fs.rename(new Path("/a"), new Path("/b"));
        restart();

        JsonNode moves = moves("history", "/b", "--json");
        assertThat(moves).hasSize(2);
        assertThat(moves.get(0).path("cause").asText()).isEqualTo("operator");
        assertThat(moves.get(0).path("reason").asText()).startsWith("an operator wanted it (");
        assertThat(moves.get(0).path("state").asText()).isEqualTo("done");
        assertThat(moves.get(1).path("cause").asText()).isEqualTo("policy");
        assertThat(moves("history", "/b", "--json", "--limit", "1")).hasSize(1);
        assertThat(session.run("history", "blk_" + block.getBlockId())).isZero();
        assertThat(session.out).contains("into memory", "out of memory", "operator", "done");
        assertThat(session.runAs("stranger", "history", "/b")).isEqualTo(ExitCode.REFUSED);
        assertThat(session.err).contains("that you may read");
        assertThat(session.run("history", "/a")).isEqualTo(ExitCode.REFUSED);
        assertThat(session.run("history", "/b", "--limit", "0")).isEqualTo(ExitCode.USAGE);
    }

    @Test
    void heatBeyondTheHeap_isKnownAgainAfterARestart() throws Exception {
        int tracked = 1_000;
        try (StandInDataNode node = standIn()) {
            until(node, () -> true);
            for (int id = 1; id <= tracked; id++) {
                // So few that nothing is promoted: the NameNode does not know these blocks.
                node.reads(block(id), 2);
            }
            node.beat();
            for (int id = tracked + 1; id <= 2 * tracked; id++) {
                node.reads(block(id), 1);
            }
            node.beat();
        }
        await().atMost(Duration.ofSeconds(10)).until(() -> figure("placement.journal.heat.written") >= tracked);
        restart();
        try (StandInDataNode node = standIn()) {
            until(
                    node,
                    () -> session.run("top", "--count", "1000", "--json") == 0 && hotterThan(1.5) >= 0.95 * tracked);
        }
        assertThat(session.run("status")).isZero();
        assertThat(session.out).contains("Journal    on, ").contains("1000 blocks' heat loaded");
    }

    private ExtendedBlock block(long id) {
        // Small, so that a heartbeat may report so many reads at once.
        return new ExtendedBlock(cluster.getNamesystem(0).getBlockPoolId(), (1L << 40) + id, 100, 5_000 + id);
    }

    private long hotterThan(double heat) {
        try {
            long hot = 0;
            for (JsonNode block : session.json().path("blocks")) {
                hot += block.path("heat").asDouble() > heat ? 1 : 0;
            }
            return hot;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private long figure(String id) throws IOException {
        session.run("status", "--json");
        return session.json().path("services").path(0).path("figures").path(id).asLong();
    }

    @Test
    void journalThatCannotBe_isSaidOnce_andTheServiceIsThere() throws Exception {
        cluster.shutdown(true);
        java.nio.file.Path blocked = dir.resolve("file");
        Files.writeString(blocked, "no directory");
        start(blocked);
        await().atMost(Duration.ofSeconds(10)).until(() -> {
            session.run("doctor");
            return session.out.contains("journal.off");
        });
        assertThat(session.out).contains("terrace.placement.journal.dir");
        DFSTestUtil.createFile(fs, new Path("/a"), BLOCK, (short) 1, 7);
        ExtendedBlock block = DFSTestUtil.getFirstBlock(fs, new Path("/a"));
        try (StandInDataNode node = standIn()) {
            node.reads(block, 9);
            until(node, () -> node.memory.containsKey(block.getBlockId()));
            node.beat();
        }
        assertThat(moves("history", "/a", "--json")).hasSize(1);
        assertThat(session.json().path("note").asText()).contains("the latest moves alone");
    }
}
