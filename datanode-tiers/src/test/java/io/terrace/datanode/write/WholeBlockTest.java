package io.terrace.datanode.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.channel.write.FrameChannel;
import io.terrace.channel.write.WriteAck;
import io.terrace.channel.write.WriteFrame;
import io.terrace.metrics.Metric;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Blocks that come with the request to open them, through one DataNode or three, and requests that are not what they say. */
@Timeout(60)
final class WholeBlockTest {
    private static final int MOST = WriteFrame.MAX_WHOLE_BYTES;
    private static final int ALL = WriteFrame.FINALIZED | WriteFrame.ALL_FINALIZED;

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

    private WriteNode single() throws Exception {
        return pipeline.node("single", null, Pipeline.LONG_NS);
    }

    private static void assertHas(WriteNode node, int index, byte[] contents) throws Exception {
        WriteNode.Block block = node.blocks.get(index);
        assertThat(block.contents()).isEqualTo(contents);
        assertThat(block.contentsSums()).isEqualTo(Frames.sums(contents, 0, contents.length));
        assertThat(block.finished).isTrue();
        assertThat(block.acknowledged).isEqualTo(contents.length);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 512, 700, MOST})
    void block_isOnAll_whenItIsAcknowledgedOnce(int bytes) throws Exception {
        List<WriteNode> nodes = pipeline.chain();
        byte[] contents = Pipeline.contents(bytes);
        Frames client = pipeline.client(nodes.get(0), contents);
        client.openWith(bytes, client.frame(bytes, WriteFrame.LAST));
        WriteFrame first = client.expect(WriteFrame.ACK);
        assertThat(first).isEqualTo(new WriteFrame(WriteAck.BYTES, WriteFrame.ACK, (byte) ALL, 1));
        for (WriteNode node : nodes) {
            assertHas(node, 0, contents);
            assertThat(node.figures.value(Metric.CHANNEL_WRITE_BLOCKS)).isEqualTo(1);
        }
        assertThat(nodes.get(0).figures.value(Metric.CHANNEL_WRITE_FORWARDED_BYTES))
                .isEqualTo(bytes);
        assertThat(nodes.get(2).figures.value(Metric.CHANNEL_WRITE_FORWARDED_BYTES))
                .isZero();
    }

    @Test
    void connection_takesBlocksOfBothKinds() throws Exception {
        List<WriteNode> nodes = pipeline.chain();
        for (int round = 0; round < 3; round++) {
            byte[] contents = Pipeline.contents(1_000 + round);
            try (Frames client = new Frames(nodes.get(0).address(), contents)) {
                client.openWith(contents.length, client.frame(contents.length, WriteFrame.LAST | WriteFrame.SYNC));
                assertThat(client.awaitAll()).isEqualTo(new WriteAck(contents.length, 1, contents.length));
                client.startAt(0);
                assertThat(client.open()).isEqualTo("yes");
                client.sendTo(contents.length, WriteFrame.LAST);
                client.awaitAll();
                for (WriteNode node : nodes) {
                    assertHas(node, 2 * round, contents);
                    assertThat(node.blocks.get(2 * round).syncs).isEqualTo(1);
                    assertHas(node, 2 * round + 1, contents);
                }
            }
        }
    }

    /** Bytes as the request says, bytes of the frame, its flags. */
    @ParameterizedTest
    @CsvSource({
        "100, 200, 4",
        "200, 100, 4",
        "100, 100, 0",
        "100, 100, 12",
        "65536, 65537, 4",
        "65536, 300000, 4",
        "100, 0, 4",
    })
    void frame_thatIsNotAllOfTheBlock_isRefused(long says, int bytes, int flags) throws Exception {
        WriteNode node = single();
        Frames client = pipeline.client(node, Pipeline.contents(bytes));
        client.openWith(says, client.frame(bytes, flags));
        assertThat(client.refusal()).contains("as a block of " + says + " bytes");
        assertThat(client.channel.receive()).isNull();
        assertThat(node.blocks).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {MOST + 1, -1, Long.MIN_VALUE, 1L << 32})
    void request_forMoreThanTheCap_endsTheConnection(long says) throws Exception {
        WriteNode node = single();
        Frames client = pipeline.client(node, Pipeline.contents(100));
        client.openWith(says, client.frame(100, WriteFrame.LAST));
        assertThat(client.channel.receive()).isNull();
        assertThat(node.blocks).isEmpty();
    }

    @Test
    void frame_ofAnotherType_orNone_isRefused() throws Exception {
        WriteNode node = single();
        Frames pinging = pipeline.client(node, new byte[0]);
        ByteBuffer ping = ByteBuffer.allocate(WriteFrame.HEADER_BYTES);
        new WriteFrame(0, WriteFrame.PING, (byte) 0, 1).encode(ping);
        pinging.openWith(100, ping.flip());
        assertThat(pinging.refusal()).contains("a frame of type 5");
        Frames gone = pipeline.client(node, new byte[0]);
        gone.openWith(100, ByteBuffer.allocate(0));
        gone.channel.channel().shutdownOutput();
        assertThat(gone.refusal()).contains("the client is gone before it sent a block of 100 bytes");
        assertThat(node.blocks).isEmpty();
    }

    @Test
    void checksum_thatIsWrong_isNotAcknowledged() throws Exception {
        WriteNode node = single();
        Frames client = pipeline.client(node, Pipeline.contents(700));
        ByteBuffer frame = client.frame(700, WriteFrame.LAST);
        int last = frame.limit() - 1;
        client.openWith(700, frame.put(last, (byte) ~frame.get(last)));
        assertThat(client.failure()).contains("wrong checksum");
        client.close();
        while (node.connections() > 0) {
            Thread.onSpinWait();
        }
        assertThat(node.blocks.get(0).left).isTrue();
        assertThat(node.blocks.get(0).acknowledged).isZero();
    }

    /** What it says of a block that is not written is what the client reads, and there is no replica before it. */
    @Test
    void next_thatRefusesOrFails_isNamed_andTheBlockNotWritten() throws Exception {
        WriteNode refused =
                pipeline.node("refused", pipeline.fakeNext("no room").address(), Pipeline.LONG_NS);
        Frames client = pipeline.client(refused, Pipeline.contents(100));
        client.openWith(100, client.frame(100, WriteFrame.LAST));
        assertThat(client.refusal()).startsWith("next: no room");

        FakeNext next = pipeline.fakeNext("yes");
        WriteNode failed = pipeline.node("failed", next.address(), Pipeline.LONG_NS);
        client = pipeline.client(failed, Pipeline.contents(100));
        client.openWith(100, client.frame(100, WriteFrame.LAST));
        FakeNext.take(next.frames(), Pipeline.contents(100));
        FakeNext.answer(next.frames(), WriteFrame.FAILED, "the disk is full");
        assertThat(client.refusal()).startsWith("next: the disk is full");
        assertThat(refused.blocks).isEmpty();
        assertThat(failed.blocks).isEmpty();
        assertThat(failed.figures.value(Metric.CHANNEL_WRITE_FORWARD_FAILED)).isEqualTo(1);
    }

    /** It answers as to any block: that it is open, that it has it, that all have it. */
    @Test
    void next_thatIsOlder_isWaitedFor() throws Exception {
        FakeNext next = pipeline.fakeNext("yes");
        WriteNode first = pipeline.node("first", next.address(), Pipeline.LONG_NS);
        byte[] contents = Pipeline.contents(700);
        Frames client = pipeline.client(first, contents);
        client.openWith(700, client.frame(700, WriteFrame.LAST));
        FrameChannel frames = next.frames();
        assertThat(FakeNext.take(frames, contents)).isEqualTo(700);
        assertThat(next.number).isEqualTo(700);
        assertThat(first.blocks).isEmpty();
        ByteBuffer own = ByteBuffer.allocate(WriteFrame.HEADER_BYTES + WriteAck.BYTES);
        WriteAck ack = new WriteAck(700, 0, 0);
        ack.frame(WriteFrame.FINALIZED, 1).encode(own);
        ack.encode(own);
        frames.send(own.flip());
        FakeNext.ack(frames, 1, 1, 700, ALL);
        assertThat(client.awaitAll()).isEqualTo(new WriteAck(700, 1, 700));
        assertHas(first, 0, contents);
    }

    /** Number of the frame, bytes, flags. */
    @ParameterizedTest
    @CsvSource({"2, 700, 12", "1, 600, 12", "1, -5, 0"})
    void next_thatAcknowledgesWhatIsNotSo_isNoAnswer(long number, long bytes, int flags) throws Exception {
        FakeNext next = pipeline.fakeNext("yes");
        WriteNode first = pipeline.node("first", next.address(), Pipeline.LONG_NS);
        Frames client = pipeline.client(first, Pipeline.contents(700));
        client.openWith(700, client.frame(700, WriteFrame.LAST));
        FakeNext.take(next.frames());
        FakeNext.ack(next.frames(), number, number, bytes, flags);
        assertThat(client.refusal()).contains("acknowledged");
        assertThat(first.blocks).isEmpty();
    }
}
