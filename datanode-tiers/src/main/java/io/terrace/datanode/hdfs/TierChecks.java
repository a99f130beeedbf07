package io.terrace.datanode.hdfs;

import io.terrace.common.TokenBucket;
import io.terrace.datanode.hdfs.dataset.DatasetReplicas;
import io.terrace.datanode.memory.BackgroundChecks;
import io.terrace.datanode.memory.LeftoverRecovery;
import io.terrace.datanode.memory.Scrubber;
import io.terrace.metrics.MetricRegistry;
import java.io.IOException;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.TerraceNameNodes;

/** What is checked in the background of the memory tier, wired: copies of an earlier process, and bits that went bad. */
final class TierChecks {

    private TierChecks() {}

    /** Not started yet. */
    static BackgroundChecks of(
            DataNode datanode,
            DataNodeConfig settings,
            MemoryTier memory,
            DatasetReplicas replicas,
            MetricRegistry metricRegistry)
            throws IOException {
        LeftoverRecovery leftoverRecovery = new LeftoverRecovery(
                memory.extents(),
                memory.directory(),
                replicas,
                TokenBucket.ofSystem(0),
                metricRegistry,
                System::nanoTime);
        Scrubber scrub = new Scrubber(
                memory.extents(),
                memory.directory(),
                replicas,
                TokenBucket.ofSystem(settings.scrubBytesPerSecond()),
                metricRegistry,
                System::nanoTime);
        return new BackgroundChecks(
                leftoverRecovery,
                scrub,
                settings.scrubBytesPerSecond() > 0,
                settings.scrubIntervalMs(),
                pool -> HeartbeatAgents.serves(datanode, pool),
                () -> TerraceNameNodes.allKnown(datanode),
                System::nanoTime,
                datanode.getDatanodeUuid());
    }
}
