package io.terrace.client.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.channel.write.WriteFrame;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.OpWriteBlockProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.OpWriteBlockProto.BlockConstructionStage;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.Status;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class FileOutputTest {
    private static final int BLOCK_BYTES = 1 << 20;
    private static final long TIMEOUT_MS = FakeStreamer.TIMEOUT_MS;

    private final MetricRegistry metricRegistry = new MetricRegistry();
    private final FramePool pool = new FramePool(4 << 20, () -> {});
    private FakeWriteServer server;
    private FakeStreamer streamer;

    private void start(FakeWriteServer with, boolean syncBlocks) throws IOException {
        server = with;
        streamer = new FakeStreamer(pool, metricRegistry, with.port(), BLOCK_BYTES, syncBlocks, false);
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
        assertThat(pool.lentBytes()).isZero();
    }

    @Test
    void write_ofManySizes_arrivesInBlocks() throws Exception {
        for (int bytes : new int[] {0, 1, 511, 512, 513, BLOCK_BYTES - 1, BLOCK_BYTES, BLOCK_BYTES + 1, 5_000_000}) {
            start(new FakeWriteServer(), false);
            byte[] written = random(bytes, bytes);
            streamer.write(written);
            streamer.close();
            assertThat(stored()).isEqualTo(written);
            assertThat(server.blocks).hasSize((bytes + BLOCK_BYTES - 1) / BLOCK_BYTES);
            assertThat(server.accepted.get()).isLessThanOrEqualTo(1);
            assertThat(streamer.ended()).isEqualTo(server.blocks.size());
            server.close();
        }
    }

    @Test
    void block_saysHowFastItsFirstDataNodeTookIt() throws Exception {
        server = new FakeWriteServer();
        int blockBytes = 2 * (int) NodeSpeeds.LEAST_BYTES;
        streamer = new FakeStreamer(pool, metricRegistry, server.port(), blockBytes, false, false);
        streamer.write(random(blockBytes, 1));
        streamer.close();
        assertThat(streamer.speeds.of(FakeStreamer.FIRST, System.nanoTime())).isGreaterThan(0);
    }

    @Test
    void write_andFlush_atRandom_arrives() throws Exception {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        start(new FakeWriteServer(), false);
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        for (int i = 0; i < 400; i++) {
            byte[] bytes = random(random.nextInt(3) == 0 ? random.nextInt(200_000) : random.nextInt(700), i);
            if (bytes.length == 1) {
                assertThat(streamer.output().write(bytes[0])).isTrue();
            } else {
                streamer.write(bytes);
            }
            written.writeBytes(bytes);
            switch (random.nextInt(6)) {
                case 0 -> streamer.output().flush(false);
                case 1 -> streamer.output().flush(true);
                case 2 -> streamer.output().endBlock(random.nextBoolean());
                default -> {
                    continue;
                }
            }
            streamer.awaitAll();
            assertThat(stored()).isEqualTo(written.toByteArray());
        }
        streamer.close();
        assertThat(stored()).isEqualTo(written.toByteArray());
    }

    @Test
    void flush_withinAChunk_sendsTheChunkAgain() throws Exception {
        start(new FakeWriteServer(), true);
        streamer.write(random(700, 1));
        streamer.output().flush(false);
        streamer.output().flush(false);
        streamer.output().flush(true);
        streamer.write(random(10, 2));
        streamer.output().flush(true);
        streamer.close();
        assertThat(server.blocks.get(0).frames)
                .containsExactly("0+700 2", "700+0 3", "512+198 3", "710+0 " + (WriteFrame.LAST | WriteFrame.SYNC));
        assertThat(metricRegistry.value(Metric.CLIENT_WRITE_BYTES)).isEqualTo(710);
    }

    /** As after an interrupted close: the memory of what is being sent may be freed once it is given back. */
    @Test
    void release_whileTheStreamerSends_keepsItsMemory() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        start(
                new FakeWriteServer() {
                    @Override
                    Status opened(OpWriteBlockProto request) {
                        asked.countDown();
                        try {
                            answer.await();
                        } catch (InterruptedException e) {
                            throw new IllegalStateException(e);
                        }
                        return Status.ERROR;
                    }
                },
                false);
        streamer.write(random(700, 1));
        streamer.output().endBlock(false);
        asked.await();
        streamer.output().release();
        assertThat(pool.lentBytes()).isPositive();
        answer.countDown();
        assertThatThrownBy(streamer::await).isInstanceOf(ExecutionException.class);
        assertThat(pool.lentBytes()).isZero();
    }

    @Test
    void open_whereTheDataNodeKnowsNoWrites_leavesTheFileToStock() throws Exception {
        start(
                new FakeWriteServer() {
                    @Override
                    boolean started(SocketChannel connection) {
                        return accepted.get() < 2;
                    }
                },
                false);
        byte[] written = random(BLOCK_BYTES + 700, 3);
        streamer.write(Arrays.copyOf(written, BLOCK_BYTES));
        streamer.awaitAll();
        // The connection that served the first block ends, and the next one is not served.
        server.endConnections();
        byte[] rest = Arrays.copyOfRange(written, BLOCK_BYTES, written.length);
        streamer.write(Arrays.copyOf(rest, 600));
        streamer.output().flush(false);
        assertThat(streamer.output().awaitAcked(streamer.output().lastQueued(), TIMEOUT_MS))
                .isTrue();
        assertThat(streamer.output().isLeftToStock()).isTrue();
        ByteArrayOutputStream stock = new ByteArrayOutputStream();
        streamer.output().drainTo(new FileOutput.StockOutput() {
            @Override
            public void begin(long blockOffset) {
                assertThat(blockOffset).isZero();
            }

            @Override
            public void write(byte[] bytes, boolean sync) {
                stock.writeBytes(bytes);
            }

            @Override
            public void endBlock() {
                throw new AssertionError("no block ends");
            }
        });
        streamer.output().release();
        assertThat(stock.toByteArray()).isEqualTo(Arrays.copyOf(rest, 600));
        assertThat(streamer.output().write(rest, 0, 1)).isZero();
    }

    /** A block ends, without data, while stock takes over within it. */
    @ParameterizedTest
    @CsvSource({"0, false", "1000, false", "1000, true"})
    void drainTo_nothingButTheBlocksEndIsLeft_endsTheBlock(int nextBytes, boolean flushed) throws Exception {
        byte[] next = random(nextBytes, 13);
        server = new FakeWriteServer() {
            @Override
            boolean received(Block block, WriteFrame frame) {
                return !frame.has(WriteFrame.SYNC);
            }

            @Override
            Status opened(OpWriteBlockProto request) {
                if (request.getStage() == BlockConstructionStage.PIPELINE_SETUP_CREATE) {
                    return Status.SUCCESS;
                }
                // As another thread than the one that waits for the flush.
                streamer.output().endBlock(false);
                streamer.write(next);
                if (flushed) {
                    streamer.output().flush(false);
                }
                return Status.ERROR_UNSUPPORTED;
            }
        };
        streamer = new FakeStreamer(pool, metricRegistry, server.port(), BLOCK_BYTES, false, true);
        streamer.losesChannel = true;
        streamer.write(random(700, 12));
        streamer.output().flush(false);
        streamer.awaitAll();
        streamer.output().flush(true);
        streamer.awaitAll();
        assertThat(streamer.output().isLeftToStock()).isTrue();

        List<String> calls = new ArrayList<>();
        streamer.output().drainTo(new FileOutput.StockOutput() {
            @Override
            public void begin(long blockOffset) {
                calls.add("begins at " + blockOffset);
            }

            @Override
            public void write(byte[] bytes, boolean sync) {
                if (sync) {
                    calls.add("the block is to be synced");
                }
                if (bytes.length > 0) {
                    assertThat(bytes).isEqualTo(next);
                    calls.add("the next block's data");
                }
            }

            @Override
            public void endBlock() {
                calls.add("a block ends");
            }
        });
        streamer.output().release();

        List<String> expected = new ArrayList<>(List.of("the block is to be synced", "begins at 700", "a block ends"));
        if (nextBytes > 0) {
            expected.add("the next block's data");
        }
        assertThat(calls).isEqualTo(expected);
    }

    @Test
    void drainTo_stockFails_givesAllMemoryBack() throws Exception {
        start(new FakeWriteServer(), false);
        server.endConnections();
        server.close();
        // How much is taken depends on when the streamer finds nobody.
        assertThat(streamer.output().write(random(BLOCK_BYTES + 700, 11), 0, BLOCK_BYTES + 700))
                .isPositive();
        streamer.output().flush(false);
        assertThat(streamer.output().awaitAcked(streamer.output().lastQueued(), TIMEOUT_MS))
                .isTrue();
        assertThat(streamer.output().isLeftToStock()).isTrue();

        assertThatThrownBy(() -> streamer.output().drainTo(new FileOutput.StockOutput() {
                    @Override
                    public void begin(long blockOffset) {}

                    @Override
                    public void write(byte[] bytes, boolean sync) throws IOException {
                        throw new IOException("said by a test");
                    }

                    @Override
                    public void endBlock() {}
                }))
                .hasMessage("said by a test");
        streamer.output().release();

        assertThat(pool.lentBytes()).isZero();
    }

    @Test
    void open_refused_failsWithWhatTheDataNodeSays() throws Exception {
        start(
                new FakeWriteServer() {
                    @Override
                    Status opened(OpWriteBlockProto request) {
                        return Status.ERROR_ACCESS_TOKEN;
                    }
                },
                false);
        streamer.write(random(10, 4));
        streamer.output().flush(false);
        assertThatThrownBy(streamer::await)
                .isInstanceOf(ExecutionException.class)
                .hasMessageContaining("access token error")
                .hasMessageContaining("said by a test");
        streamer.output().release();
    }

    @Test
    void send_theDataNodeGoes_fails() throws Exception {
        start(
                new FakeWriteServer() {
                    @Override
                    boolean received(Block block, WriteFrame frame) {
                        return block.bytes.length < 500_000;
                    }
                },
                false);
        streamer.write(random(600_000, 5));
        streamer.output().flush(false);
        assertThatThrownBy(streamer::await).hasRootCauseInstanceOf(IOException.class);
        assertThat(streamer.output().write(random(1, 6), 0, 1)).isZero();
        assertThat(streamer.output().isLeftToStock()).isFalse();
        streamer.output().release();
    }

    @Test
    void pause_longerThanADataNodeWaitsForAClient_isNotSilent() throws Exception {
        start(new FakeWriteServer(), false);
        // A DataNode waits less for a client than a client does for a long pipeline's answer.
        streamer.answerTimeoutMs = TimeUnit.HOURS.toMillis(1);
        streamer.keepAliveMs = 1;
        streamer.write(random(700, 7));
        streamer.output().flush(false);
        assertThat(server.pings.tryAcquire(2, 1, TimeUnit.MINUTES)).isTrue();
        streamer.close();
        assertThat(stored()).isEqualTo(random(700, 7));
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
