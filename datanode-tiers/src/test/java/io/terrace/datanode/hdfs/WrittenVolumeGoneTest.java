package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.client.ClientMetrics;
import io.terrace.metrics.Metric;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A volume is removed from a DataNode while a block is written to it over the channel. */
@Tag("cluster")
@Timeout(180)
class WrittenVolumeGoneTest {
    private static final short REPLICATION = 3;

    private WritesCluster writes;
    private DistributedFileSystem client;

    @BeforeEach
    void start() throws IOException {
        Configuration conf = WritesCluster.configuration();
        conf.setInt(DFSConfigKeys.DFS_NAMENODE_REDUNDANCY_INTERVAL_SECONDS_KEY, 1);
        writes = WritesCluster.start(REPLICATION + 1, conf);
        client = writes.newClient();
    }

    @AfterEach
    void stop() throws IOException {
        if (client != null) {
            client.close();
        }
        if (writes != null) {
            writes.close();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void file_isClosedWithTheOthers_andTheReplicaIsMadeAnew(int place) throws Exception {
        Path file = new Path("/volume-" + place);
        byte[] written = TerraceCluster.contents(file.toString(), 2 * TerraceCluster.BLOCK_BYTES);
        int flushed = TerraceCluster.BLOCK_BYTES / 2;
        long recoveries = ClientMetrics.value(Metric.CLIENT_WRITE_RECOVERIES);
        try (FSDataOutputStream out = client.create(file, REPLICATION)) {
            out.write(written, 0, flushed);
            out.hflush();
            DatanodeInfo node = WritesCluster.pipeline(out).get(place);
            removeVolume(writes.cluster().datanode(writes.indexOf(node)), file);
            out.write(written, flushed, written.length - flushed);
        }
        assertThat(ClientMetrics.value(Metric.CLIENT_WRITE_RECOVERIES)).isGreaterThan(recoveries);
        writes.assertReads(file, written);
        List<LocatedBlock> blocks = client.getClient()
                .getLocatedBlocks(file.toString(), 0, Long.MAX_VALUE)
                .getLocatedBlocks();
        for (int i = 0; i < blocks.size(); i++) {
            ExtendedBlock block = blocks.get(i).getBlock();
            byte[] contents = WritesCluster.ofBlock(written, i);
            // A replica that is one too many may go while it is read.
            await().atMost(WritesCluster.PATIENCE)
                    .ignoreExceptionsInstanceOf(IOException.class)
                    .untilAsserted(
                            () -> assertThat(writes.replicas(block, contents)).isEqualTo(REPLICATION));
        }
    }

    /** The volume of the file's replica; the other one stays. */
    private void removeVolume(DataNode datanode, Path file) throws Exception {
        ExtendedBlock block = client.getClient()
                .getLocatedBlocks(file.toString(), 0, 1)
                .get(0)
                .getBlock();
        // Only a writer that has begun is told that its volume goes.
        await().atMost(WritesCluster.PATIENCE)
                .until(() -> datanode.getFSDataset().isValidRbw(block));
        String volume =
                new File(datanode.getFSDataset().getVolume(block).getBaseURI().getPath()).getName();
        List<String> left = new ArrayList<>();
        for (String location : datanode.getConf().getTrimmedStrings(DFSConfigKeys.DFS_DATANODE_DATA_DIR_KEY)) {
            if (!location.endsWith(volume)) {
                left.add(location);
            }
        }
        assertThat(left).hasSize(1);
        datanode.reconfigureProperty(DFSConfigKeys.DFS_DATANODE_DATA_DIR_KEY, left.get(0));
    }
}
