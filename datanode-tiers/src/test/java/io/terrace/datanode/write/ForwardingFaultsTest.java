package io.terrace.datanode.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.channel.write.FrameChannel;
import io.terrace.channel.write.WriteFrame;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Blocks whose next DataNode, client or writer fails: who is named, and what is left. */
@Timeout(60)
final class ForwardingFaultsTest {
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

    @Test
    void next_thatRefuses_isNamed_andTheBlockLeft() throws Exception {
        WriteNode first = pipeline.node("first", pipeline.fakeNext("no room").address(), Pipeline.LONG_NS);
        Frames client = pipeline.client(first, Pipeline.contents(1));
        assertThat(client.open()).isEqualTo("next: no room the next DataNode next: ended the block");
        assertThat(first.blocks).isEmpty();
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
        FakeNext next = pipeline.fakeNext("yes");
        WriteNode first = pipeline.node("first", next.address(), answerTimeoutNs);
        Frames client = pipeline.client(first, Pipeline.contents(5_000));
        assertThat(client.open()).isEqualTo("yes");
        client.sendTo(5_000, flags);
        FrameChannel frames = next.frames();
        assertThat(FakeNext.take(frames)).isEqualTo(5_000);
        return new Begun(first, client, frames);
    }

    @Test
    void evict_whileTheNextTakesNothing_endsTheBlock() throws Exception {
        FakeNext next = pipeline.fakeNext("yes");
        WriteNode first = pipeline.node("first", next.address(), Pipeline.LONG_NS);
        int frameBytes = (int) WriteNode.LAG_BYTES;
        Frames client = pipeline.client(first, Pipeline.contents(2 * frameBytes + 1));
        assertThat(client.open()).isEqualTo("yes");
        client.sendTo(frameBytes, NO_FLAGS);
        client.sendTo(2 * frameBytes, NO_FLAGS);
        client.sendTo(2 * frameBytes + 1, NO_FLAGS);
        while (Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().startsWith("terrace-write-first-")
                        && thread.getState() == Thread.State.WAITING)) {
            Thread.onSpinWait();
        }
        first.evict();
        assertThat(client.failure()).contains("an operator evicted all who write to this DataNode");
    }

    /** Nothing is read from the client until the next DataNode answers; it is told nevertheless. */
    @Test
    void evict_whileTheNextOpensTheBlock_endsTheOpening() throws Exception {
        for (boolean whole : new boolean[] {false, true}) {
            FakeNext next = pipeline.fakeNext(null);
            WriteNode first = pipeline.node("first-" + whole, next.address(), Pipeline.LONG_NS);
            Frames client = pipeline.client(first, Pipeline.contents(100));
            client.openWith(whole ? 100 : 0, whole ? client.frame(100, WriteFrame.LAST) : ByteBuffer.allocate(0));
            FrameChannel unanswered = next.frames();
            assertThat(unanswered.channel().isOpen()).isTrue();
            first.evict();
            assertThat(client.refusal()).contains("an operator evicted all who write to this DataNode");
            client.close();
            while (first.connections() > 0) {
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void close_whileTheNextOpensTheBlock_waitsForNobody() throws Exception {
        FakeNext next = pipeline.fakeNext(null);
        WriteNode first = pipeline.node("first", next.address(), Pipeline.LONG_NS);
        Frames client = pipeline.client(first, Pipeline.contents(100));
        client.openWith(0, ByteBuffer.allocate(0));
        FrameChannel unanswered = next.frames();
        assertThat(unanswered.channel().isOpen()).isTrue();
        first.close();
        assertThat(first.connections()).isZero();
    }

    @Test
    void next_thatEnds_isNamed() throws Exception {
        Begun begun = begin(Pipeline.LONG_NS, NO_FLAGS);
        begun.next().close();
        begun.assertFails("Ended");
    }

    /** Nobody else would end the block, and its client would wait as long as both live. */
    @Test
    void forwarder_thatBreaks_endsTheBlock() throws Exception {
        FakeNext next = pipeline.fakeNext("yes");
        WriteNode first = pipeline.node("first", next.address(), Pipeline.LONG_NS);
        first.events = new PipelineEvents() {
            @Override
            public void receiving() {
                throw new OutOfMemoryError("thrown by the test");
            }
        };
        Frames client = pipeline.client(first, Pipeline.contents(5_000));
        assertThat(client.open()).isEqualTo("yes");
        client.sendTo(5_000, NO_FLAGS);
        FrameChannel frames = next.frames();
        assertThat(FakeNext.take(frames)).isEqualTo(5_000);
        FakeNext.ack(frames, 1, 1, 5_000, NO_FLAGS);
        assertThat(client.failure()).contains("broke");
    }

    @Test
    void next_thatFails_isQuoted() throws Exception {
        Begun begun = begin(Pipeline.LONG_NS, NO_FLAGS);
        FakeNext.answer(begun.next(), WriteFrame.FAILED, "the disk is full");
        begun.assertFails("the disk is full");
    }

    @Test
    void next_thatIsSilent_isNamed() throws Exception {
        FakeNext next = pipeline.fakeNext("yes");
        WriteNode first = pipeline.node("first", next.address(), TimeUnit.MILLISECONDS.toNanos(50));
        Frames client = pipeline.client(first, Pipeline.contents(1));
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
        Begun begun = begin(Pipeline.LONG_NS, NO_FLAGS);
        FakeNext.ack(begun.next(), number, allNumber, bytes, flags);
        begun.assertFails("acknowledged");
    }

    @Test
    void next_thatAcknowledgesTheEndBeforeItIsFinalised_isNamed() throws Exception {
        Begun begun = begin(Pipeline.LONG_NS, WriteFrame.LAST);
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
        Begun begun = begin(Pipeline.LONG_NS, NO_FLAGS);
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
        Begun begun = begin(Pipeline.LONG_NS, NO_FLAGS);
        begun.client().close();
        assertThat(begun.next().receive()).isNull();
        begun.first().close();
        assertThat(begun.first().blocks.get(0).left).isTrue();
    }

    /** Nobody else has what the next one lacks. Told twice, it is sure to be found gone. */
    @Test
    void client_thatIsGone_whenThisOneHasTheBlock_isNotMissed() throws Exception {
        Begun begun = begin(Pipeline.LONG_NS, NO_FLAGS);
        begun.client().sendTo(5_000, WriteFrame.LAST);
        WriteNode first = begun.first();
        while (!first.blocks.get(0).finished) {
            Thread.onSpinWait();
        }
        begun.client().close();
        assertThat(FakeNext.take(begun.next())).isZero();
        FakeNext.ack(begun.next(), 1, 0, 0, NO_FLAGS);
        FakeNext.ack(begun.next(), 1, 1, 5_000, NO_FLAGS);
        while (first.blocks.get(0).acknowledged == 0 && first.connections() > 0) {
            Thread.onSpinWait();
        }
        FakeNext.ack(begun.next(), 2, 1, 5_000, NO_FLAGS);
        FakeNext.ack(begun.next(), 2, 2, 5_000, WriteFrame.FINALIZED | WriteFrame.ALL_FINALIZED);
        while (first.connections() > 0) {
            Thread.onSpinWait();
        }
        assertThat(first.givenBack).hasSize(1);
        assertThat(first.figures.value(Metric.CHANNEL_WRITE_FORWARD_FAILED)).isZero();
    }

    /** Its connection may serve another block by then. */
    @Test
    void next_thatHasTheBlock_keepsItsConnection_thoughThisOneCannotFinaliseIt() throws Exception {
        FakeNext next = pipeline.fakeNext("yes");
        WriteNode first = pipeline.node("first", next.address(), Pipeline.LONG_NS);
        first.ending = () -> {
            while (first.givenBack.isEmpty()) {
                Thread.onSpinWait();
            }
            throw new IOException("thrown by the test");
        };
        Frames client = pipeline.client(first, Pipeline.contents(5_000));
        assertThat(client.open()).isEqualTo("yes");
        client.sendTo(5_000, WriteFrame.LAST);
        FrameChannel frames = next.frames();
        assertThat(FakeNext.take(frames)).isEqualTo(5_000);
        FakeNext.ack(frames, 1, 1, 5_000, WriteFrame.FINALIZED | WriteFrame.ALL_FINALIZED);
        assertThat(client.failure()).contains("thrown by the test");
        client.close();
        while (first.connections() > 0) {
            Thread.onSpinWait();
        }
        assertThat(first.blocks.get(0).left).isTrue();
        assertThat(first.givenBack.get(0).isIdle()).isTrue();
    }

    /** The block is everywhere: what becomes of the connection does not matter. */
    @Test
    void next_thatFailsAfterTheEnd_isNotNamed() throws Exception {
        Begun begun = begin(Pipeline.LONG_NS, WriteFrame.LAST);
        FakeNext.ackAndFail(begun.next(), 1, 5_000);
        begun.client().awaitAll();
        begun.client().close();
        while (begun.first().connections() > 0) {
            Thread.onSpinWait();
        }
        assertThat(begun.first().figures.value(Metric.CHANNEL_WRITE_FORWARD_FAILED))
                .isZero();
    }

    /** As the dataset does it when somebody else takes over the replica, wherever the writer waits. */
    @ParameterizedTest
    @CsvSource({"0", "4"})
    void writer_thatLosesItsReplica_endsTheConnectionToTheNext(int flags) throws Exception {
        Begun begun = begin(Pipeline.LONG_NS, flags);
        Thread writer = begun.first().blocks.get(0).writer;
        writer.interrupt();
        writer.join();
        assertThat(begun.next().receive()).isNull();
    }

    /** A frame whose first piece was sent on, when its second one is still to come. */
    private Begun beginHalfAFrame() throws Exception {
        FakeNext next = pipeline.fakeNext("yes");
        WriteNode first = pipeline.node("first", next.address(), Pipeline.LONG_NS);
        Frames client = pipeline.client(first, Pipeline.contents(400_000));
        assertThat(client.open()).isEqualTo("yes");
        ByteBuffer frame = client.frame(400_000, NO_FLAGS);
        int bytes = frame.limit();
        client.channel.send(frame.limit(bytes - 1));
        FrameChannel frames = next.frames();
        WriteFrame header = frames.receive();
        assertThat(header).isNotNull();
        frames.receiveBody(ByteBuffer.allocate(header.bodyBytes() - 400_000 + WriteBuffers.PIECE_BYTES));
        return new Begun(first, client, frames);
    }

    @Test
    void next_thatEndsWithinAFrame_isNamed() throws Exception {
        Begun begun = beginHalfAFrame();
        begun.next().close();
        begun.assertFails("Ended");
    }

    @Test
    void next_thatFailsWithinAFrame_isQuoted() throws Exception {
        Begun begun = beginHalfAFrame();
        FakeNext.answer(begun.next(), WriteFrame.FAILED, "the disk is full");
        begun.assertFails("the disk is full");
    }

    @Test
    void next_thatAcknowledgesAFrameBeforeItHasAll_isNamed() throws Exception {
        Begun begun = beginHalfAFrame();
        FakeNext.ack(begun.next(), 1, 1, 400_000, NO_FLAGS);
        begun.assertFails("acknowledged");
    }

    /** As it ends with the client: the rest of the frame does not come. */
    @Test
    void client_thatIsGoneWithinAFrame_endsTheConnectionToTheNext() throws Exception {
        Begun begun = beginHalfAFrame();
        begun.client().close();
        assertThatThrownBy(() -> begun.next().receiveBody(ByteBuffer.allocate(1)))
                .isInstanceOf(IOException.class);
        while (begun.first().connections() > 0) {
            Thread.onSpinWait();
        }
        assertThat(begun.first().blocks.get(0).left).isTrue();
        assertThat(begun.first().figures.value(Metric.CHANNEL_WRITE_FORWARD_FAILED))
                .isZero();
    }

    /** A wrong checksum is found where it arrives, and not sent on. */
    @Test
    void wrongChecksum_isOfTheClient() throws Exception {
        Begun begun = begin(Pipeline.LONG_NS, NO_FLAGS);
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
