package io.terrace.datanode.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.channel.write.FrameChannel;
import io.terrace.channel.write.WriteAck;
import io.terrace.channel.write.WriteFrame;
import io.terrace.common.DaemonThreads;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Blocks that are sent on to a next DataNode that is well, fast or slow. */
@Timeout(60)
final class ForwardingTest {
    private static final byte NO_FLAGS = 0;

    @TempDir
    private Path directory;

    private Pipeline pipeline;

    @BeforeEach
    void open() {
        pipeline = new Pipeline(directory);
    }

    @AfterEach
    void close() throws Exception {
        pipeline.close();
    }

    private static void assertSame(List<WriteNode> nodes, byte[] contents) throws IOException {
        for (WriteNode node : nodes) {
            WriteNode.Block block = node.blocks.get(node.blocks.size() - 1);
            assertThat(block.contents()).isEqualTo(contents);
            assertThat(block.contentsSums()).isEqualTo(Frames.sums(contents, 0, contents.length));
            assertThat(block.finished).isTrue();
            assertThat(block.acknowledged).isEqualTo(contents.length);
        }
    }

    @Test
    void blocks_ofAnySizeInAnyFrames_areTheSameEverywhere() throws Exception {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        List<WriteNode> nodes = pipeline.chain();
        byte[] all = Pipeline.contents(6 << 20);
        for (int round = 0; round < 8; round++) {
            byte[] contents =
                    Arrays.copyOf(all, random.nextInt(4) == 0 ? random.nextInt(600) : random.nextInt(all.length));
            try (Frames client = new Frames(nodes.get(0).address(), contents)) {
                assertThat(client.open()).isEqualTo("yes");
                boolean small = random.nextBoolean();
                int done = 0;
                while (done < contents.length) {
                    int step = small && done < 40_000 ? random.nextInt(1_500) : 1 + random.nextInt(1_000_000);
                    done = Math.min(contents.length, done + step);
                    client.sendTo(done, random.nextInt(5) == 0 ? WriteFrame.SYNC : 0);
                    if (random.nextInt(10) == 0) {
                        assertThat(client.awaitAll().replicatedBytes())
                                .as("seed %d", seed)
                                .isEqualTo(done);
                    }
                }
                client.sendTo(done, WriteFrame.LAST | WriteFrame.SYNC);
                WriteAck last = client.awaitAll();
                assertThat(last).as("seed %d", seed).isEqualTo(new WriteAck(done, client.number(), done));
                assertSame(nodes, contents);
            }
        }
        assertThat(nodes.get(2).blocks).allMatch(block -> block.syncs > 0);
        assertThat(nodes.get(0).figures.value(Metric.CHANNEL_WRITE_FORWARDED_BYTES))
                .isEqualTo(nodes.get(1).figures.value(Metric.CHANNEL_WRITE_BYTES));
        assertThat(nodes.get(0).figures.value(Metric.CHANNEL_WRITE_FORWARD_FAILED))
                .isZero();
    }

    /** On one connection: what a block's end leaves behind does not disturb the next. */
    @Test
    void blocks_oneAfterAnother_useOneConnection() throws Exception {
        List<WriteNode> nodes = pipeline.chain();
        byte[] contents = Pipeline.contents(300_000);
        Frames client = pipeline.client(nodes.get(0), contents);
        for (int block = 0; block < 3; block++) {
            assertThat(client.open()).isEqualTo("yes");
            client.startAt(0);
            client.sendTo(200_001, 0);
            client.sendTo(contents.length, WriteFrame.LAST);
            client.awaitAll();
            assertSame(nodes, contents);
        }
        // The client is told first.
        while (nodes.get(0).givenBack.size() < 3) {
            Thread.onSpinWait();
        }
        assertThat(nodes.get(0).connections()).isEqualTo(1);
    }

    /** After a recovery the replicas have different lengths, and the client sends what not all had. */
    @Test
    void block_thatAllHaveABeginningOf_isSentAgainFromThere() throws Exception {
        List<WriteNode> nodes = pipeline.chain();
        byte[] contents = Pipeline.contents(3_000_000);
        nodes.get(0).startsWith = Arrays.copyOf(contents, 1_900_100);
        nodes.get(1).startsWith = Arrays.copyOf(contents, 700_300);
        nodes.get(2).startsWith = Arrays.copyOf(contents, 1_000_000);
        nodes.forEach(node -> node.recoveredBytes = 700_300);
        Frames client = pipeline.client(nodes.get(0), contents);
        assertThat(client.open()).isEqualTo("yes");
        client.startAt(700_300);
        client.sendTo(700_300, WriteFrame.SYNC);
        client.sendTo(700_301, 0);
        client.sendTo(1_000_001, 0);
        client.sendTo(1_800_000, 0);
        assertThat(client.awaitAll().replicatedBytes()).isEqualTo(1_800_000);
        client.sendTo(2_500_000, 0);
        client.sendTo(contents.length, WriteFrame.LAST);
        client.awaitAll();
        assertSame(nodes, contents);
    }

    /** It is another one: as long as what is there, it would be taken for that. */
    @Test
    void block_thatBeginsBeforeWhatAllHave_isRefused() throws Exception {
        WriteNode node = pipeline.node("first", null, Pipeline.LONG_NS);
        byte[] contents = Pipeline.contents(10_000);
        node.startsWith = contents;
        node.recoveredBytes = contents.length;
        Frames client = pipeline.client(node, Pipeline.contents(contents.length));
        assertThat(client.open()).isEqualTo("yes");
        client.sendTo(contents.length, WriteFrame.LAST);
        assertThat(client.failure()).contains("10000 bytes at 0 of a block of 10000 bytes");
    }

    @Test
    void block_thatEndsBeforeWhatIsThere_isRefused() throws Exception {
        List<WriteNode> nodes = pipeline.chain();
        byte[] contents = Pipeline.contents(10_000);
        nodes.get(0).startsWith = contents;
        Frames client = pipeline.client(nodes.get(0), contents);
        assertThat(client.open()).isEqualTo("yes");
        client.sendTo(9_000, WriteFrame.LAST);
        assertThat(client.failure()).contains("9000 bytes, of which 10000");
    }

    /** It stops nobody before it lacks much: then no more is taken from the client, and acknowledged is only what it has. */
    @Test
    void next_thatIsSlow_stopsTheClientAtTheBound() throws Exception {
        FakeNext next = pipeline.fakeNext("yes");
        WriteNode first = pipeline.node("first", next.address(), Pipeline.LONG_NS);
        int step = 64 << 10;
        byte[] contents = Pipeline.contents(32 << 20);
        Frames client = pipeline.client(first, contents);
        assertThat(client.open()).isEqualTo("yes");
        CompletableFuture<Void> sent = new CompletableFuture<>();
        DaemonThreads.make("sends", () -> {
                    try {
                        for (int to = step; to <= contents.length; to += step) {
                            client.sendTo(to, to == contents.length ? WriteFrame.LAST : 0);
                        }
                        sent.complete(null);
                    } catch (IOException | RuntimeException e) {
                        sent.completeExceptionally(e);
                    }
                })
                .start();
        WriteNode.Block block = first.blocks.get(0);
        while (block.lengthBytes <= WriteNode.LAG_BYTES) {
            Thread.onSpinWait();
        }
        FrameChannel frames = next.frames();
        long taken = 0;
        while (taken < contents.length) {
            taken += FakeNext.take(frames);
            assertThat(block.lengthBytes).isLessThanOrEqualTo(taken + WriteNode.LAG_BYTES + 2 * step);
            assertThat(block.acknowledged).isLessThanOrEqualTo(taken);
            // The number is not in the data; the frames are all of one size.
            boolean last = taken == contents.length;
            int flags = last ? WriteFrame.FINALIZED | WriteFrame.ALL_FINALIZED : NO_FLAGS;
            FakeNext.ack(frames, taken / step, taken / step, taken, flags);
        }
        sent.get(1, TimeUnit.MINUTES);
        client.awaitAll();
        assertThat(block.acknowledged).isEqualTo(contents.length);
        assertThat(block.contents()).isEqualTo(contents);
    }

    /** What the next one keeps up with is sent from memory. */
    @Test
    void frames_thatTheNextTakesAtOnce_areNotReadFromTheFiles() throws Exception {
        List<WriteNode> nodes = pipeline.chain();
        byte[] contents = Pipeline.contents(100_000);
        Frames client = pipeline.client(nodes.get(0), contents);
        assertThat(client.open()).isEqualTo("yes");
        for (int to = 9_999; to < contents.length; to += 9_999) {
            client.sendTo(to, 0);
            client.awaitAll();
        }
        client.sendTo(contents.length, WriteFrame.LAST);
        client.awaitAll();
        assertSame(nodes, contents);
        for (WriteNode node : nodes.subList(0, 2)) {
            assertThat(node.figures.value(Metric.CHANNEL_WRITE_FORWARDED_BYTES))
                    .isGreaterThanOrEqualTo(contents.length);
            assertThat(node.figures.value(Metric.CHANNEL_WRITE_FORWARDED_READ_BYTES))
                    .isZero();
        }
    }

    /** The socket takes the beginning from memory, and is full within a frame; the rest comes from the files. */
    @Test
    void next_thatTakesNothingForLong_getsTheRestFromTheFiles() throws Exception {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        FakeNext next = pipeline.fakeNext("yes");
        WriteNode first = pipeline.node("first", next.address(), Pipeline.LONG_NS, WriteNode.MOST_BYTES);
        byte[] contents = Pipeline.contents(WriteNode.MOST_BYTES);
        Frames client = pipeline.client(first, contents);
        assertThat(client.open()).isEqualTo("yes");
        for (int to = 0; to < contents.length; ) {
            int step = random.nextInt(4) == 0 ? random.nextInt(2_000) : 900_000 + random.nextInt(100_000);
            to = Math.min(contents.length, to + step + 1);
            client.sendTo(to, to == contents.length ? WriteFrame.LAST : 0);
        }
        WriteNode.Block block = first.blocks.get(0);
        while (!block.finished) {
            Thread.onSpinWait();
        }
        FrameChannel frames = next.frames();
        int taken = 0;
        while (taken < contents.length) {
            taken = FakeNext.take(frames, contents);
        }
        int flags = WriteFrame.FINALIZED | WriteFrame.ALL_FINALIZED;
        FakeNext.ack(frames, client.number(), client.number(), contents.length, flags);
        client.awaitAll();
        assertThat(block.acknowledged).isEqualTo(contents.length);
        assertThat(first.figures.value(Metric.CHANNEL_WRITE_FORWARDED_READ_BYTES))
                .as("seed %d", seed)
                .isBetween(1L, contents.length - 1L);
    }
}
