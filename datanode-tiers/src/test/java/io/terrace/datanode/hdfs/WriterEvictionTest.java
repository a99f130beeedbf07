package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.client.ClientMetrics;
import io.terrace.conf.TerraceSettings;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.security.PrivilegedExceptionAction;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.tools.DFSAdmin;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.util.ToolRunner;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code dfsadmin -evictWriters} while a client writes over the channel. */
@Tag("cluster")
@Timeout(120)
class WriterEvictionTest {
    private static final int BLOCK = TerraceCluster.BLOCK_BYTES;

    private final long seed = System.nanoTime();
    private final Random random = new Random(seed);
    private WritesCluster writes;
    private DistributedFileSystem client;

    @BeforeEach
    void start() throws IOException {
        System.out.println("seed " + seed);
        writes = WritesCluster.start(4, WritesCluster.configuration());
        client = writes.newClient(TerraceSettings.CLIENT_LOCAL.key(), "false");
    }

    @AfterEach
    void stop() throws IOException {
        client.close();
        writes.close();
    }

    private int evict(DataNode datanode) throws Exception {
        Configuration conf = writes.cluster().cluster().getConfiguration(0);
        return ToolRunner.run(new Configuration(conf), new DFSAdmin(), new String[] {
            "-evictWriters", "127.0.0.1:" + datanode.getIpcPort()
        });
    }

    /** A DataNode without writers too. */
    @Test
    void evictWriters_ofADataNodeOfThePipeline_isLeftOut() throws Exception {
        Path file = new Path("/evicted");
        byte[] written = TerraceCluster.contents("evicted", 2 * BLOCK);
        long fallbacks = ClientMetrics.value(Metric.CLIENT_WRITE_FALLBACK_NO_CHANNEL);
        long recoveries = ClientMetrics.value(Metric.CLIENT_WRITE_RECOVERIES);
        try (FSDataOutputStream out = client.create(file, (short) 3)) {
            out.write(written, 0, 1_000);
            out.hflush();
            List<DatanodeInfo> before = WritesCluster.pipeline(out);
            DatanodeInfo evicted = before.get(random.nextInt(3));
            assertThat(evict(writes.cluster().datanode(writes.indexOf(evicted))))
                    .isZero();
            out.write(written, 1_000, 1_000);
            out.hflush();
            assertThat(WritesCluster.pipeline(out)).doesNotContain(evicted);
            out.write(written, 2_000, written.length - 2_000);
        }
        writes.assertReads(file, written);
        assertThat(ClientMetrics.value(Metric.CLIENT_WRITE_RECOVERIES) - recoveries)
                .isEqualTo(1);
        assertThat(ClientMetrics.value(Metric.CLIENT_WRITE_FALLBACK_NO_CHANNEL)).isEqualTo(fallbacks);
        for (DataNode datanode : writes.cluster().cluster().getDataNodes()) {
            assertThat(evict(datanode)).isZero();
        }
    }

    @Test
    void evictWriters_byAStranger_isRefused() throws Exception {
        UserGroupInformation stranger =
                UserGroupInformation.createUserForTesting("stranger", new String[] {"strangers"});
        Path file = new Path("/not-evicted");
        byte[] written = TerraceCluster.contents("not-evicted", 2_000);
        try (FSDataOutputStream out = client.create(file, (short) 3)) {
            out.write(written, 0, 1_000);
            out.hflush();
            List<DatanodeInfo> before = WritesCluster.pipeline(out);
            DataNode first = writes.cluster().datanode(writes.indexOf(before.get(0)));
            assertThat(stranger.doAs((PrivilegedExceptionAction<Integer>) () -> evict(first)))
                    .isNegative();
            out.write(written, 1_000, 1_000);
            out.hflush();
            assertThat(WritesCluster.pipeline(out)).isEqualTo(before);
        }
        writes.assertReads(file, written);
    }
}
