package io.terrace.client.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.channel.write.WriteFrame;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.io.IOException;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.hdfs.DFSClientFaultInjector;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.OpWriteBlockProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.Status;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Blocks that are sent with the request to open them. */
@Timeout(60)
final class WholeBlocksTest {
    private static final int BLOCK_BYTES = 1 << 20;
    private static final int MOST = WriteFrame.MAX_WHOLE_BYTES;

    private final MetricRegistry metricRegistry = new MetricRegistry();
    private final FramePool pool = new FramePool(4 << 20, () -> {});
    private FakeWriteServer server;
    private FakeStreamer streamer;

    private void start(FakeWriteServer with) throws IOException {
        server = with;
        streamer = new FakeStreamer(pool, metricRegistry, with.port(), BLOCK_BYTES, false, true);
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
        assertThat(pool.lentBytes()).isZero();
    }

    private static byte[] random(int bytes) {
        byte[] random = new byte[bytes];
        new Random(bytes).nextBytes(random);
        return random;
    }

    private void assertWritten(byte[]... blocks) {
        assertThat(server.blocks).hasSize(blocks.length);
        for (int i = 0; i < blocks.length; i++) {
            assertThat(server.blocks.get(i).bytes).isEqualTo(blocks[i]);
        }
        assertThat(streamer.ended()).isEqualTo(blocks.length);
        assertThat(metricRegistry.value(Metric.CLIENT_WRITE_BLOCKS)).isEqualTo(blocks.length);
        assertThat(server.accepted.get()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 512, 700, MOST - 1, MOST})
    void file_ofOneFrame_isOneMessageAndOneAnswer(int bytes) throws Exception {
        start(new FakeWriteServer());
        server.takesWhole = true;
        streamer.write(random(bytes));
        streamer.close();
        assertWritten(random(bytes));
        assertThat(server.blocks.get(0).frames).containsExactly("0+" + bytes + " " + WriteFrame.LAST);
        assertThat(server.blocks.get(0).wholeBytes).isEqualTo(bytes);
        assertThat(metricRegistry.value(Metric.CLIENT_WRITE_BLOCKS_WHOLE)).isEqualTo(1);
        assertThat(metricRegistry.value(Metric.CLIENT_WRITE_BYTES)).isEqualTo(bytes);
    }

    /** It says that the block is open, then that it has it. */
    @ParameterizedTest
    @ValueSource(ints = {1, MOST})
    void olderDataNode_takesItAsEver(int bytes) throws Exception {
        start(new FakeWriteServer());
        streamer.write(random(bytes));
        streamer.close();
        assertWritten(random(bytes));
        assertThat(metricRegistry.value(Metric.CLIENT_WRITE_BLOCKS_WHOLE)).isZero();
    }

    @Test
    void block_thatGoesOn_orWasFlushed_isSentFrameByFrame() throws Exception {
        start(new FakeWriteServer());
        server.takesWhole = true;
        byte[] longer = random(MOST + 1);
        streamer.write(longer);
        streamer.output().endBlock(false);
        byte[] flushed = random(300);
        streamer.write(flushed);
        streamer.output().flush(false);
        streamer.awaitAll();
        streamer.close();
        assertWritten(longer, flushed);
        assertThat(server.blocks).allMatch(block -> block.wholeBytes == 0);
        assertThat(metricRegistry.value(Metric.CLIENT_WRITE_BLOCKS_WHOLE)).isZero();
    }

    /** The connection is free for the next block at once. */
    @Test
    void blocks_ofOneFile_oneAfterAnother() throws Exception {
        start(new FakeWriteServer());
        server.takesWhole = true;
        byte[][] blocks = {random(MOST), random(10), random(200_000), random(11), random(12)};
        for (byte[] block : blocks) {
            streamer.write(block);
            streamer.output().endBlock(true);
        }
        streamer.close();
        assertWritten(blocks);
        assertThat(metricRegistry.value(Metric.CLIENT_WRITE_BLOCKS_WHOLE)).isBetween(3L, 4L);
    }

    /** As stock asks before and after each packet that it sends. */
    @Test
    void faults_thatTestsAskFor_areAskedForOnce() throws Exception {
        AtomicInteger before = new AtomicInteger();
        AtomicInteger after = new AtomicInteger();
        DFSClientFaultInjector stock = DFSClientFaultInjector.get();
        DFSClientFaultInjector.set(new DFSClientFaultInjector() {
            @Override
            public boolean corruptPacket() {
                before.incrementAndGet();
                return false;
            }

            @Override
            public boolean uncorruptPacket() {
                after.incrementAndGet();
                return false;
            }
        });
        try {
            start(new FakeWriteServer());
            server.takesWhole = true;
            streamer.write(random(100));
            streamer.close();
        } finally {
            DFSClientFaultInjector.set(stock);
        }
        assertThat(before.get()).isEqualTo(1);
        assertThat(after.get()).isEqualTo(1);
    }

    @Test
    void refusal_isSaid_andNothingIsKept() throws Exception {
        start(new FakeWriteServer() {
            @Override
            Status opened(OpWriteBlockProto request) {
                return Status.ERROR_ACCESS_TOKEN;
            }
        });
        server.takesWhole = true;
        streamer.write(random(MOST));
        streamer.output().endBlock(false);
        assertThatThrownBy(streamer::await)
                .isInstanceOf(ExecutionException.class)
                .hasMessageContaining("access token error");
        streamer.output().release();
    }

    /** Where the block cannot be written it is not opened either: stock asks for another one. */
    @Test
    void failure_inPlaceOfTheAnswer_isOneOfTheOpening() throws Exception {
        start(new FakeWriteServer() {
            @Override
            @Nullable
            FailedPipeline beforeAck(Block block, WriteFrame frame) {
                return new FailedPipeline(Status.ERROR_CHECKSUM, "");
            }
        });
        server.takesWhole = true;
        streamer.write(random(100));
        streamer.output().endBlock(false);
        assertThatThrownBy(streamer::await)
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(PipelineException.class);
        assertThat(streamer.badNodes()).isEmpty();
        streamer.output().release();
    }

    /** An acknowledgement of something else is no answer. */
    @Test
    void acknowledgement_ofLess_isAFault() throws Exception {
        start(new FakeWriteServer() {
            @Override
            boolean received(Block block, WriteFrame frame) {
                block.bytes = new byte[1];
                return true;
            }
        });
        server.takesWhole = true;
        streamer.recoverNoMore();
        streamer.write(random(100));
        streamer.output().endBlock(false);
        assertThatThrownBy(streamer::await).hasMessageContaining("acknowledged 1 bytes, sent 100");
        streamer.output().release();
    }
}
