package io.terrace.fs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.terrace.client.ClientMetrics;
import io.terrace.metrics.Metric;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.util.EnumSet;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.client.HdfsDataOutputStream;
import org.apache.hadoop.hdfs.client.HdfsDataOutputStream.SyncFlag;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Writes over the channel are on, and the DataNodes are stock's: stock's stream writes all files, from their first block. */
@Tag("cluster")
final class StockDataNodeWritesTest {
    private static final int BLOCK_BYTES = 1 << 20;

    @TempDir
    static File dir;

    private static MiniDFSCluster cluster;
    private static DistributedFileSystem fs;

    @BeforeAll
    static void start() throws IOException {
        Configuration conf = configuration();
        cluster = cluster(conf, dir);
        fs = client(cluster, conf);
    }

    private static Configuration configuration() {
        Configuration conf = new HdfsConfiguration();
        conf.setLong("dfs.blocksize", BLOCK_BYTES);
        conf.setInt("dfs.replication", 1);
        return conf;
    }

    private static MiniDFSCluster cluster(Configuration conf, File in) throws IOException {
        MiniDFSCluster started =
                new MiniDFSCluster.Builder(conf, in).numDataNodes(1).build();
        started.waitActive();
        return started;
    }

    private static DistributedFileSystem client(MiniDFSCluster of, Configuration conf) throws IOException {
        Configuration ours = new Configuration(conf);
        ours.set("fs.hdfs.impl", TerraceFileSystem.class.getName());
        ours.setBoolean("terrace.client.write.enabled", true);
        ours.setInt("terrace.channel.tcp.port.offset", 1);
        return (DistributedFileSystem) FileSystem.newInstance(of.getURI(), ours);
    }

    @AfterAll
    static void stop() throws IOException {
        fs.close();
        cluster.shutdown();
    }

    @Test
    void create_ofManySizes_isStocks() throws IOException {
        long before = ClientMetrics.value(Metric.CLIENT_WRITE_FALLBACK_NO_CHANNEL);
        int[] sizes = {0, 1, 511, 512, 513, BLOCK_BYTES - 1, BLOCK_BYTES, BLOCK_BYTES + 1, 20 * BLOCK_BYTES + 7};
        for (int bytes : sizes) {
            Path file = new Path("/size" + bytes);
            byte[] written = random(bytes);
            try (FSDataOutputStream out = fs.create(file)) {
                out.write(written);
            }
            assertThat(read(file)).isEqualTo(written);
        }
        assertThat(ClientMetrics.value(Metric.CLIENT_WRITE_FALLBACK_NO_CHANNEL) - before)
                .isEqualTo(sizes.length - 1);
        assertThat(ClientMetrics.value(Metric.CLIENT_WRITE_RETAINED_BYTES)).isZero();
    }

    @Test
    void create_withFlushes_isStocks() throws IOException {
        Path file = new Path("/flushed");
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        try (HdfsDataOutputStream out = (HdfsDataOutputStream) fs.create(file)) {
            for (int i = 0; i < 8; i++) {
                byte[] bytes = random(100 + 700 * i);
                out.write(bytes);
                written.writeBytes(bytes);
                switch (i % 4) {
                    case 0 -> out.hflush();
                    case 1 -> out.hsync();
                    case 2 -> out.hsync(EnumSet.of(SyncFlag.UPDATE_LENGTH));
                    default -> out.hsync(EnumSet.of(SyncFlag.END_BLOCK));
                }
                assertThat(read(file)).isEqualTo(written.toByteArray());
                assertThat(out.getPos()).isEqualTo(written.size());
                assertThat(out.getCurrentBlockReplication()).isEqualTo(1);
            }
        }
        assertThat(read(file)).isEqualTo(written.toByteArray());
        assertThat(fs.getFileBlockLocations(file, 0, Long.MAX_VALUE)).hasSize(2);
    }

    @Test
    void create_endedBlockFirst_isStocks() throws IOException {
        Path file = new Path("/ended");
        try (HdfsDataOutputStream out = (HdfsDataOutputStream) fs.create(file)) {
            out.write(random(100));
            out.hsync(EnumSet.of(SyncFlag.END_BLOCK));
            out.write(random(100));
        }
        assertThat(fs.getFileBlockLocations(file, 0, Long.MAX_VALUE)).hasSize(2);
    }

    /** The DataNode waits for its client for two seconds. */
    @Test
    void write_afterAPause_isStocks(@TempDir File own) throws Exception {
        Configuration conf = configuration();
        conf.setInt("dfs.client.socket-timeout", 2_000);
        byte[] written = random(80_000);
        Path file = new Path("/paused");
        long before = ClientMetrics.value(Metric.CLIENT_WRITE_FALLBACK_NO_CHANNEL);
        try (MiniDFSCluster impatient = cluster(conf, own);
                DistributedFileSystem client = client(impatient, conf)) {
            try (FSDataOutputStream out = client.create(file)) {
                out.write(written, 0, 70_000);
                await().until(() -> ClientMetrics.value(Metric.CLIENT_WRITE_FALLBACK_NO_CHANNEL) > before);
                Thread.sleep(6_000);
                out.write(written, 70_000, 10_000);
            }
            try (FSDataInputStream in = client.open(file)) {
                assertThat(in.readAllBytes()).isEqualTo(written);
            }
        }
    }

    @Test
    void write_afterClose_fails() throws IOException {
        FSDataOutputStream out = fs.create(new Path("/closed"));
        out.write(1);
        out.close();
        out.close();
        assertThatThrownBy(() -> out.write(new byte[1])).isInstanceOf(IOException.class);
        assertThatThrownBy(out::hflush).isInstanceOf(IOException.class);
    }

    private static byte[] read(Path file) throws IOException {
        try (FSDataInputStream in = fs.open(file)) {
            return in.readAllBytes();
        }
    }

    private static byte[] random(int bytes) {
        byte[] random = new byte[bytes];
        new Random(bytes).nextBytes(random);
        return random;
    }
}
