package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.terrace.client.ClientMetrics;
import io.terrace.conf.TerraceSettings;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.AddBlockFlag;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.MiniDFSCluster.DataNodeProperties;
import org.apache.hadoop.hdfs.protocol.BlockStoragePolicy;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockPlacementPolicy;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockPlacementPolicyDefault;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeStorageInfo;
import org.apache.hadoop.hdfs.server.datanode.DataNodeFaultInjector;
import org.apache.hadoop.net.Node;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A late replica whose copy to another DataNode takes longer than a DataNode waits for its client. */
@Tag("cluster")
@Timeout(180)
class LateCopyTest {
    private static final int BLOCK = TerraceCluster.BLOCK_BYTES;
    private static final int SOCKET_TIMEOUT_MS = 3_000;
    private static final int COPY_MS = 9_000;

    /** Takes long to choose a DataNode for a copy, as the copy itself would. */
    static final class SlowChoice extends BlockPlacementPolicyDefault {
        @Override
        public DatanodeStorageInfo[] chooseTarget(
                String path,
                int count,
                Node writer,
                List<DatanodeStorageInfo> chosen,
                boolean returnChosen,
                Set<Node> excluded,
                long blockBytes,
                BlockStoragePolicy policy,
                EnumSet<AddBlockFlag> flags) {
            if (!chosen.isEmpty()) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(COPY_MS));
            }
            return super.chooseTarget(path, count, writer, chosen, returnChosen, excluded, blockBytes, policy, flags);
        }
    }

    private final DataNodeFaultInjector stock = DataNodeFaultInjector.get();
    private WritesCluster writes;
    private DistributedFileSystem client;
    private FutureTask<Void> flush;

    private void start(int datanodes) throws IOException {
        Configuration conf = WritesCluster.configuration();
        conf.setInt("dfs.client.socket-timeout", SOCKET_TIMEOUT_MS);
        conf.setClass("dfs.block.replicator.classname", SlowChoice.class, BlockPlacementPolicy.class);
        writes = WritesCluster.start(datanodes, conf);
        client = writes.newClient(
                TerraceSettings.CLIENT_LOCAL.key(),
                "false",
                "dfs.client.block.write.replace-datanode-on-failure.best-effort",
                "true");
    }

    @AfterEach
    void stop() throws IOException {
        DataNodeFaultInjector.set(stock);
        client.close();
        writes.close();
        assertThat(ClientMetrics.value(Metric.CLIENT_WRITE_RETAINED_BYTES)).isZero();
        assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .noneMatch(name -> name.startsWith("terrace-late-copy"));
    }

    /**
     * Writes a block and some of the next one, whose pipeline is returned, and stops the last DataNode of the first one.
     *
     * @param within the first block
     */
    private List<DatanodeInfo> loseOne(FSDataOutputStream out, byte[] written, Callable<Void> within) throws Exception {
        long recoveries = ClientMetrics.value(Metric.CLIENT_WRITE_RECOVERIES);
        long overlapped = ClientMetrics.value(Metric.CLIENT_WRITE_BLOCKS_OVERLAPPED);
        out.write(written, 0, 1_000);
        out.hflush();
        List<DatanodeInfo> first = WritesCluster.pipeline(out);
        within.call();
        HeldDataNode held = new HeldDataNode(first.get(2));
        DataNodeFaultInjector.set(held);
        flush = new FutureTask<>(() -> {
            out.write(written, 1_000, written.length - 1_000);
            out.hflush();
            return null;
        });
        new Thread(flush, "flushes").start();
        await().atMost(WritesCluster.PATIENCE)
                .until(() -> ClientMetrics.value(Metric.CLIENT_WRITE_BLOCKS_OVERLAPPED) > overlapped
                        && !WritesCluster.pipeline(out).equals(first));
        List<DatanodeInfo> second = WritesCluster.pipeline(out);
        FutureTask<DataNodeProperties> stops = writes.stopping(first.get(2));
        await().atMost(WritesCluster.PATIENCE)
                .until(() -> ClientMetrics.value(Metric.CLIENT_WRITE_RECOVERIES) > recoveries);
        held.end();
        stops.get();
        return second;
    }

    @Test
    void copy_takesLong_theNextBlockKeepsItsDataNodes() throws Exception {
        start(7);
        long replaced = ClientMetrics.value(Metric.CLIENT_WRITE_REPLICAS_REPLACED);
        Path file = new Path("/late");
        byte[] written = TerraceCluster.contents("late", BLOCK + 700_000);
        try (FSDataOutputStream out = client.create(file, (short) 3)) {
            List<DatanodeInfo> second = loseOne(out, written, () -> null);
            flush.get();
            assertThat(WritesCluster.pipeline(out)).isEqualTo(second);
        }
        assertThat(ClientMetrics.value(Metric.CLIENT_WRITE_REPLICAS_REPLACED) - replaced)
                .isEqualTo(1);
        writes.assertReads(file, written);
    }

    /** Stock's streamer goes on with the next block only when the one before is done with. */
    @Test
    void copy_takesLong_aBlockOfStocksKeepsItsDataNodes() throws Exception {
        start(4);
        long left = ClientMetrics.value(Metric.CLIENT_WRITE_FALLBACK_NO_CHANNEL);
        Path file = new Path("/left");
        byte[] written = TerraceCluster.contents("left", BLOCK + 700_000);
        try (FSDataOutputStream out = client.create(file, (short) 3)) {
            List<DatanodeInfo> second = loseOne(out, written, this::startWithoutChannel);
            flush.get();
            assertThat(WritesCluster.pipeline(out)).hasSize(3).isEqualTo(second);
        }
        assertThat(ClientMetrics.value(Metric.CLIENT_WRITE_FALLBACK_NO_CHANNEL) - left)
                .isEqualTo(1);
        writes.assertReads(file, written);
    }

    /** So many that the next block goes to some of them. */
    private Void startWithoutChannel() throws IOException {
        Configuration withoutPlugin =
                new Configuration(writes.cluster().cluster().getConfiguration(0));
        withoutPlugin.unset("dfs.datanode.plugins");
        writes.cluster().cluster().startDataNodes(withoutPlugin, 3, true, null, null);
        writes.cluster().cluster().waitActive();
        return null;
    }

    @Test
    void abort_whileItIsCopied_leavesNoThread() throws Exception {
        start(7);
        FSDataOutputStream out = client.create(new Path("/aborted"), (short) 3);
        List<DatanodeInfo> unused = loseOne(out, TerraceCluster.contents("aborted", BLOCK + 700_000), () -> null);
        await().atMost(WritesCluster.PATIENCE).until(() -> Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().startsWith("terrace-late-copy")));
        client.getClient().closeAllFilesBeingWritten(true);
        assertThatThrownBy(flush::get).hasCauseInstanceOf(IOException.class);
        await().atMost(WritesCluster.PATIENCE).until(() -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().startsWith("terrace-late-copy")));
    }
}
