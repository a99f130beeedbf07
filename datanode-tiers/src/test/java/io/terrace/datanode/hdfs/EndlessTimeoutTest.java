package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.client.ClientMetrics;
import io.terrace.metrics.Metric;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A socket timeout of 0, which is for ever in Hadoop. */
@Tag("cluster")
@Timeout(180)
class EndlessTimeoutTest {
    @Test
    void dataNodesServe_andFilesGoOverTheChannel() throws Exception {
        Configuration conf = WritesCluster.configuration();
        conf.setInt("dfs.client.socket-timeout", 0);
        byte[] written = TerraceCluster.contents("endless", TerraceCluster.BLOCK_BYTES + 700);
        long before = ClientMetrics.value(Metric.CLIENT_WRITE_BYTES);
        try (WritesCluster writes = WritesCluster.start(2, conf);
                DistributedFileSystem client = writes.newClient()) {
            Path file = new Path("/endless");
            try (FSDataOutputStream out = client.create(file, (short) 2)) {
                out.write(written, 0, 700);
                out.hflush();
                out.write(written, 700, written.length - 700);
            }
            writes.assertReads(file, written);
        }
        assertThat(ClientMetrics.value(Metric.CLIENT_WRITE_BYTES) - before).isEqualTo(written.length);
    }
}
