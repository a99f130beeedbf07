package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.channel.write.WriteFrame;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.server.datanode.metrics.DataNodePeerMetrics;
import org.apache.hadoop.metrics2.lib.MetricsTestHelper;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is written over the channel counts when the NameNode looks for slow DataNodes. */
@Tag("cluster")
@Timeout(180)
class SlowPeersTest {

    @Test
    void framesToTheLastDataNode_areTimedByTheOneBeforeIt() throws Exception {
        Configuration conf = TerraceCluster.configuration();
        conf.setBoolean(DFSConfigKeys.DFS_DATANODE_PEER_STATS_ENABLED_KEY, true);
        try (TerraceCluster cluster = PipelineBlock.cluster(conf);
                PipelineBlock block = new PipelineBlock(cluster, "/timed").open()) {
            for (int index : PipelineBlock.ALL) {
                MetricsTestHelper.replaceRollingAveragesScheduler(
                        metrics(cluster, block, index).getSendPacketDownstreamRollingAverages(),
                        100,
                        1,
                        TimeUnit.SECONDS);
            }
            block.writer.send(block.contents, 0, PipelineBlock.BYTES, WriteFrame.LAST);
            block.writer.awaitAll(true);
            String last = block.node(2).getInfoAddr();
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> timed(cluster, block, 1).contains(last));
            assertThat(timed(cluster, block, 0))
                    .as("its next one waits for the last")
                    .doesNotContain(":");
            block.complete();
        }
    }

    /** The DataNodes that one has timed, with their mean times. */
    private static String timed(TerraceCluster cluster, PipelineBlock block, int index) {
        return metrics(cluster, block, index).dumpSendPacketDownstreamAvgInfoAsJson();
    }

    private static DataNodePeerMetrics metrics(TerraceCluster cluster, PipelineBlock block, int index) {
        return cluster.datanode(block.indexInCluster(index)).getPeerMetrics();
    }
}
