package io.terrace.client.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.channel.write.WriteFrame;
import io.terrace.metrics.Metric;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Blocks that begin before all DataNodes have the one before, and faults of those that go on behind. */
@Timeout(60)
final class OverlappedBlocksTest extends OverlappedBlocksFixture {
    @Test
    void block_beginsWhenTheFirstDataNodeHasTheOneBefore() throws Exception {
        start(new Overlapping() {});
        byte[] written = random(BLOCK_BYTES + 700, 1);
        streamer.write(written);
        streamer.output().flush(false);
        streamer.awaitAll();
        assertThat(stored(server)).isEqualTo(written);
        assertThat(metricRegistry.value(Metric.CLIENT_WRITE_BLOCKS_OVERLAPPED)).isEqualTo(1);
        streamer.close();
        assertThat(streamer.ended()).isEqualTo(2);
        assertThat(metricRegistry.value(Metric.CLIENT_WRITE_BLOCKS)).isEqualTo(2);
        assertThat(metricRegistry.value(Metric.CLIENT_WRITE_BYTES)).isEqualTo(written.length);
    }

    /** What all have of the second block counts only when all have the first. */
    @Test
    void flush_waitsForTheBlockBefore() throws Exception {
        CountDownLatch secondIsEverywhere = new CountDownLatch(1);
        CountDownLatch asked = new CountDownLatch(1);
        start(new Overlapping() {
            @Override
            @Nullable
            FailedPipeline afterTheFirst() {
                OverlappedBlocksTest.await(asked);
                return null;
            }

            @Override
            boolean received(Block block, WriteFrame frame) {
                if (id(block.request) == 2 && frame.has(WriteFrame.SYNC)) {
                    // All frames before this one are acknowledged.
                    secondIsEverywhere.countDown();
                }
                return true;
            }
        });
        streamer.write(random(BLOCK_BYTES + 700, 2));
        streamer.output().flush(false);
        long flushed = streamer.output().lastQueued();
        streamer.output().flush(true);
        secondIsEverywhere.await();
        assertThat(streamer.output().awaitAcked(flushed, 1)).isFalse();
        asked.countDown();
        streamer.awaitAll();
        streamer.close();
    }

    /** All DataNodes but the first are stuck: the client keeps what they lack, as much as it may, then waits. */
    @Test
    void retained_isBounded() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        start(new FakeWriteServer() {
            @Override
            @Nullable
            FailedPipeline beforeAck(Block block, WriteFrame frame) {
                if (frame.has(WriteFrame.LAST)) {
                    OverlappedBlocksTest.await(goOn);
                }
                return null;
            }
        });
        byte[] written = random(10 * BLOCK_BYTES, 3);
        FutureTask<Void> writes = new FutureTask<>(() -> {
            streamer.write(written);
            return null;
        });
        Thread writer = new Thread(writes, "writer");
        writer.start();
        while (metricRegistry.value(Metric.CLIENT_WRITE_RETAINED_WAITS) == 0
                || writer.getState() != Thread.State.WAITING
                || server.blocks.size() < 2) {
            Thread.onSpinWait();
        }
        assertThat(pool.lentBytes()).isLessThanOrEqualTo(POOL_BYTES);
        assertThat(server.blocks.size()).isLessThanOrEqualTo(4);
        goOn.countDown();
        writes.get();
        streamer.close();
        assertThat(stored(server)).isEqualTo(written);
    }

    /** With one pipeline behind the other at the same DataNodes, the third block waits for the first. */
    @Test
    void blocks_atTheSameDataNodes_areTwoAtMost() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        CountDownLatch secondHasAll = new CountDownLatch(2);
        start(new FakeWriteServer() {
            @Override
            @Nullable
            FailedPipeline beforeAck(Block block, WriteFrame frame) {
                if (frame.has(WriteFrame.LAST)) {
                    secondHasAll.countDown();
                    OverlappedBlocksTest.await(goOn);
                }
                return null;
            }
        });
        streamer.apart = false;
        byte[] written = random(2 * BLOCK_BYTES + 700, 4);
        streamer.write(written);
        streamer.output().flush(false);
        secondHasAll.await();
        assertThat(streamer.output().awaitAcked(streamer.output().lastQueued(), 20))
                .isFalse();
        assertThat(server.blocks).hasSize(2);
        goOn.countDown();
        streamer.awaitAll();
        streamer.close();
        assertThat(stored(server)).isEqualTo(written);
        assertThat(server.blocks).hasSize(3);
    }

    /** The NameNode wants two replicas of a block before it adds the second next one: the client is refused one once, then waits. */
    @Test
    void blocks_whereTheNameNodeWantsMoreReplicas_areTwoAtMost() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        start(new FakeWriteServer() {
            @Override
            @Nullable
            FailedPipeline beforeAck(Block block, WriteFrame frame) {
                if (frame.has(WriteFrame.LAST)) {
                    OverlappedBlocksTest.await(goOn);
                }
                return null;
            }
        });
        streamer.wantsReplicas = true;
        byte[] written = random(3 * BLOCK_BYTES, 9);
        streamer.write(written);
        while (metricRegistry.value(Metric.CLIENT_WRITE_BLOCKS_REFUSED) == 0) {
            Thread.onSpinWait();
        }
        assertThat(server.blocks).hasSize(2);
        goOn.countDown();
        streamer.write(random(3 * BLOCK_BYTES, 10));
        streamer.close();
        assertThat(stored(server)).startsWith(written).hasSize(6 * BLOCK_BYTES);
        assertThat(metricRegistry.value(Metric.CLIENT_WRITE_BLOCKS_REFUSED)).isEqualTo(1);
    }
}
