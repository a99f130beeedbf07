package io.terrace.datanode.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.channel.tcp.TcpFrame;
import io.terrace.channel.write.FrameChannel;
import io.terrace.channel.write.WriteAck;
import io.terrace.channel.write.WriteData;
import io.terrace.channel.write.WriteFrame;
import io.terrace.common.DaemonThreads;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Blocks that are sent on to a next DataNode: a real one, and ones that are slow, end, or say what is wrong. */
@Timeout(60)
final class ForwardingTest {
    private static final long LONG_NS = TimeUnit.MINUTES.toNanos(5);
    private static final byte NO_FLAGS = 0;

    @TempDir
    private Path directory;

    private final List<AutoCloseable> toClose = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : toClose) {
            each.close();
        }
    }

    private static byte[] contents(int bytes) {
        byte[] contents = new byte[bytes];
        new Random(bytes).nextBytes(contents);
        return contents;
    }

    private WriteNode node(String name, InetSocketAddress next, long answerTimeoutNs) throws IOException {
        WriteNode node = new WriteNode(directory, name, next, answerTimeoutNs);
        toClose.add(node);
        return node;
    }

    /** Three DataNodes, the last one first. */
    private List<WriteNode> chain() throws IOException {
        WriteNode third = new WriteNode(directory, "third", null, LONG_NS);
        toClose.add(third);
        WriteNode second = node("second", third.address(), LONG_NS);
        return List.of(node("first", second.address(), LONG_NS), second, third);
    }

    private Frames client(WriteNode node, byte[] contents) throws IOException {
        Frames client = new Frames(node.address(), contents);
        toClose.add(client);
        return client;
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
        List<WriteNode> nodes = chain();
        byte[] all = contents(6 << 20);
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
        List<WriteNode> nodes = chain();
        byte[] contents = contents(300_000);
        Frames client = client(nodes.get(0), contents);
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
        List<WriteNode> nodes = chain();
        byte[] contents = contents(3_000_000);
        nodes.get(0).startsWith = Arrays.copyOf(contents, 1_900_100);
        nodes.get(1).startsWith = Arrays.copyOf(contents, 700_300);
        nodes.get(2).startsWith = Arrays.copyOf(contents, 1_000_000);
        Frames client = client(nodes.get(0), contents);
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

    @Test
    void block_thatEndsBeforeWhatIsThere_isRefused() throws Exception {
        List<WriteNode> nodes = chain();
        byte[] contents = contents(10_000);
        nodes.get(0).startsWith = contents;
        Frames client = client(nodes.get(0), contents);
        assertThat(client.open()).isEqualTo("yes");
        client.sendTo(9_000, WriteFrame.LAST);
        assertThat(client.failure()).contains("9000 bytes, of which 10000");
    }

    /** The next DataNode, whose answers the test gives. */
    private static final class FakeNext implements AutoCloseable {
        private final ServerSocketChannel listener;
        private final CompletableFuture<FrameChannel> opened = new CompletableFuture<>();

        FakeNext(String answer) throws IOException {
            listener = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            DaemonThreads.make("fake-next", () -> open(answer)).start();
        }

        InetSocketAddress address() throws IOException {
            return (InetSocketAddress) listener.getLocalAddress();
        }

        private void open(String answer) {
            try {
                FrameChannel frames = new FrameChannel(listener.accept());
                frames.receiveBody(ByteBuffer.allocate(TcpFrame.HEADER_BYTES));
                WriteFrame open = frames.receive();
                frames.receiveBody(ByteBuffer.allocate(open.bodyBytes()));
                answer(frames, WriteFrame.OPENED, answer);
                opened.complete(frames);
            } catch (IOException e) {
                opened.completeExceptionally(e);
            }
        }

        static void answer(FrameChannel frames, byte type, String body) throws IOException {
            BlockAnswers.send(frames, type, 0, body.getBytes(StandardCharsets.UTF_8));
        }

        FrameChannel frames() throws Exception {
            return opened.get(1, TimeUnit.MINUTES);
        }

        /** Takes the next frame of data; its data bytes. */
        static int take(FrameChannel frames) throws IOException {
            WriteFrame frame = frames.receive();
            assertThat(frame).isNotNull();
            assertThat(frame.type()).isEqualTo(WriteFrame.DATA);
            ByteBuffer body = ByteBuffer.allocate(frame.bodyBytes());
            frames.receiveBody(body);
            return WriteData.decode(frame, WriteNode.CHUNK_BYTES, body.flip()).dataBytes();
        }

        static void ack(FrameChannel frames, long number, long allNumber, long bytes, int flags) throws IOException {
            ByteBuffer out = ByteBuffer.allocate(WriteFrame.HEADER_BYTES + WriteAck.BYTES);
            WriteAck ack = new WriteAck(bytes, allNumber, bytes);
            ack.frame(flags, number).encode(out);
            ack.encode(out);
            frames.send(out.flip());
        }

        @Override
        public void close() throws Exception {
            listener.close();
            if (opened.isDone() && !opened.isCompletedExceptionally()) {
                opened.get().close();
            }
        }
    }

    private FakeNext fakeNext(String answer) throws IOException {
        FakeNext next = new FakeNext(answer);
        toClose.add(next);
        return next;
    }

    @Test
    void next_thatRefuses_isNamed_andTheBlockLeft() throws Exception {
        WriteNode first = node("first", fakeNext("no room").address(), LONG_NS);
        Frames client = client(first, contents(1));
        assertThat(client.open()).isEqualTo("next: no room the next DataNode next: ended the block");
        assertThat(first.blocks).isEmpty();
    }

    /** It stops nobody before it lacks much: then no more is taken from the client, and acknowledged is only what it has. */
    @Test
    void next_thatIsSlow_stopsTheClientAtTheBound() throws Exception {
        FakeNext next = fakeNext("yes");
        WriteNode first = node("first", next.address(), LONG_NS);
        int step = 64 << 10;
        byte[] contents = contents(32 << 20);
        Frames client = client(first, contents);
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

    /** A client whose block is open at a DataNode whose next is a fake, and which has sent one frame. */
    private record Begun(WriteNode first, Frames client, FrameChannel next) {
        void assertFails(String why) throws IOException {
            assertThat(client.failure()).startsWith("next: ").contains(why);
            client.close();
            while (first.connections() > 0) {
                Thread.onSpinWait();
            }
            assertThat(first.blocks.get(0).left).isTrue();
            assertThat(first.blocks.get(0).acknowledged).isZero();
            assertThat(first.figures.value(Metric.CHANNEL_WRITE_FORWARD_FAILED)).isEqualTo(1);
            assertThat(first.givenBack).isEmpty();
        }
    }

    private Begun begin(long answerTimeoutNs, int flags) throws Exception {
        FakeNext next = fakeNext("yes");
        WriteNode first = node("first", next.address(), answerTimeoutNs);
        Frames client = client(first, contents(5_000));
        assertThat(client.open()).isEqualTo("yes");
        client.sendTo(5_000, flags);
        FrameChannel frames = next.frames();
        assertThat(FakeNext.take(frames)).isEqualTo(5_000);
        return new Begun(first, client, frames);
    }

    @Test
    void next_thatEnds_isNamed() throws Exception {
        Begun begun = begin(LONG_NS, NO_FLAGS);
        begun.next().close();
        begun.assertFails("Ended");
    }

    @Test
    void next_thatFails_isQuoted() throws Exception {
        Begun begun = begin(LONG_NS, NO_FLAGS);
        FakeNext.answer(begun.next(), WriteFrame.FAILED, "the disk is full");
        begun.assertFails("the disk is full");
    }

    @Test
    void next_thatIsSilent_isNamed() throws Exception {
        FakeNext next = fakeNext("yes");
        WriteNode first = node("first", next.address(), TimeUnit.MILLISECONDS.toNanos(50));
        Frames client = client(first, contents(1));
        assertThat(client.open()).isEqualTo("yes");
        new Begun(first, client, next.frames()).assertFails("no answer for 50 ms");
    }

    /** Number of the frame, number that all have, bytes, flags. */
    @ParameterizedTest
    @CsvSource({
        "2, 1, 5000, 0",
        "1, 1, 5000, 12",
        "1, 2, 5000, 0",
        "0, 0, -5, 0",
        "1, 0, 5000, 8",
    })
    void next_thatAcknowledgesWhatIsNotSo_isNamed(long number, long allNumber, long bytes, int flags) throws Exception {
        Begun begun = begin(LONG_NS, NO_FLAGS);
        FakeNext.ack(begun.next(), number, allNumber, bytes, flags);
        begun.assertFails("acknowledged");
    }

    @Test
    void next_thatAcknowledgesTheEndBeforeItIsFinalised_isNamed() throws Exception {
        Begun begun = begin(LONG_NS, WriteFrame.LAST);
        FakeNext.ack(begun.next(), 1, 1, 5_000, NO_FLAGS);
        assertThat(begun.client().failure()).startsWith("next: ").contains("acknowledged");
        // This one has the whole block. It may still be about to finalise it.
        while (!begun.first().blocks.get(0).finished) {
            Thread.onSpinWait();
        }
    }

    @Test
    void next_thatSendsGarbage_isNamed() throws Exception {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        byte[] noise = new byte[100];
        new Random(seed).nextBytes(noise);
        // No frame is as long as this.
        noise[0] = 0x7f;
        Begun begun = begin(LONG_NS, NO_FLAGS);
        begun.next().send(ByteBuffer.wrap(noise));
        begun.assertFails("a frame of type");
    }

    @Test
    void next_isKeptFromBeingIdle_andAnswersAreTaken() throws Exception {
        Begun begun = begin(TimeUnit.SECONDS.toNanos(10), NO_FLAGS);
        FakeNext.ack(begun.next(), 1, 1, 5_000, NO_FLAGS);
        WriteFrame ping = begun.next().receive();
        assertThat(ping).isNotNull();
        assertThat(ping.type()).isEqualTo(WriteFrame.PING);
        ByteBuffer pong = ByteBuffer.allocate(WriteFrame.HEADER_BYTES);
        ping.encode(pong);
        begun.next().send(pong.flip());
        begun.client().sendTo(5_000, WriteFrame.LAST);
        assertThat(FakeNext.take(begun.next())).isZero();
        FakeNext.ack(begun.next(), 2, 2, 5_000, WriteFrame.FINALIZED | WriteFrame.ALL_FINALIZED);
        begun.client().awaitAll();
    }

    @Test
    void client_thatIsGone_endsTheConnectionToTheNext() throws Exception {
        Begun begun = begin(LONG_NS, NO_FLAGS);
        begun.client().close();
        assertThat(begun.next().receive()).isNull();
        begun.first().close();
        assertThat(begun.first().blocks.get(0).left).isTrue();
    }

    /** As the dataset does it when somebody else takes over the replica, wherever the writer waits. */
    @ParameterizedTest
    @CsvSource({"0", "4"})
    void writer_thatLosesItsReplica_endsTheConnectionToTheNext(int flags) throws Exception {
        Begun begun = begin(LONG_NS, flags);
        Thread writer = begun.first().blocks.get(0).writer;
        writer.interrupt();
        writer.join();
        assertThat(begun.next().receive()).isNull();
    }

    /** A wrong checksum is found where it arrives, and not sent on. */
    @Test
    void wrongChecksum_isOfTheClient() throws Exception {
        Begun begun = begin(LONG_NS, NO_FLAGS);
        ByteBuffer frame = begun.client().frame(5_000, WriteFrame.SYNC);
        begun.client().channel.send(frame);
        assertThat(FakeNext.take(begun.next())).isZero();
        begun.client().startAt(4_608);
        frame = begun.client().frame(5_000, NO_FLAGS);
        frame.put(frame.limit() - 1, (byte) ~frame.get(frame.limit() - 1));
        begun.client().channel.send(frame);
        assertThat(begun.client().failure()).isEqualTo("wrong checksum");
        assertThat(begun.next().receive()).isNull();
        assertThat(begun.first().figures.value(Metric.CHANNEL_WRITE_FORWARD_FAILED))
                .isZero();
    }
}
