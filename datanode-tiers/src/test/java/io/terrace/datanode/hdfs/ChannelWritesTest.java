package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.client.ClientMetrics;
import io.terrace.conf.TerraceSettings;
import io.terrace.fs.TerraceAbstractFileSystem;
import io.terrace.fs.TerraceFileSystem;
import io.terrace.metrics.Metric;
import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.ClosedChannelException;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.client.HdfsDataOutputStream;
import org.apache.hadoop.hdfs.client.HdfsDataOutputStream.SyncFlag;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Files that the FileSystem class writes over the channel: what is in them, and what their streams do. */
@Tag("cluster")
@Timeout(120)
class ChannelWritesTest {
    private static final int BLOCK = TerraceCluster.BLOCK_BYTES;

    /** How the client reaches the DataNode. */
    private enum Way {
        LOCAL,
        TCP
    }

    private static final Map<Way, DistributedFileSystem> CLIENTS = new EnumMap<>(Way.class);
    private static TerraceCluster cluster;

    @BeforeAll
    static void start() throws IOException {
        Configuration conf = TerraceCluster.configuration();
        conf.setInt("terrace.channel.tcp.port.offset", RemoteReadsCluster.OUT_OF_EPHEMERAL_PORTS);
        cluster = TerraceCluster.start(2, conf);
        for (Way way : Way.values()) {
            CLIENTS.put(way, (DistributedFileSystem)
                    FileSystem.newInstance(cluster.cluster().getURI(), conf(way)));
        }
    }

    private static Configuration conf(Way way) {
        Configuration conf = new Configuration(cluster.cluster().getConfiguration(0));
        conf.set("fs.hdfs.impl", TerraceFileSystem.class.getName());
        conf.set("fs.AbstractFileSystem.hdfs.impl", TerraceAbstractFileSystem.class.getName());
        conf.setInt("dfs.replication", 1);
        conf.set(TerraceSettings.CLIENT_WRITE_ENABLED.key(), "true");
        conf.set(
                TerraceSettings.CHANNEL_DIR.key(),
                cluster.scratch().resolve("channel").toString());
        conf.setBoolean(TerraceSettings.CLIENT_LOCAL.key(), way == Way.LOCAL);
        return conf;
    }

    @AfterAll
    static void stop() throws IOException {
        for (DistributedFileSystem client : CLIENTS.values()) {
            client.close();
        }
        cluster.close();
    }

    private static DistributedFileSystem client(Way way) {
        return Objects.requireNonNull(CLIENTS.get(way));
    }

    private static void assertSame(Path file, byte[] written) throws IOException {
        assertThat(cluster.read(file)).isEqualTo(written);
        Path stock = new Path("/stock" + file);
        try (FSDataOutputStream out = cluster.fs().create(stock, (short) 1)) {
            out.write(written);
        }
        assertThat(cluster.fs().getFileChecksum(file)).isEqualTo(cluster.fs().getFileChecksum(stock));
    }

    @ParameterizedTest
    @EnumSource
    void create_ofManySizes_isWhatWasWritten(Way way) throws IOException {
        for (int bytes : new int[] {0, 1, 511, 512, 513, BLOCK - 1, BLOCK, BLOCK + 1, 20 * BLOCK + 7}) {
            Path file = new Path("/sizes-" + way + bytes);
            byte[] written = TerraceCluster.contents(file.toString(), bytes);
            long before = ClientMetrics.value(Metric.CLIENT_WRITE_BYTES);
            try (FSDataOutputStream out = client(way).create(file)) {
                out.write(written);
                assertThat(out.getPos()).isEqualTo(bytes);
            }
            assertThat(ClientMetrics.value(Metric.CLIENT_WRITE_BYTES) - before).isEqualTo(bytes);
            assertSame(file, written);
        }
        assertThat(ClientMetrics.value(Metric.CLIENT_WRITE_RETAINED_BYTES)).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void create_inEveryWay_isWrittenOverTheChannel(Way way) throws IOException {
        FileContext context = FileContext.getFileContext(cluster.cluster().getURI(), conf(way));
        long before = ClientMetrics.value(Metric.CLIENT_WRITE_BLOCKS);
        try (FSDataOutputStream out = client(way)
                .createFile(new Path("/built-" + way))
                .overwrite(true)
                .build()) {
            out.write(1);
        }
        try (FSDataOutputStream out =
                client(way).createNonRecursive(new Path("/flat-" + way), true, 4096, (short) 1, BLOCK, null)) {
            out.write(2);
        }
        try (FSDataOutputStream out = context.create(
                new Path("/context-" + way),
                EnumSet.of(CreateFlag.CREATE, CreateFlag.SYNC_BLOCK),
                Options.CreateOpts.repFac((short) 1))) {
            out.write(3);
        }
        assertThat(ClientMetrics.value(Metric.CLIENT_WRITE_BLOCKS) - before).isEqualTo(3);
        assertThat(cluster.read(new Path("/context-" + way))).containsExactly(3);
    }

    /** Readers of the growing file are stock's. */
    @ParameterizedTest
    @EnumSource
    void flush_atRandom_isSeenByReaders(Way way) throws IOException {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        Path file = new Path("/flushed-" + way);
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        try (HdfsDataOutputStream out = (HdfsDataOutputStream) client(way).create(file)) {
            for (int i = 0; i < 60; i++) {
                byte[] bytes = new byte[random.nextInt(3) == 0 ? random.nextInt(200_000) : random.nextInt(700)];
                random.nextBytes(bytes);
                out.write(bytes);
                written.writeBytes(bytes);
                switch (random.nextInt(6)) {
                    case 0 -> out.hflush();
                    case 1 -> out.hsync();
                    case 2 -> out.hsync(EnumSet.of(SyncFlag.UPDATE_LENGTH));
                    case 3 -> out.hsync(EnumSet.of(SyncFlag.END_BLOCK));
                    default -> {
                        continue;
                    }
                }
                assertThat(cluster.read(file)).isEqualTo(written.toByteArray());
            }
        }
        assertThat(cluster.read(file)).isEqualTo(written.toByteArray());
    }

    @Test
    void hsync_withUpdateLength_tellsTheNameNode() throws IOException {
        Path file = new Path("/length");
        try (HdfsDataOutputStream out = (HdfsDataOutputStream) client(Way.LOCAL).create(file)) {
            out.write(new byte[700]);
            out.hflush();
            out.write(new byte[100]);
            out.hsync(EnumSet.of(SyncFlag.UPDATE_LENGTH));
            assertThat(cluster.fs().getFileStatus(file).getLen()).isEqualTo(800);
            assertThat(out.getCurrentBlockReplication()).isEqualTo(1);
        }
    }

    @Test
    void hflush_interrupted_leavesTheStreamWhole() throws IOException {
        Path file = new Path("/interrupted");
        byte[] written = TerraceCluster.contents("interrupted", 3 * BLOCK + 5);
        try (FSDataOutputStream out = client(Way.LOCAL).create(file)) {
            Thread.currentThread().interrupt();
            out.write(written, 0, 2 * BLOCK);
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
            try {
                out.hflush();
            } catch (InterruptedIOException e) {
                assertThat(Thread.interrupted()).isFalse();
            }
            out.write(written, 2 * BLOCK, BLOCK + 5);
        } finally {
            assertThat(Thread.interrupted()).isFalse();
        }
        assertThat(cluster.read(file)).isEqualTo(written);
    }

    @Test
    void close_twice_andThenWrite_isAsStock() throws IOException {
        FSDataOutputStream out = client(Way.LOCAL).create(new Path("/closed"));
        out.write(new byte[10]);
        out.close();
        out.close();
        assertThatThrownBy(() -> out.write(new byte[1])).isInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(out::hflush).isInstanceOf(ClosedChannelException.class);
    }

    @Test
    void append_afterwards_isStocks() throws IOException {
        Path file = new Path("/appended");
        long before = ClientMetrics.value(Metric.CLIENT_WRITE_FALLBACK_APPEND);
        try (FSDataOutputStream out = client(Way.TCP).create(file)) {
            out.write(new byte[700]);
        }
        try (FSDataOutputStream out = client(Way.TCP).append(file)) {
            out.write(new byte[700]);
        }
        assertThat(cluster.read(file)).hasSize(1400);
        assertThat(ClientMetrics.value(Metric.CLIENT_WRITE_FALLBACK_APPEND) - before)
                .isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void create_withTwoReplicas_writesBoth(Way way) throws IOException {
        for (int bytes : new int[] {0, 1, 512, 700, BLOCK - 1, BLOCK, 5 * BLOCK + 7}) {
            Path file = new Path("/replicated-" + way + bytes);
            byte[] written = TerraceCluster.contents(file.toString(), bytes);
            long before = ClientMetrics.value(Metric.CLIENT_WRITE_BYTES);
            try (FSDataOutputStream out = client(way).create(file, (short) 2)) {
                out.write(written);
            }
            assertThat(ClientMetrics.value(Metric.CLIENT_WRITE_BYTES) - before).isEqualTo(bytes);
            assertSame(file, written);
            if (bytes > 0) {
                assertThat(cluster.located(file, 0).getLocations()).hasSize(2);
            }
        }
    }

    /** The NameNode chooses two DataNodes for the next block. */
    @Test
    void setReplication_whileWritten_leavesTheRestToStock() throws IOException {
        long before = ClientMetrics.value(Metric.CLIENT_WRITE_FALLBACK_REPLICATION);
        Path file = new Path("/more-replicas");
        byte[] written = TerraceCluster.contents("more-replicas", 3 * BLOCK + 5);
        try (FSDataOutputStream out = client(Way.LOCAL).create(file)) {
            out.write(written, 0, BLOCK);
            out.hflush();
            cluster.fs().setReplication(file, (short) 2);
            out.write(written, BLOCK, written.length - BLOCK);
            out.hflush();
            assertThat(cluster.located(file, 1).getLocations()).hasSize(2);
        }
        assertThat(cluster.read(file)).isEqualTo(written);
        assertThat(ClientMetrics.value(Metric.CLIENT_WRITE_FALLBACK_REPLICATION) - before)
                .isEqualTo(1);
    }

    @Test
    void deletedFile_failsTheNextBlock_asStock() throws IOException {
        Path file = new Path("/deleted");
        FSDataOutputStream out = client(Way.LOCAL).create(file);
        out.write(new byte[BLOCK]);
        out.hflush();
        assertThat(cluster.fs().delete(file, false)).isTrue();
        assertThatThrownBy(() -> {
                    out.write(new byte[BLOCK]);
                    out.hflush();
                })
                .isInstanceOf(FileNotFoundException.class);
        assertThatThrownBy(out::close).isInstanceOf(IOException.class);
        assertThat(ClientMetrics.value(Metric.CLIENT_WRITE_RETAINED_BYTES)).isZero();
    }
}
