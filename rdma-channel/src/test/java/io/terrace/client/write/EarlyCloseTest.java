package io.terrace.client.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.channel.write.WriteFrame;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.OpWriteBlockProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.Status;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Files whose end waits for the first DataNode of each block only. */
@Timeout(60)
final class EarlyCloseTest {
    private static final int BLOCK_BYTES = 1 << 20;

    private final MetricRegistry metricRegistry = new MetricRegistry();
    private final FramePool pool = new FramePool(8 << 20, () -> {});
    private final CountDownLatch ended = new CountDownLatch(1);
    private FakeWriteServer server;
    private @Nullable FakeWriteServer second;
    private FakeStreamer streamer;

    private void start(FakeWriteServer with) throws IOException {
        server = with;
        server.ownFirst = true;
        streamer = new FakeStreamer(pool, metricRegistry, with.port(), BLOCK_BYTES, false, true);
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
        if (second != null) {
            second.close();
        }
        assertThat(pool.lentBytes()).isZero();
    }

    /** Nobody but the first DataNode has the end of any block before that is let go. */
    private static class Held extends FakeWriteServer {
        final CountDownLatch over = new CountDownLatch(1);

        Held() throws IOException {}

        @Override
        @Nullable
        FailedPipeline beforeAck(Block block, WriteFrame frame) {
            if (frame.has(WriteFrame.LAST)) {
                await(over);
                return then(block);
            }
            return null;
        }

        @Nullable
        FailedPipeline then(Block block) {
            return null;
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** What the others lack is kept, and sent on by the same thread, which ends with it. */
    @Test
    void close_doesNotWaitForTheOthers() throws Exception {
        Held held = new Held();
        start(held);
        byte[] written = random(BLOCK_BYTES + 700_000, 1);
        streamer.write(written);
        streamer.closeEarly(ended::countDown);
        assertThat(streamer.output().awaitAll(1)).isFalse();
        assertThat(pool.lentBytes()).isPositive();
        assertThat(ended.getCount()).isEqualTo(1);
        held.over.countDown();
        ended.await();
        streamer.await();
        assertThat(stored(server)).isEqualTo(written);
        assertThat(server.blocks).allMatch(block -> block.finalised);
        assertThat(streamer.output().awaitAll(1)).isTrue();
        assertThat(streamer.ended()).isEqualTo(2);
        assertThat(metricRegistry.value(Metric.CLIENT_WRITE_BLOCKS)).isEqualTo(2);
        assertThat(metricRegistry.value(Metric.CLIENT_WRITE_BYTES)).isEqualTo(written.length);
    }

    /** A flush that another thread waits in is not done with the file. */
    @Test
    void flush_waitsForAllThoughTheFileIsClosed() throws Exception {
        Held held = new Held();
        start(held);
        streamer.write(random(700_000, 2));
        streamer.closeEarly(ended::countDown);
        assertThat(streamer.output().awaitAcked(streamer.output().lastQueued(), 1))
                .isFalse();
        held.over.countDown();
        streamer.awaitAll();
        streamer.await();
    }

    @Test
    void close_whereAllHaveIt_endsTheStreamer() throws Exception {
        start(new FakeWriteServer());
        byte[] written = random(700_000, 3);
        streamer.write(written);
        streamer.output().flush(false);
        streamer.awaitAll();
        streamer.closeEarly(ended::countDown);
        ended.await();
        streamer.await();
        assertThat(stored(server)).isEqualTo(written);
    }

    @Test
    void close_ofAnEmptyFile_endsTheStreamer() throws Exception {
        start(new FakeWriteServer());
        streamer.closeEarly(ended::countDown);
        ended.await();
        streamer.await();
        assertThat(server.blocks).isEmpty();
    }

    /** The second DataNode has a part when the pipeline fails, and the file is closed: it gets the rest from the client. */
    @Test
    void fault_ofAClosedFile_leavesTheOthersWhole() throws Exception {
        byte[] written = random(900_000, 4);
        FakeWriteServer other = new FakeWriteServer();
        second = other;
        Held held = new Held() {
            @Override
            boolean received(Block block, WriteFrame frame) {
                if (other.blocks.isEmpty()) {
                    Block part = new Block(block.request);
                    part.bytes = Arrays.copyOf(written, 700_000);
                    other.blocks.add(part);
                }
                return true;
            }

            @Override
            FailedPipeline then(Block block) {
                return new FailedPipeline(Status.ERROR, streamer.secondAddress());
            }
        };
        start(held);
        streamer.second(other.port());
        streamer.write(written);
        streamer.closeEarly(ended::countDown);
        held.over.countDown();
        ended.await();
        streamer.await();
        assertThat(other.blocks).hasSize(1);
        assertThat(other.blocks.get(0).bytes).isEqualTo(written);
        assertThat(other.blocks.get(0).finalised).isTrue();
        assertThat(streamer.badNodes()).isEmpty();
        assertThat(metricRegistry.value(Metric.CLIENT_WRITE_REPLICAS_MISSING)).isZero();
    }

    @Test
    void fault_ofADataNodeThatIsGone_isAMissingReplica() throws Exception {
        Held held = new Held() {
            @Override
            FailedPipeline then(Block block) {
                return new FailedPipeline(Status.ERROR, streamer.secondAddress());
            }
        };
        start(held);
        streamer.write(random(900_000, 5));
        streamer.closeEarly(ended::countDown);
        held.over.countDown();
        ended.await();
        streamer.await();
        assertThat(streamer.copied).containsExactly(List.of(true, false));
        assertThat(metricRegistry.value(Metric.CLIENT_WRITE_REPLICAS_MISSING)).isEqualTo(1);
    }

    /** Before the first DataNode has finalised the block nothing is decided: its pipeline is set up again. */
    @Test
    void fault_beforeTheFirstHasAll_isRecovered() throws Exception {
        CountDownLatch failed = new CountDownLatch(1);
        start(new FakeWriteServer() {
            @Override
            boolean received(Block block, WriteFrame frame) {
                boolean fails = frame.has(WriteFrame.LAST) && failed.getCount() > 0;
                if (fails) {
                    failed.countDown();
                }
                return !fails;
            }

            @Override
            Status opened(OpWriteBlockProto request) {
                return Status.SUCCESS;
            }
        });
        byte[] written = random(900_000, 6);
        streamer.write(written);
        streamer.closeEarly(ended::countDown);
        ended.await();
        streamer.await();
        assertThat(stored(server)).isEqualTo(written);
        assertThat(streamer.badNodes()).containsExactly(0);
        assertThat(metricRegistry.value(Metric.CLIENT_WRITE_RECOVERIES)).isEqualTo(1);
    }

    private static byte[] stored(FakeWriteServer server) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        server.blocks.forEach(block -> all.writeBytes(block.bytes));
        return all.toByteArray();
    }

    private static byte[] random(int bytes, long seed) {
        byte[] random = new byte[bytes];
        new Random(seed).nextBytes(random);
        return random;
    }
}
