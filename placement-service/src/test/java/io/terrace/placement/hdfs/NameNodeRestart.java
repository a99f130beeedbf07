package io.terrace.placement.hdfs;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.Duration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeTestUtils;

/**
 * Starts the NameNode of a cluster again. The cluster itself looks once a second whether it is up, and a DataNode registers
 * with one heartbeat and shows its volumes with the next.
 */
public final class NameNodeRestart {

    private NameNodeRestart() {}

    public static void of(MiniDFSCluster cluster) throws IOException {
        cluster.restartNameNode(0, false);
        await().pollInterval(Duration.ofMillis(20))
                .atMost(Duration.ofMinutes(1))
                .ignoreExceptions()
                .until(() -> {
                    for (DataNode datanode : cluster.getDataNodes()) {
                        DataNodeTestUtils.triggerHeartbeat(datanode);
                    }
                    return cluster.isNameNodeUp(0);
                });
        cluster.waitActive();
    }
}
