package io.terrace.client.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.channel.write.WriteFrame;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.OpWriteBlockProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.Status;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

/** A file whose next block begins before all DataNodes have the one before. */
abstract class OverlappedBlocksFixture {
    static final int BLOCK_BYTES = 1 << 20;
    static final long POOL_BYTES = 4 << 20;

    final MetricRegistry metricRegistry = new MetricRegistry();
    final FramePool pool =
            new FramePool(POOL_BYTES, () -> metricRegistry.increment(Metric.CLIENT_WRITE_RETAINED_WAITS));
    FakeWriteServer server;

    @Nullable
    FakeWriteServer second;

    FakeStreamer streamer;

    void start(FakeWriteServer with) throws IOException {
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

    /** Of the first block nobody but the first DataNode has the end until the second block has begun. */
    abstract static class Overlapping extends FakeWriteServer {
        final CountDownLatch nextBegan = new CountDownLatch(1);

        Overlapping() throws IOException {}

        @Override
        Status opened(OpWriteBlockProto request) {
            if (id(request) == 2) {
                nextBegan.countDown();
            }
            return Status.SUCCESS;
        }

        @Override
        @Nullable
        FailedPipeline beforeAck(Block block, WriteFrame frame) {
            if (id(block.request) == 1 && frame.has(WriteFrame.LAST)) {
                await(nextBegan);
                return afterTheFirst();
            }
            return null;
        }

        @Nullable
        FailedPipeline afterTheFirst() {
            return null;
        }
    }

    static long id(OpWriteBlockProto request) {
        return request.getHeader().getBaseHeader().getBlock().getBlockId();
    }

    static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static byte[] stored(FakeWriteServer server) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        server.blocks.forEach(block -> all.writeBytes(block.bytes));
        return all.toByteArray();
    }

    static byte[] random(int bytes, long seed) {
        byte[] random = new byte[bytes];
        new Random(seed).nextBytes(random);
        return random;
    }
}
