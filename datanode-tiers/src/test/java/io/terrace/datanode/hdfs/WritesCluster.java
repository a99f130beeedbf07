package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.conf.TerraceSettings;
import io.terrace.fs.TerraceFileSystem;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DFSOutputStream;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.MiniDFSCluster.DataNodeProperties;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.awaitility.core.ConditionTimeoutException;

/** A cluster whose DataNodes take writes over tcp and are stopped and started again, and what it has of a written file. */
record WritesCluster(TerraceCluster cluster) implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final int MOST_STARTS = 3;

    private static final AtomicInteger CLIENTS = new AtomicInteger();

    static Configuration configuration() {
        Configuration conf = TerraceCluster.configuration();
        conf.setInt(RemoteReadsCluster.OFFSET, RemoteReadsCluster.OUT_OF_EPHEMERAL_PORTS);
        conf.set("dfs.datanode.plugins", TerraceDataNodePlugin.class.getName());
        conf.setInt("dfs.client.socket-timeout", 20_000);
        return conf;
    }

    /** @param storage what the volumes of each DataNode are, one by one; two of disk when nothing is said */
    static WritesCluster start(int datanodes, Configuration conf, StorageType[]... storage) throws IOException {
        for (int starts = 1; ; starts++) {
            WritesCluster started =
                    new WritesCluster(TerraceCluster.startByConfiguration(datanodes, new Configuration(conf), storage));
            boolean serves = false;
            try {
                started.awaitChannels();
                serves = true;
                return started;
            } catch (ConditionTimeoutException taken) {
                // The port of a channel follows from the DataNode's, and another process may have it.
                if (starts == MOST_STARTS) {
                    throw taken;
                }
            } finally {
                if (!serves) {
                    started.close();
                }
            }
        }
    }

    /** A plugin starts on a thread of its own. */
    void awaitChannels() {
        for (DataNode datanode : cluster.cluster().getDataNodes()) {
            InetSocketAddress address = new InetSocketAddress(
                    datanode.getXferAddress().getAddress(),
                    datanode.getXferPort() + RemoteReadsCluster.OUT_OF_EPHEMERAL_PORTS);
            await().atMost(PATIENCE).ignoreExceptions().until(() -> {
                try (Socket socket = new Socket()) {
                    socket.connect(address, 1_000);
                    return true;
                }
            });
        }
    }

    /**
     * A client that knows no DataNode yet, so that none is one that had no channel lately.
     *
     * @param settings keys and values
     */
    DistributedFileSystem newClient(String... settings) throws IOException {
        Configuration conf = new Configuration(cluster.cluster().getConfiguration(0));
        conf.set("fs.hdfs.impl", TerraceFileSystem.class.getName());
        conf.set(TerraceSettings.CLIENT_WRITE_ENABLED.key(), "true");
        conf.set(
                TerraceSettings.CHANNEL_DIR.key(),
                cluster.scratch().resolve("channel").toString());
        conf.set("terrace.client.connect.pause", 50 + CLIENTS.incrementAndGet() + "ms");
        for (int i = 0; i < settings.length; i += 2) {
            conf.set(settings[i], settings[i + 1]);
        }
        return (DistributedFileSystem) FileSystem.newInstance(cluster.cluster().getURI(), conf);
    }

    /** Of the block that is being written; waits until there is one. */
    static List<DatanodeInfo> pipeline(FSDataOutputStream out) {
        DFSOutputStream stream = (DFSOutputStream) out.getWrappedStream();
        await().atMost(PATIENCE).until(() -> stream.getPipeline() != null);
        return List.of(Objects.requireNonNull(stream.getPipeline()));
    }

    /** Stops a DataNode, to be started again. */
    DataNodeProperties stop(DatanodeInfo node) {
        return cluster.cluster().stopDataNode(indexOf(node));
    }

    int indexOf(DatanodeInfo node) {
        for (int i = 0; i < cluster.cluster().getDataNodes().size(); i++) {
            if (cluster.datanode(i).getDatanodeUuid().equals(node.getDatanodeUuid())) {
                return i;
            }
        }
        throw new AssertionError(node + " does not run");
    }

    /** The same on another thread: it may wait for a thread of the DataNode that a test holds. */
    FutureTask<DataNodeProperties> stopping(DatanodeInfo node) {
        FutureTask<DataNodeProperties> stops = new FutureTask<>(() -> stop(node));
        new Thread(stops, "stops-a-datanode").start();
        return stops;
    }

    void startAgain(DataNodeProperties stopped) throws IOException {
        assertThat(cluster.cluster().restartDataNode(stopped, true)).isTrue();
        cluster.cluster().waitActive();
        awaitChannels();
    }

    /** The file is closed and reads as it was written. */
    void assertReads(Path file, byte[] written) throws IOException {
        assertThat(cluster.fs().isFileClosed(file)).isTrue();
        assertThat(cluster.read(file)).isEqualTo(written);
    }

    /** How many DataNodes have all of a block; none of the others has some of it. */
    int replicas(ExtendedBlock block, byte[] contents) throws IOException {
        int found = 0;
        for (DataNode datanode : cluster.cluster().getDataNodes()) {
            assertThat(datanode.getFSDataset().isValidRbw(block)).isFalse();
            if (datanode.getFSDataset().isValidBlock(block)) {
                try (InputStream in = datanode.getFSDataset().getBlockInputStream(block, 0)) {
                    assertThat(in.readAllBytes()).isEqualTo(contents);
                }
                found++;
            }
        }
        return found;
    }

    static int blocks(byte[] written) {
        return (written.length + TerraceCluster.BLOCK_BYTES - 1) / TerraceCluster.BLOCK_BYTES;
    }

    /** What a block of a file has. */
    static byte[] ofBlock(byte[] written, int index) {
        int from = index * TerraceCluster.BLOCK_BYTES;
        return Arrays.copyOfRange(written, from, Math.min(written.length, from + TerraceCluster.BLOCK_BYTES));
    }

    @Override
    public void close() throws IOException {
        cluster.close();
    }
}
