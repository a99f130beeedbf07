package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.terrace.client.ClientMetrics;
import io.terrace.conf.TerraceSettings;
import io.terrace.fs.TerraceFileSystem;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.util.Arrays;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A DataNode that goes, or loses its channel, while a file is written over it. */
@Tag("cluster")
@Timeout(120)
class ChannelWriteFaultsTest {
    private static final int BLOCK = TerraceCluster.BLOCK_BYTES;

    private TerraceCluster cluster;
    private DistributedFileSystem client;

    @BeforeEach
    void start() throws IOException {
        cluster = TerraceCluster.start(1);
        Configuration conf = new Configuration(cluster.cluster().getConfiguration(0));
        conf.set("fs.hdfs.impl", TerraceFileSystem.class.getName());
        conf.setInt("dfs.replication", 1);
        conf.set(TerraceSettings.CLIENT_WRITE_ENABLED.key(), "true");
        conf.set(
                TerraceSettings.CHANNEL_DIR.key(),
                cluster.scratch().resolve("channel").toString());
        client =
                (DistributedFileSystem) FileSystem.newInstance(cluster.cluster().getURI(), conf);
    }

    @AfterEach
    void stop() throws IOException {
        client.close();
        cluster.close();
        assertThat(ClientMetrics.value(Metric.CLIENT_WRITE_RETAINED_BYTES)).isZero();
    }

    @Test
    void channelGone_betweenBlocks_stockWritesTheRest() throws IOException {
        Path file = new Path("/left");
        byte[] written = TerraceCluster.contents("left", 3 * BLOCK + 100);
        long before = ClientMetrics.value(Metric.CLIENT_WRITE_FALLBACK_NO_CHANNEL);
        try (FSDataOutputStream out = client.create(file)) {
            out.write(written, 0, BLOCK);
            out.hflush();
            cluster.stopPlugin(0);
            out.write(written, BLOCK, 700);
            out.hflush();
            assertThat(cluster.read(file)).isEqualTo(Arrays.copyOf(written, BLOCK + 700));
            out.write(written, BLOCK + 700, written.length - BLOCK - 700);
        }
        assertThat(cluster.read(file)).isEqualTo(written);
        assertThat(ClientMetrics.value(Metric.CLIENT_WRITE_FALLBACK_NO_CHANNEL) - before)
                .isEqualTo(1);
    }

    @Test
    void dataNodeGone_withinABlock_failsAsStock() throws IOException {
        FSDataOutputStream out = client.create(new Path("/failed"));
        out.write(new byte[700]);
        out.hflush();
        cluster.stopPlugin(0);
        assertThatThrownBy(() -> {
                    out.write(new byte[700]);
                    out.hflush();
                })
                .isInstanceOf(IOException.class)
                .hasMessageContaining("are bad. Aborting...");
        assertThatThrownBy(out::close).isInstanceOf(IOException.class);
    }

    /** As where the lease is renewed no more; the application has let go of a file that failed. */
    @Test
    void failedFile_thatNobodyCloses_keepsNoMemory_onceItIsAborted() throws IOException {
        FSDataOutputStream out = client.create(new Path("/abandoned"));
        out.write(new byte[700]);
        out.hflush();
        out.write(new byte[700]);
        cluster.stopPlugin(0);
        await().until(() -> {
            try {
                out.write(0);
                return false;
            } catch (IOException e) {
                return true;
            }
        });
        assertThat(ClientMetrics.value(Metric.CLIENT_WRITE_RETAINED_BYTES)).isPositive();
        client.getClient().closeOutputStreams(true);
        assertThat(ClientMetrics.value(Metric.CLIENT_WRITE_RETAINED_BYTES)).isZero();
    }
}
