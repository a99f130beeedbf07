package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.client.ClientMetrics;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/**
 * Files that are written by RDMA into a DataNode's landing windows, from end to end. Skipped where there is no device;
 * {@code bin/terrace test verbs} brings one up.
 */
@Tag("cluster")
@EnabledIf(
        value = "io.terrace.datanode.hdfs.VerbsReadsTest#hasDevice",
        disabledReason = "no RDMA verbs here; bin/terrace test verbs brings a device up")
class VerbsWritesTest {
    private static final int BYTES = 24 << 20;

    /** The processor of the guest is emulated. */
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private TerraceCluster cluster;
    private OtherHostClient client;

    private void start(String windowsMax) throws IOException {
        Configuration conf = TerraceCluster.configuration();
        conf.setBoolean(DFSConfigKeys.DFS_BLOCK_ACCESS_TOKEN_ENABLE_KEY, true);
        conf.setInt("terrace.channel.tcp.port.offset", RemoteReadsCluster.OUT_OF_EPHEMERAL_PORTS);
        conf.setInt("terrace.channel.verbs.port.offset", RemoteReadsCluster.OUT_OF_EPHEMERAL_PORTS + 1);
        conf.setBoolean("terrace.channel.verbs.trusted-network", true);
        conf.setBoolean("terrace.client.write.enabled", true);
        conf.set("terrace.datanode.write.windows.max", windowsMax);
        conf.set(DFSConfigKeys.DFS_DATANODE_ADDRESS_KEY, TerraceCluster.ANY_ADDRESS);
        conf.set(DFSConfigKeys.DFS_DATANODE_HTTP_ADDRESS_KEY, "127.0.0.1:0");
        conf.set(DFSConfigKeys.DFS_DATANODE_IPC_ADDRESS_KEY, "127.0.0.1:0");
        // Asking the system forks a process, which takes an emulated guest many seconds.
        conf.set("hadoop.user.group.static.mapping.overrides", System.getProperty("user.name") + "=users");
        cluster = TerraceCluster.start(1, conf, StorageType.DISK);
        client = OtherHostClient.of(cluster, Duration.ofSeconds(10));
    }

    @AfterEach
    void stop() throws IOException {
        if (cluster != null) {
            client.close();
            cluster.close();
        }
    }

    private static long byRdma() {
        return ClientMetrics.value(Metric.CLIENT_WRITE_VERBS_BYTES);
    }

    private static long overChannel() {
        return ClientMetrics.value(Metric.CLIENT_WRITE_BYTES);
    }

    /** In one block, so that all of it goes over one connection. */
    private FSDataOutputStream create(Path file) throws IOException {
        return client.fs().create(file, true, 1 << 16, (short) 1, 128 << 20);
    }

    private Path write(String name, byte[] contents) throws IOException {
        Path file = new Path("/" + name);
        try (FSDataOutputStream out = create(file)) {
            out.write(contents);
        }
        return file;
    }

    @Test
    void file_isWrittenByRdma_andIsWhatWasWritten() throws Exception {
        start("128m");
        byte[] contents = TerraceCluster.contents("rdma", 2 * BYTES);
        Path file = new Path("/rdma");
        long before = byRdma();
        int done = 0;
        long landed;
        try (FSDataOutputStream out = create(file)) {
            // Attaching takes a while in an emulated guest; what is written meanwhile goes over tcp.
            while (byRdma() == before && done < BYTES) {
                out.write(contents, done, 1 << 20);
                out.hflush();
                done += 1 << 20;
                Thread.sleep(500);
            }
            landed = byRdma();
            out.write(contents, done, BYTES);
            done += BYTES;
        }
        System.out.println("figure e2e.rdma.written.bytes " + (byRdma() - landed) + " of " + BYTES);
        assertThat(byRdma() - landed).isGreaterThan(BYTES / 10 * 9);
        assertThat(cluster.figure(0, Metric.CHANNEL_WRITE_LANDED_BYTES)).isEqualTo(byRdma() - before);
        // Stock reads and verifies it.
        assertThat(cluster.read(file)).isEqualTo(Arrays.copyOf(contents, done));
        // An idle connection is kept for a few seconds, and its window with it.
        await().atMost(PATIENCE).until(() -> cluster.figure(0, Metric.CHANNEL_WRITE_WINDOWS) == 0);
    }

    /** Two windows for four writers: who gets none writes over tcp. */
    @Test
    void files_beyondTheWindows_areWrittenOverTcp() throws Exception {
        start("8m");
        long before = byRdma();
        long written = overChannel();
        ExecutorService writers = Executors.newFixedThreadPool(4);
        List<Future<Path>> files = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            String name = "one of four " + i;
            files.add(writers.submit(() -> write(name, TerraceCluster.contents(name, BYTES))));
        }
        for (int i = 0; i < 4; i++) {
            Path file = files.get(i).get(10, TimeUnit.MINUTES);
            assertThat(cluster.read(file)).isEqualTo(TerraceCluster.contents("one of four " + i, BYTES));
        }
        writers.shutdownNow();
        assertThat(overChannel() - written).isEqualTo(4L * BYTES);
        assertThat(byRdma() - before).isPositive();
        assertThat(cluster.figure(0, Metric.CHANNEL_WRITE_WINDOWS_REFUSED)).isPositive();
    }
}
