package io.terrace.placementctl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.placement.hdfs.TerraceNameNodePlugin;
import io.terrace.placement.state.OperatorState;
import io.terrace.placementctl.command.ExitCode;
import java.time.Duration;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pins of files that are deleted, replaced or renamed afterwards. */
@Tag("cluster")
class PinCtlTest {

    private static final Path ROOT = new Path("/");
    private static final String ATTRIBUTE = "trusted.terrace.placement";

    @TempDir
    static java.nio.file.Path dir;

    private static MiniDFSCluster cluster;
    private static DistributedFileSystem fs;
    private static CtlSession session;

    @BeforeAll
    static void start() throws Exception {
        Configuration configuration = new HdfsConfiguration();
        configuration.set("dfs.namenode.plugins", TerraceNameNodePlugin.class.getName());
        configuration.set("terrace.placement.rpc-address", "127.0.0.1:0");
        // A DataNode comes back to a NameNode that was restarted with its next heartbeat.
        configuration.setInt("dfs.heartbeat.interval", 1);
        cluster = new MiniDFSCluster.Builder(configuration, dir.resolve("dfs").toFile()).build();
        cluster.waitActive();
        fs = cluster.getFileSystem();
    }

    @AfterAll
    static void stop() {
        cluster.shutdown(true);
    }

    /** Each test begins with no pins but those that it stores before. */
    @BeforeEach
    void beginWithoutPins() throws Exception {
        beginWith(OperatorState.initial());
    }

    private static void beginWith(OperatorState orders) throws Exception {
        fs.setXAttr(ROOT, ATTRIBUTE, orders.encoded());
        cluster.restartNameNode(0);
        cluster.waitActive();
        session = CtlSession.of(
                dir.resolve("conf"),
                fs.getUri(),
                CtlSession.service(cluster.getNameNode().getConf()));
        await().atMost(Duration.ofSeconds(30)).until(() -> session.run("status") == 0);
    }

    private static long file(String path) throws Exception {
        DFSTestUtil.createFile(fs, new Path(path), 1000, (short) 1, 7);
        return fs.getClient().getFileInfo(path).getFileId();
    }

    private static Iterable<Long> pins() throws Exception {
        return OperatorState.decoded(fs.getXAttr(ROOT, ATTRIBUTE)).pins().keySet();
    }

    @Test
    void pins_areListedByPath_throughRenameDeletionAndRestart() throws Exception {
        assertThat(session.run("pins")).isZero();
        assertThat(session.out).contains("Nothing is pinned.");
        long second = file("/eight/b");
        long deleted = file("/eight/c");
        for (String path : List.of("/eight/b", "/eight/c")) {
            assertThat(session.run("pin", path)).isZero();
        }
        fs.rename(new Path("/eight/b"), new Path("/eight/a"));
        fs.delete(new Path("/eight/c"), false);
        beginWith(OperatorState.decoded(fs.getXAttr(ROOT, ATTRIBUTE)));
        assertThat(session.run("pins")).isZero();
        assertThat(session.out)
                .containsSubsequence("operator", Long.toString(second), "/eight/a", Long.toString(deleted), "(deleted)")
                .contains("2 of at most 1000 files");
        assertThat(session.run("--json", "pins")).isZero();
        assertThat(session.json().at("/pins/0/path").asText()).isEqualTo("/eight/a");
        assertThat(session.json().at("/pins/1/gone").asBoolean()).isTrue();
        assertThat(session.runAs("stranger", "pins")).isEqualTo(1);
        assertThat(session.err).contains("may not list pins");
    }

    @Test
    void unpin_ofWhatIsNotPinned_saysSoAndExitsOne() throws Exception {
        long pinned = file("/one/pinned");
        file("/one/other");
        assertThat(session.run("pin", "/one/pinned")).isZero();
        assertThat(session.run("unpin", "/one/other")).isEqualTo(1);
        assertThat(session.out).contains("Nothing to do", "/one/other was not pinned");
        assertThat(session.run("unpin", "/one/absent")).isEqualTo(1);
        assertThat(session.err).contains("/one/absent is no file");
        assertThat(pins()).containsExactly(pinned);
        assertThat(session.run("unpin", "/one/pinned")).isZero();
        assertThat(session.out).contains("is not pinned").doesNotContain("was not", "gone");
        assertThat(pins()).isEmpty();
    }

    @Test
    void release_saysWhatIsOffItsPolicy_andWhyItStays() throws Exception {
        file("/off/below/one");
        file("/off/two");
        assertThat(session.run("release", "/off", "--wait")).as(session.err).isZero();
        assertThat(session.out).contains("2 files: 0 replicas, 0 MB off their storage policy");
        fs.setStoragePolicy(new Path("/off"), "ALL_SSD");
        assertThat(session.run("release", "/off", "--dry-run", "--json"))
                .as(session.err)
                .isZero();
        assertThat(session.json().at("/off").asInt()).isEqualTo(2);
        assertThat(session.json().at("/offBytes").asInt()).isEqualTo(2000);
        for (String[] call : new String[][] {{"release", "/off"}, {"release", "/off", "--wait"}}) {
            assertThat(session.run(call)).isEqualTo(ExitCode.REFUSED);
            assertThat(session.out).contains("Terrace does not run there");
        }
        assertThat(session.run("release", "/absent")).isEqualTo(ExitCode.REFUSED);
        assertThat(session.run("release", "off")).isEqualTo(ExitCode.USAGE);
        assertThat(session.runAs("stranger", "release", "/off")).isEqualTo(ExitCode.REFUSED);
        assertThat(session.err).contains("may not change placement");
    }

    @Test
    void pin_whereAsManyAsMayBeArePinnedAndDeleted_isPinned() throws Exception {
        OperatorState full = OperatorState.initial();
        for (int i = 0; i < OperatorState.MOST_PINS; i++) {
            full = full.withPin(1_000_000 + i, true);
        }
        beginWith(full);
        long inode = file("/two/file");
        assertThat(session.run("pin", "/two/file")).as(session.err).isZero();
        assertThat(pins()).containsExactly(inode);
    }

    @Test
    void unpin_ofADeletedFile_takesItsPinBack() throws Exception {
        file("/three/file");
        assertThat(session.run("pin", "/three/file")).isZero();
        fs.delete(new Path("/three/file"), false);
        assertThat(session.run("unpin", "/three/file")).isZero();
        assertThat(session.out).contains("/three/file is no file", "pins of files that are gone were taken back: 1");
        assertThat(pins()).isEmpty();
        assertThat(session.run("unpin", "/three/file")).isEqualTo(1);
    }

    @Test
    void unpin_ofAPathWhoseFileASnapshotAloneHas_takesThatPinBack() throws Exception {
        Path directory = new Path("/four");
        file("/four/file");
        assertThat(session.run("pin", "/four/file")).isZero();
        fs.allowSnapshot(directory);
        fs.createSnapshot(directory, "before");
        fs.delete(new Path("/four/file"), false);
        long replacement = file("/four/file");
        assertThat(session.run("pin", "/four/.snapshot/before/file")).isEqualTo(1);
        assertThat(session.err).contains("a snapshot alone has it");
        assertThat(session.run("unpin", "/four/file")).isZero();
        assertThat(session.out).contains("/four/file was not pinned", "gone were taken back: 1");
        assertThat(pins()).isEmpty();
        assertThat(session.run("pin", "/four/file")).isZero();
        assertThat(pins()).containsExactly(replacement);
    }

    @Test
    void unpin_ofAFileThatWasRenamedAfterASnapshotAndDeleted_takesItsPinBack() throws Exception {
        Path directory = new Path("/seven");
        file("/seven/before");
        fs.allowSnapshot(directory);
        fs.createSnapshot(directory, "old");
        fs.rename(new Path("/seven/before"), new Path("/seven/after"));
        assertThat(session.run("pin", "/seven/after")).isZero();
        fs.delete(new Path("/seven/after"), false);
        assertThat(session.run("unpin", "/seven/after")).as(session.err).isZero();
        assertThat(session.out).contains("gone were taken back: 1");
        assertThat(pins()).isEmpty();
        long other = file("/seven/other");
        assertThat(session.run("pin", "/seven/other")).isZero();
        assertThat(pins()).containsExactly(other);
    }

    @Test
    void pins_ofFilesThatAreRenamed_arePinsStill() throws Exception {
        Path directory = new Path("/five");
        long renamed = file("/five/before");
        long inSnapshot = file("/five/snapshot-before");
        long other = file("/five/other");
        assertThat(session.run("pin", "/five/before")).isZero();
        assertThat(session.run("pin", "/five/snapshot-before")).isZero();
        fs.rename(new Path("/five/before"), new Path("/five-renamed"));
        fs.allowSnapshot(directory);
        fs.createSnapshot(directory, "before");
        fs.rename(new Path("/five/snapshot-before"), new Path("/five/snapshot-after"));
        assertThat(session.run("pin", "/five/other")).isZero();
        assertThat(pins()).containsExactlyInAnyOrder(renamed, inSnapshot, other);
        assertThat(session.run("unpin", "/five/snapshot-after")).isZero();
        assertThat(pins()).containsExactlyInAnyOrder(renamed, other);
    }
}
