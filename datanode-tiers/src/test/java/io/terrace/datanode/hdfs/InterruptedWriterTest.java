package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.channel.write.WriteFrame;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.Status;
import org.apache.hadoop.hdfs.server.common.AutoCloseDataSetLock;
import org.apache.hadoop.hdfs.server.common.DataNodeLockManager.LockLevel;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A recovery takes a block from its writer while that waits for the dataset's lock at the block's end. */
@Tag("cluster")
@Timeout(120)
class InterruptedWriterTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @Test
    void interrupt_whileTheReplicaIsFinalised_endsTheWriter_thoughItsClientStays() throws Exception {
        Configuration conf = TerraceCluster.configuration();
        conf.setInt(RemoteReadsCluster.OFFSET, RemoteReadsCluster.OUT_OF_EPHEMERAL_PORTS);
        conf.setInt(DFSConfigKeys.DFS_DATANODE_SOCKET_REUSE_KEEPALIVE_KEY, 600_000);
        try (TerraceCluster cluster = TerraceCluster.start(1, conf);
                RawWriter writer = RawWriter.overTcp(cluster)) {
            DataNode datanode = cluster.datanode(0);
            RawWriter.OpenFile file = RawWriter.OpenFile.create(cluster, "/taken");
            LocatedBlock block = file.nextBlock(null);
            assertThat(writer.open(file, block).getStatus()).isEqualTo(Status.SUCCESS);
            byte[] contents = TerraceCluster.contents("taken", 1_000);
            Thread serving;
            try (AutoCloseDataSetLock unused = datanode.getFSDataset()
                    .acquireDatasetLockManager()
                    .writeLock(LockLevel.BLOCK_POOl, block.getBlock().getBlockPoolId())) {
                writer.send(contents, 0, contents.length, WriteFrame.LAST);
                serving = await().atMost(PATIENCE).until(InterruptedWriterTest::finalising, thread -> thread != null);
                serving.interrupt();
            }
            serving.join(PATIENCE.toMillis());
            assertThat(serving.isAlive()).isFalse();
        }
    }

    /** The writer that waits for a lock within the end of its block. */
    private static @Nullable Thread finalising() {
        return Thread.getAllStackTraces().entrySet().stream()
                .filter(each -> each.getKey().getName().startsWith("terrace-write-"))
                .filter(each -> each.getKey().getState() == Thread.State.WAITING)
                .filter(each -> Stream.of(each.getValue())
                        .anyMatch(frame -> frame.getMethodName().equals("finalizeBlock")))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(null);
    }
}
