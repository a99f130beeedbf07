package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.channel.write.WriteFrame;
import io.terrace.client.ClientMetrics;
import io.terrace.conf.TerraceSettings;
import io.terrace.fs.TerraceFileSystem;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.BlockOpResponseProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.OpWriteBlockProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.Status;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Small blocks, which come with the request to open them, at DataNodes that check tokens. */
@Tag("cluster")
@Timeout(180)
class WholeBlocksTest {
    private static final int MOST = WriteFrame.MAX_WHOLE_BYTES;

    private TerraceCluster cluster;

    @BeforeEach
    void start() throws IOException {
        cluster = PipelineBlock.cluster();
    }

    @AfterEach
    void stop() throws IOException {
        cluster.close();
        assertThat(ClientMetrics.value(Metric.CLIENT_WRITE_RETAINED_BYTES)).isZero();
    }

    private FileSystem client(boolean local) throws IOException {
        Configuration conf = new Configuration(cluster.cluster().getConfiguration(0));
        conf.set("fs.hdfs.impl", TerraceFileSystem.class.getName());
        conf.set(TerraceSettings.CLIENT_WRITE_ENABLED.key(), "true");
        conf.setBoolean(TerraceSettings.CLIENT_LOCAL.key(), local);
        return FileSystem.newInstance(cluster.cluster().getURI(), conf);
    }

    private static long whole() {
        return ClientMetrics.value(Metric.CLIENT_WRITE_BLOCKS_WHOLE);
    }

    private void assertStored(Path file, byte[] written, int replication) throws IOException {
        assertThat(cluster.read(file)).isEqualTo(written);
        ExtendedBlock block = cluster.located(file, 0).getBlock();
        int replicas = 0;
        for (DataNode datanode : cluster.cluster().getDataNodes()) {
            if (datanode.getFSDataset().contains(block)) {
                replicas++;
                try (InputStream in = datanode.getFSDataset().getBlockInputStream(block, 0)) {
                    assertThat(in.readAllBytes()).isEqualTo(written);
                }
            }
        }
        assertThat(replicas).isEqualTo(replication);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void files_ofOneFrame_areOneMessage(boolean local) throws IOException {
        try (FileSystem client = client(local)) {
            for (short replication : new short[] {1, 3}) {
                for (int bytes : new int[] {1, 100, 512, MOST - 1, MOST, MOST + 1}) {
                    Path file = new Path("/file-" + replication + "-" + bytes);
                    byte[] written = TerraceCluster.contents(file.getName(), bytes);
                    long before = whole();
                    try (FSDataOutputStream out = client.create(file, replication)) {
                        // Not in one piece.
                        out.write(written, 0, bytes / 2);
                        out.write(written, bytes / 2, bytes - bytes / 2);
                    }
                    assertStored(file, written, replication);
                    assertThat(whole() - before).as("%d bytes", bytes).isEqualTo(bytes > MOST ? 0 : 1);
                }
            }
            byte[] written = TerraceCluster.contents("end", TerraceCluster.BLOCK_BYTES + 700);
            long before = whole();
            try (FSDataOutputStream out = client.create(new Path("/end"), (short) 3)) {
                out.write(written);
            }
            assertThat(cluster.read(new Path("/end"))).isEqualTo(written);
            assertThat(whole() - before).isEqualTo(1);
        }
    }

    /** The last DataNode is asked first, so there is no replica where stock writes the block. */
    @Test
    void fileWithADataNodeWithoutChannel_isStocks() throws IOException {
        cluster.stopPlugin(1);
        long before = whole();
        byte[] written = TerraceCluster.contents("stock", MOST);
        try (FileSystem client = client(false);
                FSDataOutputStream out = client.create(new Path("/stock"), (short) 3)) {
            out.write(written);
        }
        assertStored(new Path("/stock"), written, 3);
        assertThat(whole()).isEqualTo(before);
    }

    @Test
    void file_whoseDataNodeIsGone_isWrittenAtTheOthers() throws IOException {
        byte[] written = TerraceCluster.contents("gone", 700);
        cluster.stopPlugin(2);
        cluster.cluster().stopDataNode(2);
        try (FileSystem client = client(false);
                FSDataOutputStream out = client.create(new Path("/gone"), (short) 3)) {
            out.write(written);
        }
        assertStored(new Path("/gone"), written, 2);
    }

    @Test
    void data_withAForeignToken_isRefused_andNotWrittenAnywhere() throws Exception {
        try (PipelineBlock block = new PipelineBlock(cluster, "/block");
                PipelineBlock other = new PipelineBlock(cluster, "/other")) {
            LocatedBlock foreign = other.located;
            byte[] contents = Arrays.copyOf(block.contents, 700);
            OpWriteBlockProto.Builder request = RawWriter.request(block.file, block.located, PipelineBlock.ALL);
            request.getHeaderBuilder()
                    .getBaseHeaderBuilder()
                    .setToken(RawWriter.request(other.file, foreign, PipelineBlock.ALL)
                            .getHeader()
                            .getBaseHeader()
                            .getToken());
            block.writer.sendWhole(request, contents, RawWriter.sums(contents));
            assertThat(block.writer.opened().getStatus()).isEqualTo(Status.ERROR_ACCESS_TOKEN);
            assertThat(block.writer.hasEnded()).isTrue();
            assertNowhere(block);
        }
    }

    private static void assertNowhere(PipelineBlock block) {
        for (int index : PipelineBlock.ALL) {
            assertThat(block.replica(index)).isNull();
        }
    }

    /** The first one verifies what it sends on. */
    @Test
    void data_withAWrongChecksum_isRefused_andNotWrittenAnywhere() throws Exception {
        try (PipelineBlock block = new PipelineBlock(cluster, "/wrong")) {
            byte[] contents = Arrays.copyOf(block.contents, 700);
            ByteBuffer sums = RawWriter.sums(contents);
            sums.put(4, (byte) ~sums.get(4));
            block.writer.sendWhole(RawWriter.request(block.file, block.located, PipelineBlock.ALL), contents, sums);
            BlockOpResponseProto answer = block.writer.opened();
            assertThat(answer.getStatus()).isEqualTo(Status.ERROR_CHECKSUM);
            assertThat(answer.getFirstBadLink()).isEmpty();
            assertNowhere(block);
        }
    }

    @Test
    void data_withARequestForWhatIsThere_isRefused() throws Exception {
        try (PipelineBlock block = new PipelineBlock(cluster, "/stage")) {
            byte[] contents = Arrays.copyOf(block.contents, 700);
            block.writer.sendWhole(
                    RawWriter.request(block.file, block.located, PipelineBlock.ALL)
                            .setStage(OpWriteBlockProto.BlockConstructionStage.PIPELINE_SETUP_STREAMING_RECOVERY),
                    contents,
                    RawWriter.sums(contents));
            assertThat(block.writer.opened().getStatus()).isEqualTo(Status.ERROR);
            assertNowhere(block);
        }
    }
}
