package io.terrace.placementctl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.placement.hdfs.NameNodeRestart;
import io.terrace.placement.hdfs.TerraceNameNodePlugin;
import io.terrace.placement.state.OperatorState;
import io.terrace.placement.state.OperatorState.Order;
import io.terrace.placement.state.OperatorState.Pin;
import io.terrace.placementctl.command.ExitCode;
import java.time.Duration;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.security.UserGroupInformation;
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
        NameNodeRestart.of(cluster);
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
                .containsSubsequence(user(), "for ever", "/eight/a", user(), "(deleted, inode " + deleted + ")")
                .contains("2 of at most 1000 files and directories");
        assertThat(session.run("--json", "pins")).isZero();
        assertThat(session.json().at("/pins/0/path").asText()).isEqualTo("/eight/a");
        assertThat(session.json().at("/pins/0/inode").asLong()).isEqualTo(second);
        assertThat(session.json().at("/pins/1/gone").asBoolean()).isTrue();
        assertThat(session.runAs("stranger", "pins")).isEqualTo(1);
        assertThat(session.err).contains("may not list pins");
    }

    private static String user() throws Exception {
        return UserGroupInformation.getCurrentUser().getShortUserName();
    }

    @Test
    void pin_ofADirectory_isOneEntry_throughRenameAndRestart() throws Exception {
        long inside = file("/nine/a/b/file");
        long directory = fs.getClient().getFileInfo("/nine/a").getFileId();
        assertThat(session.run("pin", "/nine/a")).isEqualTo(1);
        assertThat(session.err).contains("/nine/a is a directory; --recursive pins all files below it");
        assertThat(session.run("pin", "--recursive", "--ttl", "2h", "/nine/a"))
                .as(session.err)
                .isZero();
        assertThat(pins()).containsExactly(directory);
        assertThat(session.run("pin", "/nine/a/b/file"))
                .as("a pin within a pin")
                .isZero();
        fs.rename(new Path("/nine/a"), new Path("/nine/c"));
        beginWith(OperatorState.decoded(fs.getXAttr(ROOT, ATTRIBUTE)));
        await().atMost(Duration.ofSeconds(20)).until(() -> {
            assertThat(session.run("pins", "--json")).isZero();
            return session.json().at("/pins/0/bytes").asLong() == 1000;
        });
        assertThat(session.json().at("/pins/0/kind").asText()).isEqualTo("directory");
        assertThat(session.json().at("/pins/0/path").asText()).isEqualTo("/nine/c");
        assertThat(session.json().at("/pins/0/by").asText()).isEqualTo(user());
        assertThat(session.json().at("/pins/0/untilMs").asLong()
                        - session.json().at("/pins/0/sinceMs").asLong())
                .isBetween(7_200_000L, 7_201_000L);
        assertThat(session.run("explain", "/nine/c/b/file")).isZero();
        assertThat(session.out).contains("PINNED since ", " by " + user() + ", for ever", "runs without Terrace");
        assertThat(session.run("unpin", "/nine/c/b/file")).isZero();
        assertThat(session.run("explain", "/nine/c/b/file")).isZero();
        assertThat(session.out).contains("PINNED by /nine/c (recursive) since ", ", until 20");
        assertThat(session.run("unpin", "/nine/c")).isZero();
        assertThat(pins()).isEmpty();
        assertThat(fs.getClient().getFileInfo("/nine/c/b/file").getFileId()).isEqualTo(inside);
    }

    @Test
    void pin_ofWhatCannotBe_isRefused() throws Exception {
        file("/ten/file");
        for (String ttl : new String[] {"0s", "3651d", "999999999d"}) {
            assertThat(session.run("pin", "/ten/file", "--ttl", ttl)).as(ttl).isEqualTo(1);
            assertThat(session.err).contains("more than 0 s and at most 3650d");
        }
        assertThat(session.run("pin", "/ten/file", "--ttl", "-2h")).isEqualTo(2);
        assertThat(session.run("pin", "/ten/file", "--ttl=-2h")).isEqualTo(2);
        assertThat(session.err).contains("'-2h' is no time");
        assertThat(session.run("pin", "-r", "/")).isEqualTo(1);
        assertThat(session.err).contains("pin directories below it");
        assertThat(session.run("pin", "-r", "/absent")).isEqualTo(1);
        fs.allowSnapshot(new Path("/ten"));
        fs.mkdirs(new Path("/ten/directory"));
        fs.createSnapshot(new Path("/ten"), "s");
        for (String path : new String[] {"/ten/.snapshot", "/ten/.snapshot/s", "/ten/.snapshot/s/directory"}) {
            assertThat(session.run("pin", "-r", path)).as(path).isEqualTo(1);
        }
        assertThat(session.run("pin", "-r", "/ten/directory")).isZero();
        fs.delete(new Path("/ten/directory"), true);
        assertThat(session.run("pins")).isZero();
        assertThat(session.out).contains("(deleted, inode ");
        assertThat(session.run("pin", "/ten/file", "--ttl", "3650d")).isZero();
        assertThat(pins())
                .as("the pin of the directory that a snapshot alone has")
                .hasSize(1);
        beginWith(new OperatorState(
                null, null, fullOf(fs.getClient().getFileInfo("/ten").getFileId())));
        assertThat(session.run("pin", "/ten/file")).isEqualTo(1);
        assertThat(session.err).contains("at most 1000 pins", "--recursive");
    }

    /** As many pins as there can be, all of files and directories that exist. */
    private static SortedMap<Long, Pin> fullOf(long existing) throws Exception {
        SortedMap<Long, Pin> pins = new TreeMap<>();
        pins.put(existing, new Pin(Order.UNKNOWN, 0, true));
        for (int i = 1; i < OperatorState.MOST_PINS; i++) {
            fs.mkdirs(new Path("/full/" + i));
            pins.put(fs.getClient().getFileInfo("/full/" + i).getFileId(), new Pin(Order.UNKNOWN, 0, true));
        }
        return pins;
    }

    @Test
    void unpin_ofWhatIsNotPinned_saysSoAndExitsOne() throws Exception {
        long pinned = file("/one/pinned");
        file("/one/other");
        assertThat(session.run("pin", "/one/pinned")).isZero();
        assertThat(session.run("unpin", "/one/other")).isEqualTo(1);
        assertThat(session.out).contains("Refused; nothing was changed.", "/one/other was not pinned");
        assertThat(session.run("unpin", "/one/absent")).isEqualTo(1);
        assertThat(session.err).contains("/one/absent is no file or directory");
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
        fs.mkdirs(new Path("/off/coded"));
        fs.enableErasureCodingPolicy("XOR-2-1-1024k");
        fs.setErasureCodingPolicy(new Path("/off/coded"), "XOR-2-1-1024k");
        fs.create(new Path("/off/coded/empty")).close();
        assertThat(session.run("release", "/off/coded")).isEqualTo(ExitCode.REFUSED);
        assertThat(session.out).contains("0 to be moved back, 1 refused", "erasure-coded");
        assertThat(session.run("release", "/absent")).isEqualTo(ExitCode.REFUSED);
        assertThat(session.run("release", "off")).isEqualTo(ExitCode.USAGE);
        assertThat(session.runAs("stranger", "release", "/off")).isEqualTo(ExitCode.REFUSED);
        assertThat(session.err).contains("may not change placement");
    }

    @Test
    void release_ofAFileThatIsAppendedTo_countsItsReplicas() throws Exception {
        file("/written/file");
        fs.setStoragePolicy(new Path("/written"), "ALL_SSD");
        try (FSDataOutputStream appended = fs.append(new Path("/written/file"))) {
            for (int i = 0; i < 2; i++) {
                assertThat(session.run("release", "/written", "--dry-run", "--json"))
                        .as(session.err)
                        .isZero();
                assertThat(session.json().at("/off").asInt()).isEqualTo(1);
                appended.write(i);
                appended.hsync();
            }
            assertThat(session.run("release", "/written")).isEqualTo(ExitCode.REFUSED);
            assertThat(session.out).contains("the block is being written or recovered: ask again");
        }
        assertThat(session.run("release", "/written", "--dry-run", "--json")).isZero();
        assertThat(session.json().at("/off").asInt()).isEqualTo(1);
        fs.setStoragePolicy(new Path("/written"), "HOT");
        try (FSDataOutputStream appended = fs.append(new Path("/written/file"))) {
            appended.write(1);
            appended.hsync();
            assertThat(session.run("release", "/written", "--wait"))
                    .as(session.err)
                    .isZero();
            assertThat(session.out).contains("1 files: 0 replicas", "0 left.");
        }
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
        assertThat(session.out)
                .contains("/three/file is no file or directory", "pins of what is gone were taken back: 1");
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
