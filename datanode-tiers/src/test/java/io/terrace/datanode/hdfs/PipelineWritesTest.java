package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.channel.write.WriteAck;
import io.terrace.channel.write.WriteFrame;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.fs.ChecksumException;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.BlockOpResponseProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.OpWriteBlockProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.Status;
import org.apache.hadoop.hdfs.protocolPB.PBHelperClient;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeFaultInjector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Blocks of three replicas, each DataNode the client of the next: what is written, and what is refused. */
@Tag("cluster")
@Timeout(180)
class PipelineWritesTest {
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

    @Test
    void block_isTheSameOnAll_andVisibleIsWhatAllHave() throws Exception {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        for (int round = 0; round < 3; round++) {
            try (PipelineBlock block = new PipelineBlock(cluster, "/three-" + round).open()) {
                int done = 0;
                while (done < PipelineBlock.BYTES) {
                    int to = Math.min(PipelineBlock.BYTES, done + 1 + random.nextInt(200_000));
                    block.writer.send(block.contents, done, to, random.nextInt(3) == 0 ? WriteFrame.SYNC : 0);
                    assertThat(block.writer.awaitAll(false).replicatedBytes()).isEqualTo(to);
                    for (int index : PipelineBlock.ALL) {
                        assertThat(block.replica(index).getVisibleLength()).isEqualTo(to);
                    }
                    done = to;
                }
                block.writer.send(block.contents, done, done, WriteFrame.LAST);
                assertThat(block.writer.awaitAll(true))
                        .extracting(WriteAck::replicatedBytes)
                        .isEqualTo((long) PipelineBlock.BYTES);
                block.complete();
                block.assertSameOn(PipelineBlock.ALL);
            }
        }
        for (int i = 0; i < 3; i++) {
            assertThat(cluster.figure(i, Metric.CHANNEL_WRITE_BLOCKS)).isEqualTo(3);
            assertThat(cluster.figure(i, Metric.CHANNEL_WRITE_FORWARD_FAILED)).isZero();
        }
    }

    /** Stock's stream can write the block there. */
    @Test
    void open_namesADataNodeWithoutChannel_asOneThatIsWell() throws Exception {
        try (PipelineBlock block = new PipelineBlock(cluster, "/stock")) {
            cluster.stopPlugin(block.indexInCluster(2));
            BlockOpResponseProto answer =
                    block.writer.open(RawWriter.request(block.file, block.located, PipelineBlock.ALL));
            assertThat(answer.getStatus()).as(answer.toString()).isEqualTo(Status.ERROR_UNSUPPORTED);
            assertThat(answer.getFirstBadLink()).isEqualTo(block.node(2).getXferAddr());
        }
    }

    @Test
    void open_namesADataNodeThatIsGone() throws Exception {
        try (PipelineBlock block = new PipelineBlock(cluster, "/gone")) {
            block.kill(1);
            BlockOpResponseProto answer =
                    block.writer.open(RawWriter.request(block.file, block.located, PipelineBlock.ALL));
            assertThat(answer.getStatus()).as(answer.toString()).isEqualTo(Status.ERROR);
            assertThat(answer.getFirstBadLink()).isEqualTo(block.node(1).getXferAddr());
        }
    }

    @Test
    void token_isCheckedByEachDataNode() throws Exception {
        try (PipelineBlock block = new PipelineBlock(cluster, "/token")) {
            DataNode second = cluster.datanode(block.indexInCluster(1));
            second.getBlockPoolTokenSecretManager()
                    .get(block.located.getBlock().getBlockPoolId())
                    .clearAllKeysForTesting();
            BlockOpResponseProto answer =
                    block.writer.open(RawWriter.request(block.file, block.located, PipelineBlock.ALL));
            assertThat(answer.getStatus()).as(answer.toString()).isEqualTo(Status.ERROR_ACCESS_TOKEN);
            assertThat(answer.getFirstBadLink()).isEqualTo(block.node(1).getXferAddr());
        }
    }

    @Test
    void token_ofOtherStoragesThanTheTargets_isRefusedByTheFirst() throws Exception {
        try (PipelineBlock block = new PipelineBlock(cluster, "/storages")) {
            OpWriteBlockProto.Builder request = RawWriter.request(block.file, block.located, PipelineBlock.ALL)
                    .setTargetStorageTypes(1, PBHelperClient.convertStorageType(StorageType.SSD));
            BlockOpResponseProto answer = block.writer.open(request);
            assertThat(answer.getStatus()).isEqualTo(Status.ERROR_ACCESS_TOKEN);
            assertThat(answer.getFirstBadLink()).isEqualTo(block.node(0).getXferAddr());
        }
    }

    /** Each DataNode verified what it sent on. So what the next one finds wrong is its fault, as in stock. */
    @Test
    void checksum_thatIsWrongAtTheThird_isOfTheSecond() throws Exception {
        try (PipelineBlock block = new PipelineBlock(cluster, "/bad").open()) {
            AtomicBoolean wrong = new AtomicBoolean();
            DataNodeFaultInjector.set(new DataNodeFaultInjector() {
                @Override
                public void delaySendingAckToUpstream(String upstream) throws IOException {
                    // The last DataNode acknowledges first.
                    if (wrong.compareAndSet(false, true)) {
                        throw new ChecksumException("wrong", 0);
                    }
                }
            });
            block.writer.send(block.contents, 0, 100_000, 0);
            BlockOpResponseProto failure = block.writer.awaitFailure();
            assertThat(failure.getFirstBadLink()).isEqualTo(block.node(1).getXferAddr());
            assertThat(failure.getStatus()).isEqualTo(Status.ERROR);
        }
    }

    /** Bytes beyond the block are refused by the first; nothing of them is sent on. */
    @Test
    void bytes_beyondTheBlock_reachNobody() throws Exception {
        try (PipelineBlock block = new PipelineBlock(cluster, "/beyond").open()) {
            byte[] all = TerraceCluster.contents("/beyond", TerraceCluster.BLOCK_BYTES + 1);
            block.writer.send(all, 0, TerraceCluster.BLOCK_BYTES, 0);
            block.writer.awaitAll(false);
            block.writer.send(all, TerraceCluster.BLOCK_BYTES, TerraceCluster.BLOCK_BYTES + 1, 0);
            BlockOpResponseProto failure = block.writer.awaitFailure();
            assertThat(failure.getStatus()).isEqualTo(Status.ERROR);
            assertThat(failure.getFirstBadLink()).isEmpty();
            for (int index : PipelineBlock.ALL) {
                assertThat(block.replica(index).getNumBytes()).isEqualTo(TerraceCluster.BLOCK_BYTES);
            }
        }
    }
}
