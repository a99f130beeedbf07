package io.terrace.client.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.channel.transport.RegionKey;
import io.terrace.channel.write.FrameChannel;
import io.terrace.channel.write.WriteFrame;
import io.terrace.client.landing.WindowConnector;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Files whose data goes through landing windows: all of it arrives, whatever becomes of the windows. */
@Timeout(60)
final class RdmaLandingTest {
    private static final int BLOCK_BYTES = 16 << 20;
    private static final int WINDOW_BYTES = 3 << 20;

    private final MetricRegistry metricRegistry = new MetricRegistry();
    private final FramePool pool = new FramePool(32 << 20, () -> {});
    private @Nullable FakeWriteServer server;
    private volatile @Nullable FakeWindow window;
    private FakeStreamer streamer;

    /** A DataNode with a window for each who asks. */
    private class WithWindows extends FakeWriteServer {
        WithWindows() throws IOException {}

        @Override
        RegionKey window(FrameChannel frames) throws IOException {
            FakeWindow fresh = new FakeWindow(WINDOW_BYTES);
            frames.landIn(fresh);
            window = fresh;
            return fresh.key();
        }
    }

    private void start(FakeWriteServer with, WindowConnector.@Nullable Way way) throws IOException {
        server = with;
        streamer = new FakeStreamer(pool, metricRegistry, with.port(), BLOCK_BYTES, false, true, way);
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
        assertThat(pool.lentBytes()).isZero();
    }

    private static byte[] random(int bytes, long seed) {
        byte[] made = new byte[bytes];
        new Random(seed).nextBytes(made);
        return made;
    }

    private byte[] stored() {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        server.blocks.forEach(block -> all.writeBytes(block.bytes));
        return all.toByteArray();
    }

    private byte[] write(int bytes, long seed) {
        byte[] written = random(bytes, seed);
        streamer.write(written);
        return written;
    }

    private long landed() {
        return metricRegistry.value(Metric.CLIENT_WRITE_VERBS_BYTES);
    }

    /** Writes until data goes through the window; what was written. */
    private ByteArrayOutputStream writeUntilLanded() throws Exception {
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        for (int round = 0; landed() == 0; round++) {
            written.writeBytes(write(1 << 20, round));
            streamer.output().flush(false);
            streamer.awaitAll();
        }
        return written;
    }

    @Test
    void largeFrames_land_andAllArrives() throws Exception {
        start(new WithWindows(), (where, key) -> window);
        ByteArrayOutputStream written = writeUntilLanded();
        long before = landed();
        written.writeBytes(write(3 * BLOCK_BYTES, 77));
        streamer.close();
        assertThat(stored()).isEqualTo(written.toByteArray());
        assertThat(landed() - before).isGreaterThan(2 * BLOCK_BYTES);
        assertThat(streamer.badNodes()).isEmpty();
    }

    @Test
    void smallFiles_askForNoWindow() throws Exception {
        start(new WithWindows(), (where, key) -> window);
        byte[] written = write(700_000, 1);
        streamer.close();
        assertThat(stored()).isEqualTo(written);
        assertThat(window).isNull();
    }

    @Test
    void withoutRdma_allGoesOverTcp_andNobodyAsks() throws Exception {
        start(new FakeWriteServer(), null);
        byte[] written = write(5 << 20, 2);
        streamer.close();
        assertThat(stored()).isEqualTo(written);
        assertThat(landed()).isZero();
    }

    @Test
    void windowThatIsRefused_orCannotBeAttached_leavesTheFileToTcp() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        start(
                new FakeWriteServer() {
                    @Override
                    @Nullable
                    RegionKey window(FrameChannel frames) {
                        asked.incrementAndGet();
                        return null;
                    }
                },
                (where, key) -> window);
        byte[] written = write(5 << 20, 3);
        streamer.close();
        assertThat(stored()).isEqualTo(written);
        assertThat(asked).hasValue(1);
        server.close();

        start(new WithWindows(), (where, key) -> {
            throw new IOException("no route by RDMA");
        });
        written = write(5 << 20, 4);
        streamer.close();
        assertThat(stored()).isEqualTo(written);
        assertThat(landed()).isZero();
        assertThat(metricRegistry.value(Metric.CLIENT_VERBS_STEPPED_DOWN)).isEqualTo(1);
    }

    @Test
    void deviceWithoutRoom_leavesFramesToTcp() throws Exception {
        start(new WithWindows(), (where, key) -> window);
        ByteArrayOutputStream written = writeUntilLanded();
        long before = landed();
        window.busy = true;
        written.writeBytes(write(4 << 20, 5));
        streamer.close();
        assertThat(stored()).isEqualTo(written.toByteArray());
        assertThat(landed()).isEqualTo(before);
    }

    /** What was in the window is sent again, to the same DataNode, over tcp. */
    @Test
    void windowThatIsLost_withDataInIt_losesNothing() throws Exception {
        AtomicInteger landings = new AtomicInteger();
        start(
                new WithWindows() {
                    @Override
                    boolean received(Block block, WriteFrame frame) {
                        FakeWindow present = window;
                        if (frame.has(WriteFrame.LANDED) && landings.incrementAndGet() == 3 && present != null) {
                            present.disconnect();
                        }
                        return true;
                    }
                },
                (where, key) -> window);
        ByteArrayOutputStream written = writeUntilLanded();
        written.writeBytes(write(BLOCK_BYTES, 6));
        streamer.close();
        assertThat(stored()).isEqualTo(written.toByteArray());
        assertThat(metricRegistry.value(Metric.CLIENT_VERBS_STEPPED_DOWN)).isEqualTo(1);
        assertThat(streamer.badNodes()).as("no DataNode is at fault").isEmpty();
    }

    /** Nothing was in it: there is nothing to recover. */
    @Test
    void windowThatIsLost_whileItIsEmpty_leavesTheFileToTcp() throws Exception {
        start(new WithWindows(), (where, key) -> window);
        ByteArrayOutputStream written = writeUntilLanded();
        window.disconnect();
        written.writeBytes(write(BLOCK_BYTES, 7));
        streamer.close();
        assertThat(stored()).isEqualTo(written.toByteArray());
        assertThat(metricRegistry.value(Metric.CLIENT_VERBS_STEPPED_DOWN)).isEqualTo(1);
        assertThat(metricRegistry.value(Metric.CLIENT_WRITE_RECOVERIES)).isZero();
    }

    @Test
    void write_thatFailsAsNobodyExpects_leavesTheFileToTcp() throws Exception {
        start(new WithWindows(), (where, key) -> window);
        ByteArrayOutputStream written = writeUntilLanded();
        window.broken = true;
        written.writeBytes(write(BLOCK_BYTES, 9));
        streamer.close();
        assertThat(stored()).isEqualTo(written.toByteArray());
        assertThat(metricRegistry.value(Metric.CLIENT_VERBS_STEPPED_DOWN)).isEqualTo(1);
        assertThat(streamer.badNodes()).isEmpty();
    }

    /** What has no room for one frame would never have room. */
    @Test
    void windowThatIsTooSmall_isNotUsed() throws Exception {
        start(
                new FakeWriteServer() {
                    @Override
                    RegionKey window(FrameChannel frames) {
                        return new FakeWindow(WriteFrame.MAX_DATA_BYTES - 1).key();
                    }
                },
                (where, key) -> new FakeWindow(WriteFrame.MAX_DATA_BYTES - 1));
        byte[] written = write(5 << 20, 8);
        streamer.close();
        assertThat(stored()).isEqualTo(written);
        assertThat(landed()).isZero();
    }
}
