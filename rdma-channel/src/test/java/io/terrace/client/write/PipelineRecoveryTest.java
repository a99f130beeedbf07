package io.terrace.client.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.channel.write.WriteFrame;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.OpWriteBlockProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.OpWriteBlockProto.BlockConstructionStage;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.Status;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Blocks of several replicas, of which the first DataNode says what all have, and faults of their pipelines. */
final class PipelineRecoveryTest {
    private static final int BLOCK_BYTES = 1 << 20;

    private final MetricRegistry metricRegistry = new MetricRegistry();
    private final FramePool pool = new FramePool(4 << 20, () -> {});
    private FakeWriteServer server;
    private FakeStreamer streamer;

    private void start(FakeWriteServer with) throws IOException {
        server = with;
        server.ownFirst = true;
        streamer = new FakeStreamer(pool, metricRegistry, with.port(), BLOCK_BYTES, false, true);
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
        assertThat(pool.lentBytes()).isZero();
    }

    @Test
    void endBlock_ofSeveralReplicas_ridesOnTheData() throws Exception {
        start(new FakeWriteServer());
        byte[] written = random(BLOCK_BYTES + 700, 1);
        streamer.write(written);
        streamer.close();
        assertThat(stored()).isEqualTo(written);
        assertThat(server.blocks.get(0).frames)
                .last()
                .asString()
                .endsWith(" " + WriteFrame.LAST)
                .isNotEqualTo(BLOCK_BYTES + "+0 " + WriteFrame.LAST);
        assertThat(server.blocks.get(1).frames).containsExactly("0+700 " + WriteFrame.LAST);
        assertThat(streamer.ended()).isEqualTo(2);
    }

    @Test
    void awaitAcked_whileOnlyTheFirstHasIt_waits() throws Exception {
        CountDownLatch own = new CountDownLatch(1);
        CountDownLatch all = new CountDownLatch(1);
        start(new FakeWriteServer() {
            @Override
            @Nullable
            FailedPipeline beforeAck(Block block, WriteFrame frame) {
                own.countDown();
                awaitUninterrupted(all);
                return null;
            }
        });
        streamer.write(random(700, 2));
        streamer.output().flush(false);
        own.await();
        assertThat(streamer.output().awaitAcked(streamer.output().lastQueued(), 1))
                .isFalse();
        all.countDown();
        streamer.awaitAll();
        streamer.close();
    }

    @Test
    void send_withFaultsAtRandom_arrivesWhole() throws Exception {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        Random faults = new Random(seed + 1);
        AtomicInteger fails = new AtomicInteger();
        start(new FakeWriteServer() {
            @Override
            boolean received(Block block, WriteFrame frame) {
                return !faulty();
            }

            @Override
            @Nullable
            FailedPipeline beforeAck(Block block, WriteFrame frame) {
                return faulty() ? new FailedPipeline(Status.ERROR, streamer.secondAddress()) : null;
            }

            private synchronized boolean faulty() {
                boolean fault = faults.nextInt(20) == 0;
                fails.addAndGet(fault ? 1 : 0);
                return fault;
            }
        });
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        for (int i = 0; i < 200; i++) {
            byte[] bytes = random(random.nextInt(random.nextInt(3) == 0 ? 200_000 : 700), i);
            streamer.write(bytes);
            written.writeBytes(bytes);
            if (random.nextInt(4) == 0) {
                streamer.output().flush(random.nextBoolean());
                streamer.awaitAll();
                assertThat(stored()).isEqualTo(written.toByteArray());
            } else if (random.nextInt(10) == 0) {
                streamer.output().endBlock(random.nextBoolean());
            }
        }
        streamer.close();
        assertThat(stored()).isEqualTo(written.toByteArray());
        assertThat(streamer.ended()).isEqualTo(server.blocks.size());
        assertThat(metricRegistry.value(Metric.CLIENT_WRITE_RECOVERIES)).isEqualTo(fails.get());
        assertThat(metricRegistry.value(Metric.CLIENT_WRITE_BYTES)).isEqualTo(written.size());
    }

    @Test
    void send_aLaterDataNodeFails_saysWhich() throws Exception {
        start(new FakeWriteServer() {
            private boolean failed;

            @Override
            @Nullable
            FailedPipeline beforeAck(Block block, WriteFrame frame) {
                boolean again = failed;
                failed = true;
                return again ? null : new FailedPipeline(Status.ERROR_CHECKSUM, streamer.secondAddress());
            }
        });
        streamer.write(random(700, 3));
        streamer.close();
        assertThat(streamer.badNodes()).containsExactly(1);
        assertThat(stored()).isEqualTo(random(700, 3));
    }

    @Test
    void send_theBlocksEndFails_isFinalisedByItsOpening() throws Exception {
        List<Long> closedBytes = new CopyOnWriteArrayList<>();
        start(new FakeWriteServer() {
            @Override
            Status opened(OpWriteBlockProto request) {
                if (request.getStage() == BlockConstructionStage.PIPELINE_CLOSE_RECOVERY) {
                    closedBytes.add(request.getMinBytesRcvd());
                }
                return Status.SUCCESS;
            }

            @Override
            @Nullable
            FailedPipeline beforeAck(Block block, WriteFrame frame) {
                return frame.has(WriteFrame.LAST) ? new FailedPipeline(Status.ERROR, "") : null;
            }
        });
        streamer.write(random(700, 4));
        streamer.output().flush(false);
        streamer.awaitAll();
        streamer.output().endBlock(false);
        streamer.awaitAll();
        streamer.write(random(700, 5));
        streamer.output().flush(false);
        streamer.awaitAll();
        streamer.close();
        assertThat(closedBytes).containsExactly(700L, 700L);
        assertThat(server.requests).noneMatch(FakeWriteServer.Asked::syncs);
        assertThat(streamer.badNodes()).containsExactly(0, 0);
        assertThat(streamer.ended()).isEqualTo(2);
    }

    /** A flush of what was flushed already has no data either; the DataNodes have the block on their disks when they finalise it. */
    @Test
    void send_aSyncAndTheBlocksEndFail_isFinalisedAndSyncedByItsOpening() throws Exception {
        CountDownLatch ended = new CountDownLatch(1);
        start(new FakeWriteServer() {
            @Override
            boolean received(Block block, WriteFrame frame) {
                if (!frame.has(WriteFrame.SYNC)) {
                    return true;
                }
                awaitUninterrupted(ended);
                return false;
            }
        });
        streamer.write(random(700, 8));
        streamer.output().flush(false);
        streamer.awaitAll();
        streamer.output().flush(true);
        streamer.output().endBlock(false);
        ended.countDown();
        streamer.awaitAll();
        streamer.close();
        assertThat(server.requests)
                .containsExactly(
                        new FakeWriteServer.Asked(BlockConstructionStage.PIPELINE_SETUP_CREATE, false),
                        new FakeWriteServer.Asked(BlockConstructionStage.PIPELINE_CLOSE_RECOVERY, true));
        assertThat(stored()).isEqualTo(random(700, 8));
        assertThat(streamer.ended()).isEqualTo(1);
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void send_afterAFaultThatCannotBeMended_ends() throws Exception {
        start(new FakeWriteServer() {
            @Override
            boolean received(Block block, WriteFrame frame) {
                return false;
            }
        });
        streamer.recoverNoMore();
        // The fault may come before all of it is taken.
        int unused = streamer.output().write(random(700_000, 6), 0, 700_000);
        streamer.output().flush(false);
        assertThatThrownBy(streamer::await).isInstanceOf(ExecutionException.class);
        assertThat(streamer.output().write(random(1, 7), 0, 1)).isZero();
        streamer.output().release();
    }

    private byte[] stored() {
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
