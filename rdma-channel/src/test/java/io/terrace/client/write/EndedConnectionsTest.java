package io.terrace.client.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.channel.tcp.TcpFrame;
import io.terrace.channel.write.WriteConnection;
import io.terrace.channel.write.WriteFrame;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.Status;
import org.apache.hadoop.util.DataChecksum;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Connections that end right after the last acknowledgement of a block, whose DataNodes all have it. */
@Timeout(60)
final class EndedConnectionsTest {
    private static final int BLOCK_BYTES = 1 << 20;

    private static final BlockSender.Progress NOBODY = new BlockSender.Progress() {
        @Override
        public void sending(long blockBytes) {
            // Nobody is told.
        }

        @Override
        public void acknowledged(long blockBytes, long freshBytes) {
            // Nobody is told.
        }
    };

    private final MetricRegistry metricRegistry = new MetricRegistry();
    private final FramePool pool = new FramePool(4 << 20, () -> {});
    private FakeWriteServer server;

    @AfterEach
    void stop() throws IOException {
        server.close();
        assertThat(pool.lentBytes()).isZero();
    }

    private static byte[] random(int bytes, long seed) {
        byte[] random = new byte[bytes];
        new Random(seed).nextBytes(random);
        return random;
    }

    /** Ends the connection after each block; the client goes on only then. */
    private static final class Ending extends FakeWriteServer {
        final Semaphore connectionsEnded = new Semaphore(0);
        private final boolean says;

        Ending(boolean says) throws IOException {
            this.says = says;
        }

        @Override
        boolean goesOn(Block block) {
            return false;
        }

        @Override
        @Nullable
        FailedPipeline afterBlock(Block block) {
            return says ? new FailedPipeline(Status.ERROR, "") : null;
        }

        @Override
        void ended() {
            connectionsEnded.release();
        }
    }

    /** The blocks are of equal length: one that went into the other's replica would be acknowledged. */
    @ParameterizedTest
    @CsvSource({"100, false", "100, true", "600000, false", "600000, true", "1048576, false", "1048576, true"})
    void block_thatAllHave_isNotWrittenAgain(int bytes, boolean says) throws Exception {
        Ending ending = new Ending(says);
        server = ending;
        ending.takesWhole = true;
        FakeStreamer streamer = new FakeStreamer(pool, metricRegistry, ending.port(), BLOCK_BYTES, false, true);
        if (bytes <= WriteFrame.MAX_WHOLE_BYTES) {
            streamer.afterOpen = ending.connectionsEnded::acquireUninterruptibly;
        }
        byte[][] blocks = {random(bytes, 1), random(bytes, 2), random(bytes, 3)};
        for (byte[] block : blocks) {
            streamer.write(block);
            streamer.output().endBlock(false);
        }
        streamer.close();
        assertThat(ending.blocks).hasSize(blocks.length);
        for (int i = 0; i < blocks.length; i++) {
            assertThat(ending.blocks.get(i).bytes).isEqualTo(blocks[i]);
        }
        assertThat(streamer.badNodes()).isEmpty();
        assertThat(streamer.ended()).isEqualTo(blocks.length);
        assertThat(metricRegistry.value(Metric.CLIENT_WRITE_RECOVERIES)).isZero();
        assertThat(metricRegistry.value(Metric.CLIENT_WRITE_BLOCKS)).isEqualTo(blocks.length);
    }

    /** A DataNode that has as many bytes of its block would say that it has them. */
    @Test
    void frame_ofAnotherBlock_isNotSent() throws Exception {
        server = new FakeWriteServer();
        FrameQueue queue = new FrameQueue(pool, true, () -> {});
        DataChecksum checksum = DataChecksum.newDataChecksum(DataChecksum.Type.CRC32C, 512);
        FrameFiller filler = new FrameFiller(pool, queue, ChunkSummer.of(checksum), BLOCK_BYTES, false);
        filler.write(random(100, 1), 0, 100);
        filler.endBlock(false);
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port());
        try (WriteConnection connection =
                WriteConnection.connect("node", address, TcpFrame.startWrites(), TimeUnit.SECONDS.toNanos(10))) {
            BlockSender sender = new BlockSender(
                    queue, connection, Long.MAX_VALUE / 4, Long.MAX_VALUE / 4, NOBODY, 100, System.nanoTime());
            assertThatThrownBy(() -> sender.advance(System.nanoTime()))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("after the first 100 bytes");
            queue.end(sender.sent());
        }
    }
}
