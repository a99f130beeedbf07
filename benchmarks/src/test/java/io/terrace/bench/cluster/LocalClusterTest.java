package io.terrace.bench.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.bench.cli.CommandLines;
import io.terrace.bench.load.DataSet;
import io.terrace.bench.load.VerifyingClient;
import io.terrace.bench.load.VerifyingClient.Outcome;
import io.terrace.protocol.proto.AdminProtos.NodeProto;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.CacheDirectiveInfo;
import org.apache.hadoop.hdfs.protocol.CachePoolInfo;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** One cluster of real daemons with Terrace, from up to down. */
@Tag("daemons")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class LocalClusterTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int DATANODES = 2;
    private static final long BLOCK_BYTES = 1 << 20;
    private static final Path DIR =
            Path.of("target", "cluster-test-" + ProcessHandle.current().pid());
    private static final DataSet DATA = DataSet.seeded(20, 8 * BLOCK_BYTES, 2 * BLOCK_BYTES);
    private static LocalCluster cluster;

    @BeforeAll
    static void up() throws IOException {
        // Only what is pinned comes into memory: a test waits for a copy that no earlier read may have had made.
        ClusterSpec spec = ClusterSpec.of(DATANODES, 16 * BLOCK_BYTES)
                .withBlockBytes(BLOCK_BYTES)
                .withProperties(Map.of(
                        "terrace.placement.policy", "idecider",
                        "terrace.placement.idecider.threshold", "1000000000"));
        cluster = LocalCluster.up(DIR, spec, ClassPath.ofThisProcess(), new SplittableRandom());
        try (VerifyingClient client = client(cluster.confStock())) {
            for (int file = 0; file < DATA.files().size(); file++) {
                client.store(file);
            }
        }
        try (DistributedFileSystem dfs = (DistributedFileSystem) FileSystem.newInstance(cluster.confStock())) {
            dfs.addCachePool(new CachePoolInfo("test"));
        }
        pin(0, 1);
    }

    private static void pin(int fromFile, int toFile) throws IOException {
        try (DistributedFileSystem dfs = (DistributedFileSystem) FileSystem.newInstance(cluster.confStock())) {
            for (int file = fromFile; file < toFile; file++) {
                dfs.addCacheDirective(new CacheDirectiveInfo.Builder()
                        .setPath(new org.apache.hadoop.fs.Path(
                                DATA.files().get(file).path()))
                        .setPool("test")
                        .build());
            }
        }
    }

    @AfterAll
    static void destroy() throws IOException {
        if (cluster != null) {
            cluster.destroy();
        }
        assertThat(DIR).doesNotExist();
        assertThat(new ClusterLayout(DIR).memory()).doesNotExist();
    }

    private static VerifyingClient client(Configuration conf) throws IOException {
        return new VerifyingClient(FileSystem.newInstance(conf), DATA);
    }

    private static Outcome readWhole(VerifyingClient client, int file) throws IOException {
        return client.read(file, 0, DATA.files().get(file).lengthBytes());
    }

    /** Reads a pinned file until all of it comes from memory. */
    private static Outcome readFromMemory(VerifyingClient client) {
        return readFromMemory(client, 0);
    }

    private static Outcome readFromMemory(VerifyingClient client, int file) {
        return Awaitility.await().atMost(PATIENCE).until(() -> readWhole(client, file), outcome -> {
            assertThat(outcome.wrongBytes()).as("file %d", file).isZero();
            return outcome.memoryBytes() == outcome.bytes();
        });
    }

    @Test
    @Order(1)
    void pinnedFile_readByClientWithAccessor_comesFromMemoryByteForByte() throws IOException {
        try (VerifyingClient client = client(cluster.conf())) {
            Outcome outcome = readFromMemory(client);

            assertThat(outcome.bytes()).isEqualTo(2 * BLOCK_BYTES);
            assertThat(outcome.wrongBytes()).isZero();
        }
    }

    @Test
    @Order(1)
    void pinnedFile_readByStockClient_isRightToo() throws IOException {
        try (VerifyingClient client = client(cluster.confStock())) {
            Outcome outcome = readWhole(client, 0);

            assertThat(outcome.memoryBytes()).isZero();
            assertThat(outcome.wrongBytes()).isZero();
        }
    }

    @Test
    @Order(2)
    void shell_withOnlyThePropertiesOfConf_readsThroughGrants() throws Exception {
        Path conf = Files.createDirectories(DIR.resolve("shell-conf"));
        Configuration core = new Configuration(false);
        core.set("fs.defaultFS", cluster.fileSystemUri());
        try (var out = Files.newOutputStream(conf.resolve("core-site.xml"))) {
            core.writeXml(out);
        }
        Files.writeString(
                conf.resolve("hdfs-site.xml"), CommandLines.output("conf", "client", "--dir", DIR.toString()));
        try (VerifyingClient client = client(cluster.conf())) {
            readFromMemory(client);
        }
        long grantedBefore = granted();

        File output = DIR.resolve("shell-output").toFile();
        Process shell = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-cp",
                        conf + ":"
                                + Files.readString(cluster.layout().classpathFile())
                                        .strip(),
                        "org.apache.hadoop.fs.FsShell",
                        "-cat",
                        DATA.files().get(0).path())
                .redirectOutput(output)
                .redirectError(DIR.resolve("shell-errors").toFile())
                .start();
        assertThat(shell.waitFor(60, TimeUnit.SECONDS)).isTrue();

        assertThat(shell.exitValue())
                .as(Files.readString(DIR.resolve("shell-errors")))
                .isZero();
        byte[] expected = new byte[(int) (2 * BLOCK_BYTES)];
        DATA.content().fill(0, 0, 0, expected, expected.length);
        assertThat(Files.readAllBytes(output.toPath())).isEqualTo(expected);
        Awaitility.await().atMost(PATIENCE).untilAsserted(() -> assertThat(granted())
                .isGreaterThanOrEqualTo(grantedBefore + 2 * BLOCK_BYTES));
    }

    /** Bytes that DataNodes were told were read through grants. */
    private static long granted() throws IOException {
        try (PlacementAdmin admin = new PlacementAdmin(cluster)) {
            long bytes = 0;
            for (NodeProto node : admin.nodes()) {
                bytes += PlacementAdmin.figures(node).getOrDefault("reads.granted.bytes", 0L);
            }
            return bytes;
        }
    }

    @Test
    @Order(3)
    void datanode_killedWhileAClientReads_costsNoByte() throws IOException {
        try (VerifyingClient client = client(cluster.conf())) {
            readFromMemory(client);
            for (int round = 0; round < 40; round++) {
                if (round == 5) {
                    cluster.datanode(1).kill();
                }
                for (int file = 0; file < DATA.files().size(); file++) {
                    assertThat(readWhole(client, file).wrongBytes())
                            .as("round %d, file %d", round, file)
                            .isZero();
                }
            }
        }
        assertThat(cluster.datanode(1).process()).isEmpty();
    }

    @Test
    @Order(4)
    void cluster_startedAgainAfterACrash_servesFromMemoryAgain() throws IOException {
        cluster.start();

        assertThat(cluster.datanode(1).process()).isPresent();
        try (VerifyingClient client = client(cluster.conf())) {
            assertThat(readFromMemory(client).wrongBytes()).isZero();
        }
    }

    @Test
    @Order(5)
    void datanode_killedWhileItPromotes_servesNoHalfCopyAfterwards() throws Exception {
        Set<Path> before = new HashSet<>();
        for (int node = 1; node <= DATANODES; node++) {
            before.addAll(filesIn(cluster.memoryDir(node)));
        }
        pin(1, 4);
        // Which DataNode caches a block is the NameNode's choice, and now and then it is the same for all of them.
        int promoting = Awaitility.await()
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(1))
                .until(() -> nodeWithAnotherFile(before), node -> node > 0);
        cluster.datanode(promoting).kill();
        cluster.start();

        try (VerifyingClient client = client(cluster.conf())) {
            for (int file = 0; file < 4; file++) {
                assertThat(readFromMemory(client, file).wrongBytes()).isZero();
            }
        }
    }

    /** The first DataNode whose memory directory has a file that is not among those; 0 when none has. */
    private static int nodeWithAnotherFile(Set<Path> known) throws IOException {
        for (int node = 1; node <= DATANODES; node++) {
            if (!known.containsAll(filesIn(cluster.memoryDir(node)))) {
                return node;
            }
        }
        return 0;
    }

    private static Set<Path> filesIn(Path directory) throws IOException {
        try (var files = Files.walk(directory)) {
            return files.filter(Files::isRegularFile).collect(Collectors.toSet());
        } catch (UncheckedIOException e) {
            // A file that went while it was looked at.
            return Set.of();
        }
    }

    @Test
    @Order(6)
    void up_ofARunningCluster_leavesItsProcessesAlone() throws IOException {
        long namenode = cluster.namenode().process().orElseThrow().pid();

        assertThat(CommandLines.run("up", "--dir", DIR.toString()).exitCode()).isZero();

        assertThat(cluster.namenode().process().orElseThrow().pid()).isEqualTo(namenode);
        assertThat(CommandLines.run("up", "--dir", DIR.toString(), "--datanodes", "5")
                        .errors())
                .contains("made with other options");
    }

    @Test
    @Order(7)
    void down_twice_endsEveryProcessAndIsNoError() throws IOException {
        assertThat(CommandLines.run("down", "--dir", DIR.toString()).exitCode()).isZero();
        assertThat(CommandLines.run("down", "--dir", DIR.toString()).exitCode()).isZero();

        for (Daemon daemon : cluster.daemons()) {
            assertThat(daemon.process()).as(daemon.name()).isEmpty();
        }
        assertThat(cluster.layout().memory()).doesNotExist();
        assertThat(cluster.layout().home("namenode")).exists();
    }
}
