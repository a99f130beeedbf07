package org.apache.hadoop.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.client.ClientConfig;
import io.terrace.client.write.WriteClient;
import io.terrace.metrics.MetricRegistry;
import java.io.IOException;
import java.net.URI;
import java.util.EnumSet;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.server.datanode.CachingStrategy;
import org.apache.hadoop.hdfs.util.ByteArrayManager;
import org.apache.hadoop.util.DataChecksum;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class TerraceDataStreamerTest {
    private final Configuration conf = new HdfsConfiguration();

    /** Stock's stream counts its packets from the first, too. */
    @Test
    @Timeout(20)
    void waitForAckedSeqno_ofAFrame_afterStockTookOver_isAskedAgain() throws IOException {
        // No call is made, so there need not be a NameNode.
        try (DFSClient client =
                new DFSClient(URI.create("hdfs://localhost:1"), conf, new FileSystem.Statistics("hdfs"))) {
            TerraceDataStreamer streamer = streamer(client);
            assertThat(streamer.output().write(1)).isTrue();
            streamer.output().flush(false);
            long frame = streamer.getLastQueuedSeqno();
            streamer.stockWrites();
            assertThat(streamer.getLastQueuedSeqno()).isLessThan(frame);
            assertThatThrownBy(() -> streamer.waitForAckedSeqno(frame)).isInstanceOf(LeftToStockException.class);
            streamer.output().release();
            streamer.output().sendEnded();
        }
    }

    private TerraceDataStreamer streamer(DFSClient client) {
        HdfsFileStatus stat =
                new HdfsFileStatus.Builder().replication(3).blocksize(1 << 20).build();
        return new TerraceDataStreamer(
                WriteClient.ofItsOwn(ClientConfig.from(conf), new MetricRegistry()),
                new ExcludableNodes(),
                stat,
                client,
                "/file",
                null,
                DataChecksum.newDataChecksum(DataChecksum.Type.CRC32C, 512),
                new AtomicReference<>(CachingStrategy.newDefaultStrategy()),
                ByteArrayManager.newInstance(null),
                null,
                EnumSet.noneOf(AddBlockFlag.class),
                false);
    }
}
