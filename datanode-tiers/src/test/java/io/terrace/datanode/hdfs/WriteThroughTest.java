package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.client.ClientMetrics;
import io.terrace.conf.TerraceSettings;
import io.terrace.fs.TerraceFileSystem;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Blocks that are in memory as soon as they are written, because the client asked for it. */
@Tag("cluster")
@Timeout(120)
class WriteThroughTest {
    private static final int BLOCK = TerraceCluster.BLOCK_BYTES;
    private static final int NODES = 2;
    private static TerraceCluster cluster;
    private final List<DistributedFileSystem> clients = new ArrayList<>();

    @BeforeAll
    static void start() throws IOException {
        Configuration conf = TerraceCluster.configuration();
        conf.setInt("terrace.channel.tcp.port.offset", RemoteReadsCluster.OUT_OF_EPHEMERAL_PORTS);
        cluster = TerraceCluster.start(NODES, conf);
    }

    @AfterAll
    static void stop() throws IOException {
        cluster.close();
    }

    /** Nothing is left of any test, whatever became of its blocks. */
    @AfterEach
    void removeAll() throws IOException {
        for (DistributedFileSystem client : clients) {
            client.close();
        }
        cluster.fs().delete(new Path("/through"), true);
        awaitEmpty();
    }

    private static void awaitEmpty() {
        await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> assertThat(IntStream.range(0, NODES)
                        .mapToLong(i -> cluster.service(i).tier().usage().usedBytes()))
                .containsOnly(0L));
        assertThat(figure(Metric.MEMORY_THROUGH_WRITING_BYTES)).isZero();
        for (int i = 0; i < NODES; i++) {
            try (Stream<java.nio.file.Path> drafts =
                    Files.list(cluster.memoryDir(i).resolve("drafts"))) {
                assertThat(drafts).isEmpty();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }
    }

    private static long figure(Metric metric) {
        return IntStream.range(0, NODES)
                .mapToLong(i -> cluster.figure(i, metric))
                .sum();
    }

    private DistributedFileSystem client(int replication, String... settings) throws IOException {
        Configuration conf = new Configuration(cluster.cluster().getConfiguration(0));
        conf.set("fs.hdfs.impl", TerraceFileSystem.class.getName());
        conf.setInt("dfs.replication", replication);
        conf.set(TerraceSettings.CLIENT_WRITE_ENABLED.key(), "true");
        conf.set(TerraceSettings.CLIENT_WRITE_THROUGH.key(), "true");
        conf.set(
                TerraceSettings.CHANNEL_DIR.key(),
                cluster.scratch().resolve("channel").toString());
        for (int i = 0; i < settings.length; i += 2) {
            conf.set(settings[i], settings[i + 1]);
        }
        DistributedFileSystem client =
                (DistributedFileSystem) FileSystem.newInstance(cluster.cluster().getURI(), conf);
        clients.add(client);
        return client;
    }

    private static byte[] write(DistributedFileSystem client, Path file, int bytes) throws IOException {
        byte[] written = TerraceCluster.contents(file.toString(), bytes);
        try (FSDataOutputStream out = client.create(file)) {
            out.write(written);
        }
        return written;
    }

    /** How many DataNodes have the block in memory. */
    private static long copies(Path file, int block) throws IOException {
        var key = cluster.key(file, block);
        return IntStream.range(0, NODES)
                .filter(i -> cluster.service(i).tier().isResident(key))
                .count();
    }

    private static long readsOfReplicas() {
        return figure(Metric.READS_STOCK_REPLICA) + figure(Metric.READS_DESCRIPTORS_REPLICA);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void write_thenTheFirstRead_isFromMemory(boolean local) throws IOException {
        Path file = new Path("/through/first-" + local);
        DistributedFileSystem client = client(1, TerraceSettings.CLIENT_LOCAL.key(), Boolean.toString(local));
        long promoted = figure(Metric.MEMORY_PROMOTED);
        long copied = figure(Metric.MEMORY_THROUGH_BYTES);
        byte[] written = write(client, file, 3 * BLOCK + 7);
        for (int i = 0; i < 4; i++) {
            assertThat(copies(file, i)).as("copies of block " + i).isEqualTo(1);
        }
        assertThat(figure(Metric.MEMORY_THROUGH_BYTES) - copied).isEqualTo(written.length);
        assertThat(figure(Metric.MEMORY_PROMOTED)).isEqualTo(promoted);
        long granted = ClientMetrics.value(Metric.CLIENT_GRANTED_SHM_BYTES);
        long fromReplicas = readsOfReplicas();
        try (FSDataInputStream in = client.open(file)) {
            assertThat(in.readAllBytes()).isEqualTo(written);
        }
        assertThat(ClientMetrics.value(Metric.CLIENT_GRANTED_SHM_BYTES) - granted)
                .isEqualTo(local ? written.length : 0);
        assertThat(readsOfReplicas()).as("reads of replicas").isEqualTo(fromReplicas);
    }

    @Test
    void write_ofTwoReplicas_copiesTheFirstOrBothAsAsked() throws IOException {
        Path one = new Path("/through/one");
        write(client(2), one, BLOCK + 3);
        assertThat(copies(one, 0)).isEqualTo(1);
        assertThat(copies(one, 1)).isEqualTo(1);
        Path both = new Path("/through/both");
        byte[] written = write(client(2, TerraceSettings.CLIENT_WRITE_THROUGH_REPLICAS.key(), "all"), both, BLOCK + 3);
        assertThat(copies(both, 0)).isEqualTo(2);
        assertThat(copies(both, 1)).isEqualTo(2);
        assertThat(cluster.read(both)).isEqualTo(written);
    }

    @Test
    void write_ofAFileElsewhere_makesNoCopy() throws IOException {
        Path file = new Path("/through/elsewhere");
        DistributedFileSystem client = client(1, TerraceSettings.CLIENT_WRITE_THROUGH_PATHS.key(), "/throughput,/a");
        byte[] written = write(client, file, 100_000);
        assertThat(copies(file, 0)).isZero();
        assertThat(cluster.read(file)).isEqualTo(written);
    }

    @Test
    void write_toAFullTier_goesOnWithout() throws IOException {
        Path file = new Path("/through/full");
        long refused = figure(Metric.MEMORY_THROUGH_NO_ROOM);
        for (int i = 0; i < NODES; i++) {
            cluster.service(i).tier().space().hold(64L << 20);
        }
        try {
            byte[] written = write(client(1), file, 2 * BLOCK);
            assertThat(copies(file, 0)).isZero();
            assertThat(cluster.read(file)).isEqualTo(written);
            assertThat(figure(Metric.MEMORY_THROUGH_NO_ROOM) - refused).isEqualTo(2);
        } finally {
            for (int i = 0; i < NODES; i++) {
                cluster.service(i).tier().space().hold(-(64L << 20));
            }
        }
    }

    @Test
    void write_byAClientThatDiesWithinABlock_leavesNothingInMemory() throws IOException {
        DistributedFileSystem client = client(2, TerraceSettings.CLIENT_WRITE_THROUGH_REPLICAS.key(), "all");
        long dropped = figure(Metric.MEMORY_THROUGH_DROPPED);
        FSDataOutputStream out = client.create(new Path("/through/killed"));
        out.write(TerraceCluster.contents("killed", BLOCK / 2));
        out.hflush();
        assertThat(figure(Metric.MEMORY_THROUGH_WRITING_BYTES)).isEqualTo(2L * BLOCK);
        client.getClient().closeAllFilesBeingWritten(true);
        await().atMost(Duration.ofMinutes(1)).until(() -> figure(Metric.MEMORY_THROUGH_DROPPED) - dropped == 2);
        awaitEmpty();
    }

    @Test
    void append_afterwards_dropsTheCopy() throws IOException {
        Path file = new Path("/through/appended");
        write(client(1), file, 1000);
        assertThat(copies(file, 0)).isEqualTo(1);
        try (FSDataOutputStream out = cluster.fs().append(file)) {
            out.write(new byte[700]);
        }
        assertThat(copies(file, 0)).isZero();
        assertThat(cluster.read(file)).hasSize(1700).startsWith(TerraceCluster.contents(file.toString(), 1000));
    }
}
