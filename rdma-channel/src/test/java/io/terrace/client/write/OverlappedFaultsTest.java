package io.terrace.client.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.channel.write.WriteFrame;
import io.terrace.metrics.Metric;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.OpWriteBlockProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.OpWriteBlockProto.BlockConstructionStage;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.Status;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Faults of blocks that go on behind the one that is written. */
@Timeout(60)
final class OverlappedFaultsTest extends OverlappedBlocksFixture {
    /** The second DataNode has a part of the first block when its pipeline fails: the client sends it the rest. */
    @Test
    void fault_behind_leavesTheOthersWhole() throws Exception {
        FakeWriteServer other = new FakeWriteServer();
        second = other;
        byte[] written = random(BLOCK_BYTES + 700, 5);
        start(new Overlapping() {
            @Override
            boolean received(Block block, WriteFrame frame) {
                if (id(block.request) == 1 && other.blocks.isEmpty()) {
                    FakeWriteServer.Block part = new FakeWriteServer.Block(block.request);
                    part.bytes = Arrays.copyOf(written, 700_000);
                    other.blocks.add(part);
                }
                return true;
            }

            @Override
            FailedPipeline beforeAck(Block block, WriteFrame frame) {
                super.beforeAck(block, frame);
                boolean end = id(block.request) == 1 && frame.has(WriteFrame.LAST);
                return end ? new FailedPipeline(Status.ERROR, streamer.secondAddress()) : null;
            }
        });
        streamer.second(other.port());
        streamer.write(written);
        streamer.close();
        assertThat(stored(server)).isEqualTo(written);
        assertThat(other.blocks).hasSize(1);
        assertThat(other.blocks.get(0).bytes).isEqualTo(Arrays.copyOf(written, BLOCK_BYTES));
        assertThat(other.blocks.get(0).finalised).isTrue();
        assertThat(streamer.copied).isEmpty();
        assertThat(streamer.badNodes()).isEmpty();
        assertThat(metricRegistry.value(Metric.CLIENT_WRITE_BYTES)).isEqualTo(written.length);
        assertThat(metricRegistry.value(Metric.CLIENT_WRITE_RECOVERIES)).isEqualTo(1);
        assertThat(metricRegistry.value(Metric.CLIENT_WRITE_REPLICAS_MISSING)).isZero();
    }

    /** The second DataNode has all bytes, maybe not on its disk. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void fault_behind_ofABlockThatIsSynced_finalisesAndSyncsIt(boolean older) throws Exception {
        FakeWriteServer other = new FakeWriteServer();
        other.older = older;
        second = other;
        byte[] written = random(BLOCK_BYTES, 13);
        start(new Overlapping() {
            @Override
            boolean received(Block block, WriteFrame frame) {
                if (id(block.request) == 1 && frame.has(WriteFrame.LAST)) {
                    FakeWriteServer.Block whole = new FakeWriteServer.Block(block.request);
                    whole.bytes = Arrays.copyOf(written, 700_000);
                    other.blocks.add(whole);
                }
                return true;
            }

            @Override
            FailedPipeline afterTheFirst() {
                return new FailedPipeline(Status.ERROR, streamer.secondAddress());
            }
        });
        streamer.second(other.port());
        streamer.write(Arrays.copyOf(written, 700_000));
        streamer.output().endBlock(true);
        streamer.write(Arrays.copyOfRange(written, 700_000, written.length));
        streamer.close();
        assertThat(stored(server)).isEqualTo(written);
        assertThat(other.requests)
                .startsWith(new FakeWriteServer.Asked(BlockConstructionStage.PIPELINE_CLOSE_RECOVERY, true))
                .hasSize(older ? 2 : 1);
        assertThat(streamer.copied).isEmpty();
        assertThat(other.blocks.get(0).finalised).isTrue();
    }

    /** The second DataNode is gone: its replica is to be copied elsewhere, and is missing where that cannot be. */
    @Test
    void fault_behind_ofADataNodeThatIsGone_isAMissingReplica() throws Exception {
        start(new Overlapping() {
            @Override
            FailedPipeline afterTheFirst() {
                return new FailedPipeline(Status.ERROR, streamer.secondAddress());
            }
        });
        byte[] written = random(BLOCK_BYTES + 700, 6);
        streamer.write(written);
        streamer.close();
        assertThat(stored(server)).isEqualTo(written);
        assertThat(streamer.copied).containsExactly(List.of(true, false));
        assertThat(metricRegistry.value(Metric.CLIENT_WRITE_REPLICAS_MISSING)).isEqualTo(1);
    }

    /** Nothing tells of a copy that is made, but for its end: what is written meanwhile is sent when it is written. */
    @Test
    void copy_ofABlockBehind_letsTheNextOneGoOn() throws Exception {
        CountDownLatch waits = new CountDownLatch(1);
        CountDownLatch sent = new CountDownLatch(1);
        start(new Overlapping() {
            @Override
            FailedPipeline afterTheFirst() {
                return new FailedPipeline(Status.ERROR, streamer.secondAddress());
            }

            @Override
            boolean received(Block block, WriteFrame frame) {
                if (id(block.request) == 2 && frame.has(WriteFrame.SYNC)) {
                    sent.countDown();
                }
                return true;
            }
        });
        streamer.isCopied = () -> sent.getCount() == 0;
        streamer.beforeWait = () -> {
            boolean copies = !streamer.copied.isEmpty() && sent.getCount() > 0;
            if (copies) {
                waits.countDown();
            }
            return copies;
        };
        byte[] written = random(BLOCK_BYTES + 700, 11);
        streamer.write(Arrays.copyOf(written, BLOCK_BYTES + 300));
        streamer.output().flush(false);
        waits.await();
        streamer.write(Arrays.copyOfRange(written, BLOCK_BYTES + 300, written.length));
        streamer.output().flush(true);
        streamer.awaitAll();
        streamer.close();
        assertThat(stored(server)).isEqualTo(written);
    }

    /** Nobody else uses the connection of stock's block while DataNodes lack the block before. */
    @Test
    void stocksBlock_whileOneIsBehind_isKeptAlive() throws Exception {
        start(new Overlapping() {
            @Override
            Status opened(OpWriteBlockProto request) {
                super.opened(request);
                return id(request) == 1 ? Status.SUCCESS : Status.ERROR_UNSUPPORTED;
            }

            @Override
            @Nullable
            FailedPipeline afterTheFirst() {
                OverlappedBlocksTest.await(streamer.heartbeats);
                return null;
            }
        });
        streamer.keepAliveMs = 1;
        byte[] written = random(BLOCK_BYTES + 700, 12);
        streamer.write(written);
        streamer.output().flush(false);
        streamer.awaitAll();
        assertThat(streamer.output().isLeftToStock()).isTrue();
        assertThat(stored(server)).isEqualTo(Arrays.copyOf(written, BLOCK_BYTES));
        streamer.close();
    }

    @Test
    void fault_behind_ofAllDataNodes_failsTheFile() throws Exception {
        start(new Overlapping() {
            @Override
            Status opened(OpWriteBlockProto request) {
                boolean again = request.getStage() != BlockConstructionStage.PIPELINE_SETUP_CREATE;
                return again ? Status.ERROR : super.opened(request);
            }

            @Override
            FailedPipeline afterTheFirst() {
                return new FailedPipeline(Status.ERROR, "");
            }
        });
        streamer.write(random(BLOCK_BYTES + 700, 7));
        streamer.output().flush(false);
        long last = streamer.output().lastQueued();
        assertThatThrownBy(streamer::await).hasMessageContaining("are lost");
        assertThat(streamer.output().awaitAcked(last, TimeUnit.SECONDS.toMillis(10)))
                .isTrue();
        assertThat(streamer.output().write(random(1, 8), 0, 1)).isZero();
        streamer.output().release();
    }
}
