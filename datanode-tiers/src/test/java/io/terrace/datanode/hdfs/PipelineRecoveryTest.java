package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.channel.write.WriteFrame;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.stream.IntStream;
import javax.management.JMException;
import javax.management.ObjectName;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.BlockOpResponseProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.OpWriteBlockProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.OpWriteBlockProto.BlockConstructionStage;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.Status;
import org.apache.hadoop.hdfs.server.datanode.DataNodeFaultInjector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** DataNodes of a pipeline that fail within a block, and clients that go on with the others. */
@Tag("cluster")
@Timeout(180)
class PipelineRecoveryTest {
    private final DataNodeFaultInjector stock = DataNodeFaultInjector.get();
    private TerraceCluster cluster;

    @BeforeEach
    void start() throws IOException {
        cluster = PipelineBlock.cluster();
    }

    @AfterEach
    void stop() throws IOException {
        DataNodeFaultInjector.set(stock);
        cluster.close();
    }

    /** The others keep what all had acknowledged, and more; with a new stamp the client goes on with them. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void dataNode_thatDiesWithinABlock_isNamed_andTheOthersGoOn(int dead) throws Exception {
        try (PipelineBlock block = new PipelineBlock(cluster, "/dead-" + dead).open()) {
            int acked = 300_100;
            block.writer.send(block.contents, 0, acked, 0);
            block.writer.awaitAll(false);
            block.kill(dead);
            int sent = 500_000;
            if (dead > 0) {
                BlockOpResponseProto failure = block.writer.awaitFailure();
                assertThat(failure.getFirstBadLink()).isEqualTo(block.node(dead).getXferAddr());
                assertThat(failure.getStatus()).isEqualTo(Status.ERROR);
            } else {
                assertThat(block.writer.hasEnded()).isTrue();
            }
            int[] left = IntStream.of(PipelineBlock.ALL).filter(i -> i != dead).toArray();
            for (int index : left) {
                assertThat(block.replica(index).getVisibleLength()).isEqualTo(acked);
            }
            block.recover(BlockConstructionStage.PIPELINE_SETUP_STREAMING_RECOVERY, acked, sent, left);
            block.writer.send(block.contents, acked, sent, 0);
            assertThat(block.writer.awaitAll(false).replicatedBytes()).isEqualTo(sent);
            block.writer.send(block.contents, sent, PipelineBlock.BYTES, WriteFrame.LAST);
            block.writer.awaitAll(true);
            for (int index : left) {
                assertThat(block.reservedBytes(index)).isZero();
            }
            block.complete();
            block.assertSameOn(left);
        }
    }

    /** The space of what may still come is kept free on the volume, though the writer before gave its own back. */
    @Test
    void recoveredReplica_keepsItsSpace_untilItsWriterEnds() throws Exception {
        try (PipelineBlock block = new PipelineBlock(cluster, "/space").open()) {
            int acked = 100_000;
            block.writer.send(block.contents, 0, acked, 0);
            block.writer.awaitAll(false);
            for (int sent = 300_000; sent < PipelineBlock.BYTES; sent += 200_000) {
                block.recover(
                        BlockConstructionStage.PIPELINE_SETUP_STREAMING_RECOVERY, acked, acked, PipelineBlock.ALL);
                block.writer.send(block.contents, acked, sent, 0);
                block.writer.awaitAll(false);
                acked = sent;
                for (int index : PipelineBlock.ALL) {
                    assertThat(block.reservedBytes(index)).isEqualTo(TerraceCluster.BLOCK_BYTES - acked);
                }
            }
            block.writer.close();
            for (int index : PipelineBlock.ALL) {
                await().atMost(Duration.ofSeconds(60)).until(() -> block.reservedBytes(index) == 0);
            }
        }
    }

    /** A client may say any length. */
    @Test
    void recoveredReplica_thatMayBeLargerThanItsVolume_leavesOthersTheirSpace() throws Exception {
        try (PipelineBlock absurd = new PipelineBlock(cluster, "/absurd").open()) {
            absurd.writer.send(absurd.contents, 0, 100_000, 0);
            absurd.writer.awaitAll(false);
            absurd.saidBytes = 1L << 62;
            absurd.recover(
                    BlockConstructionStage.PIPELINE_SETUP_STREAMING_RECOVERY, 100_000, 100_000, PipelineBlock.ALL);
            for (int index : PipelineBlock.ALL) {
                assertThat(absurd.reservedBytes(index))
                        .as("as much ahead as a block of the usual size")
                        .isEqualTo(TerraceCluster.BLOCK_BYTES);
            }
        }
    }

    /** What the end of a block gives back is its own, though all but the last DataNode finalise it before it is acknowledged. */
    @Test
    void finalisedReplica_leavesOthersTheirSpace() throws Exception {
        try (PipelineBlock open = new PipelineBlock(cluster, "/open").open();
                PipelineBlock ended = new PipelineBlock(cluster, "/ended").open()) {
            int acked = 100_000;
            open.writer.send(open.contents, 0, acked, 0);
            open.writer.awaitAll(false);
            ended.writer.send(ended.contents, 0, PipelineBlock.BYTES, WriteFrame.LAST);
            ended.writer.awaitAll(true);
            for (int index : PipelineBlock.ALL) {
                assertThat(open.reservedBytes(index)).isEqualTo(TerraceCluster.BLOCK_BYTES - acked);
            }
        }
    }

    /** The pipeline is taken from a writer that is still there, at each of its DataNodes. */
    @Test
    void recovery_whileTheOldPipelineWrites_takesTheReplicas() throws Exception {
        try (PipelineBlock block = new PipelineBlock(cluster, "/alive").open()) {
            block.writer.send(block.contents, 0, 100_000, 0);
            block.writer.awaitAll(false);
            RawWriter old = block.writer;
            old.send(block.contents, 100_000, 200_000, 0);
            try (RawWriter unused = RawWriter.to(block.node(0))) {
                block.writer = unused;
                block.recover(BlockConstructionStage.PIPELINE_SETUP_STREAMING_RECOVERY, 100_000, 200_000, 0, 1, 2);
            }
            while (!old.hasEnded()) {
                // What it was sent before.
                continue;
            }
            block.writer.send(block.contents, 100_000, PipelineBlock.BYTES, WriteFrame.LAST);
            block.writer.awaitAll(true);
            block.complete();
            block.assertSameOn(PipelineBlock.ALL);
            old.close();
        }
    }

    /** Lets no frame reach a DataNode from now on. */
    private static void cutOff(DatanodeInfo node) {
        String address = node.getXferAddr();
        DataNodeFaultInjector.set(new DataNodeFaultInjector() {
            @Override
            public void stopSendingPacketDownstream(String mirror) throws IOException {
                if (mirror.equals(address)) {
                    throw new IOException("cut off by a test");
                }
            }
        });
    }

    /** The first two have finalised it when the third fails. */
    private PipelineBlock finalisedOnTwo(String path) throws Exception {
        PipelineBlock block = new PipelineBlock(cluster, path).open();
        block.writer.send(block.contents, 0, 400_000, 0);
        block.writer.awaitAll(false);
        cutOff(block.node(2));
        block.writer.send(block.contents, 400_000, PipelineBlock.BYTES, WriteFrame.LAST);
        assertThat(block.writer.awaitFailure().getFirstBadLink())
                .isEqualTo(block.node(2).getXferAddr());
        DataNodeFaultInjector.set(stock);
        for (int index : new int[] {0, 1}) {
            while (block.replica(index).getNumBytes() < PipelineBlock.BYTES
                    || !block.replica(index).getState().name().equals("FINALIZED")) {
                Thread.sleep(5);
            }
        }
        return block;
    }

    @Test
    void recovery_ofABlockThatSomeHaveFinalised_opensItAgain() throws Exception {
        try (PipelineBlock block = finalisedOnTwo("/again")) {
            block.recover(
                    BlockConstructionStage.PIPELINE_SETUP_STREAMING_RECOVERY,
                    400_000,
                    PipelineBlock.BYTES,
                    PipelineBlock.ALL);
            block.writer.send(block.contents, 400_000, PipelineBlock.BYTES, WriteFrame.LAST);
            block.writer.awaitAll(true);
            block.complete();
            block.assertSameOn(PipelineBlock.ALL);
        }
    }

    @Test
    void closeRecovery_finalisesWithTheNewStamp() throws Exception {
        try (PipelineBlock block = finalisedOnTwo("/close")) {
            block.recover(
                    BlockConstructionStage.PIPELINE_CLOSE_RECOVERY, PipelineBlock.BYTES, PipelineBlock.BYTES, 0, 1);
            block.complete();
            block.assertSameOn(0, 1);
            // The connection is of use for the next block.
            assertThat(block.writer
                            .open(RawWriter.request(block.file, block.located, PipelineBlock.ALL))
                            .getStatus())
                    .as("it exists already")
                    .isEqualTo(Status.ERROR);
        }
    }

    @Test
    void closeRecovery_withSync_syncsAllReplicas() throws Exception {
        try (PipelineBlock block = finalisedOnTwo("/synced")) {
            long[] before = {syncs(block, 0), syncs(block, 1)};
            block.recover(
                    BlockConstructionStage.PIPELINE_CLOSE_RECOVERY,
                    WriteFrame.SYNC_REPLICA,
                    PipelineBlock.BYTES,
                    PipelineBlock.BYTES,
                    0,
                    1);
            // The page of metrics may be some seconds old.
            for (int node : new int[] {0, 1}) {
                await().atMost(WritesCluster.PATIENCE).until(() -> syncs(block, node) - before[node] == 1);
            }
            block.complete();
            block.assertSameOn(0, 1);
        }
    }

    private long syncs(PipelineBlock block, int node) throws JMException {
        String name = cluster.datanode(block.indexInCluster(node)).getMetrics().name();
        return (long) ManagementFactory.getPlatformMBeanServer()
                .getAttribute(new ObjectName("Hadoop:service=DataNode,name=" + name), "FsyncCount");
    }

    @Test
    void open_ofANewBlock_withSync_isRefused() throws Exception {
        try (PipelineBlock block = new PipelineBlock(cluster, "/new-synced")) {
            OpWriteBlockProto.Builder request = RawWriter.request(block.file, block.located, PipelineBlock.ALL);
            assertThat(block.writer.open(request, WriteFrame.SYNC_REPLICA).getStatus())
                    .isEqualTo(Status.ERROR);
        }
    }

    @Test
    void closeRecovery_ofAReplicaThatIsShorter_namesIt() throws Exception {
        try (PipelineBlock block = finalisedOnTwo("/short")) {
            block.writer.close();
            ExtendedBlock old = new ExtendedBlock(block.located.getBlock());
            LocatedBlock fresh = block.file.nameNode().updateBlockForPipeline(old, block.file.client());
            OpWriteBlockProto.Builder request = RawWriter.request(block.file, block.located, PipelineBlock.ALL)
                    .setStage(BlockConstructionStage.PIPELINE_CLOSE_RECOVERY)
                    .setLatestGenerationStamp(fresh.getBlock().getGenerationStamp())
                    .setMinBytesRcvd(PipelineBlock.BYTES)
                    .setMaxBytesRcvd(PipelineBlock.BYTES);
            try (RawWriter writer = RawWriter.to(block.node(0))) {
                BlockOpResponseProto answer = writer.open(request);
                assertThat(answer.getStatus()).isEqualTo(Status.ERROR);
                assertThat(answer.getFirstBadLink()).isEqualTo(block.node(2).getXferAddr());
            }
        }
    }
}
