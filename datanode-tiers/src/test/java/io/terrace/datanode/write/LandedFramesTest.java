package io.terrace.datanode.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.terrace.channel.write.WriteFrame;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Frames whose data lies in a landing window, from clients that keep to the rules and from others. */
@Timeout(60)
final class LandedFramesTest {
    private static final int BYTES = 1_000_000;
    private static final long LONG_NS = TimeUnit.MINUTES.toNanos(5);

    @TempDir
    private Path directory;

    private final TestWindows windows = new TestWindows();
    private final byte[] contents = Pipeline.contents(BYTES);
    private WriteNode node;
    private WriteNode last;
    private Frames client;

    @BeforeEach
    void start() throws IOException {
        start(LONG_NS);
    }

    private void start(long silenceNs) throws IOException {
        last = new WriteNode(directory, "last" + silenceNs, null, LONG_NS, WriteNode.LAG_BYTES);
        node = new WriteNode(
                directory, "first" + silenceNs, last.address(), LONG_NS, WriteNode.LAG_BYTES, silenceNs, windows);
        client = Frames.withOffer(node.address(), contents);
    }

    @AfterEach
    void stop() throws IOException {
        client.close();
        node.close();
        last.close();
        assertThat(windows.opened).allMatch(window -> window.closed);
    }

    private TestWindows.Window window() throws IOException {
        assertThat(client.askForWindow()).isNotNull();
        return windows.opened.get(windows.opened.size() - 1);
    }

    private void open() throws IOException {
        assertThat(client.open()).isEqualTo("yes");
    }

    @Test
    void data_thatLands_isVerified_written_andSentOn_asAnyOther() throws Exception {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        open();
        TestWindows.Window window = window();
        int done = 0;
        int landed = 0;
        while (done < BYTES) {
            int to = Math.min(BYTES, done + 1 + random.nextInt(300_000));
            int from = done - done % WriteNode.CHUNK_BYTES;
            if (random.nextBoolean()) {
                int at = random.nextInt(TestWindows.WINDOW_BYTES - (to - from));
                window.put(at, contents, from, to - from);
                window.announce(at, to - from);
                client.sendLanded(to, 0);
                landed += to - from;
            } else {
                client.sendTo(to, 0);
            }
            done = to;
            client.awaitAll();
        }
        client.sendTo(BYTES, WriteFrame.LAST);
        client.awaitAll();
        for (WriteNode each : new WriteNode[] {node, last}) {
            assertThat(each.blocks.get(0).contents()).as("seed %d", seed).isEqualTo(contents);
            assertThat(each.blocks.get(0).contentsSums())
                    .as("seed %d", seed)
                    .isEqualTo(Frames.sums(contents, 0, BYTES));
        }
        assertThat(node.figures.value(Metric.CHANNEL_WRITE_LANDED_BYTES)).isEqualTo(landed);
    }

    /** A window pins memory, and nobody has shown a token yet. */
    @Test
    void window_beforeABlockWasOpened_isRefused() throws Exception {
        assertThatThrownBy(() -> client.askForWindow()).isNotNull();
        assertThat(windows.opened).isEmpty();
    }

    @Test
    void frame_thatComesBeforeItsData_waitsForIt() throws Exception {
        open();
        TestWindows.Window window = window();
        client.sendLanded(BYTES, WriteFrame.LAST);
        window.put(0, contents, 0, BYTES);
        window.announce(0, BYTES);
        client.awaitAll();
        assertThat(node.blocks.get(0).contents()).isEqualTo(contents);
    }

    /** The client keeps its right to the window: what it writes there later changes nothing that was acknowledged. */
    @Test
    void window_thatIsWrittenAfterTheAcknowledgement_changesNothing() throws Exception {
        open();
        TestWindows.Window window = window();
        window.put(0, contents, 0, BYTES);
        window.announce(0, BYTES);
        client.sendLanded(BYTES, 0);
        client.awaitAll();
        window.put(0, new byte[BYTES], 0, BYTES);
        client.sendTo(BYTES, WriteFrame.LAST);
        client.awaitAll();
        assertThat(node.blocks.get(0).contents()).isEqualTo(contents);
        assertThat(last.blocks.get(0).contents()).isEqualTo(contents);
    }

    /** Somebody else wrote there, or the client before the DataNode has copied it. */
    @Test
    void data_thatIsNotTheChecksums_isRefused() throws Exception {
        open();
        TestWindows.Window window = window();
        byte[] other = Arrays.copyOf(contents, BYTES);
        other[BYTES / 2] ^= 1;
        window.put(0, other, 0, BYTES);
        window.announce(0, BYTES);
        client.sendLanded(BYTES, WriteFrame.LAST);
        assertThat(client.failure()).contains("wrong checksum");
        assertThat(node.blocks.get(0).finished).isFalse();
    }

    @Test
    void announcement_ofAnotherLength_endsTheConnection() throws Exception {
        open();
        TestWindows.Window window = window();
        window.put(0, contents, 0, BYTES);
        window.announce(0, BYTES - 1);
        client.sendLanded(BYTES, 0);
        assertThat(client.failure()).contains("landed for a frame of " + BYTES + " bytes");
    }

    @Test
    void landedFrame_withoutAWindow_endsTheConnection() throws Exception {
        open();
        client.sendLanded(BYTES, 0);
        assertThat(client.failure()).contains("no window was given");
    }

    @Test
    void secondWindow_endsTheConnection() throws Exception {
        open();
        window();
        assertThatThrownBy(() -> client.askForWindow()).hasMessageContaining("not offered");
        assertThat(windows.opened).hasSize(1);
    }

    @Test
    void windowThatIsNotToBeHad_isSaid_andDataGoesOverTheConnection() throws Exception {
        windows.full = true;
        open();
        assertThat(client.askForWindow()).isNull();
        assertThat(node.figures.value(Metric.CHANNEL_WRITE_WINDOWS_REFUSED)).isEqualTo(1);
        client.sendTo(BYTES, WriteFrame.LAST);
        client.awaitAll();
        assertThat(node.blocks.get(0).contents()).isEqualTo(contents);
    }

    @Test
    void clientThatTakesNoOffer_getsNone_andNoWindow() throws Exception {
        try (Frames old = new Frames(node.address(), contents)) {
            assertThat(old.open()).isEqualTo("yes");
            assertThatThrownBy(old::askForWindow).hasMessageContaining("not offered");
        }
        assertThat(windows.opened).isEmpty();
    }

    @Test
    void data_thatNeverLands_cutsItsClient() throws Exception {
        stop();
        start(TimeUnit.SECONDS.toNanos(2));
        open();
        window();
        client.sendLanded(BYTES, 0);
        await().untilAsserted(() ->
                assertThat(node.figures.value(Metric.CHANNEL_WRITE_CUT)).isEqualTo(1));
        await().until(() -> node.connections() == 0);
        assertThat(node.blocks.get(0).finished).isFalse();
    }

    /** Recovery takes a replica from its writer by an interrupt. */
    @Test
    void writer_thatWaitsForData_endsWhenItIsInterrupted() throws Exception {
        open();
        window();
        client.sendLanded(BYTES, 0);
        Thread writer = node.blocks.get(0).writer;
        await().until(() -> writer.getState() == Thread.State.WAITING);
        writer.interrupt();
        writer.join(TimeUnit.SECONDS.toMillis(20));
        assertThat(writer.isAlive()).isFalse();
        assertThat(node.blocks.get(0).left).isTrue();
    }
}
