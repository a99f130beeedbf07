package io.terrace.datanode.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.terrace.channel.write.AcceptedConnection;
import io.terrace.channel.write.FrameChannel;
import io.terrace.channel.write.LandingWindows;
import io.terrace.channel.write.WriteAck;
import io.terrace.channel.write.WriteData;
import io.terrace.channel.write.WriteFrame;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Connections on which clients write, with blocks that are in memory. */
@Timeout(60)
final class WriteServiceTest {
    private static final int FINALIZED = WriteFrame.FINALIZED | WriteFrame.ALL_FINALIZED;
    private static final long LONG_NS = TimeUnit.MINUTES.toNanos(5);

    private final MetricRegistry figures = new MetricRegistry();
    private final FakeStore store = new FakeStore();
    private final List<AutoCloseable> toClose = new ArrayList<>();
    private final CountDownLatch ended = new CountDownLatch(1);
    private ServerSocketChannel listener;

    private WriteService service(int connections, long silenceNs, long idleNs) {
        WriteService service = new WriteService(
                "test",
                store,
                new WriteLimits(connections, silenceNs, idleNs, 1 << 20),
                new WriteMeter(figures),
                LandingWindows.NONE);
        toClose.add(service);
        return service;
    }

    @BeforeEach
    void listen() throws IOException {
        listener = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        toClose.add(listener);
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : toClose) {
            each.close();
        }
    }

    private FrameChannel connect(WriteService service, byte[] early) throws IOException {
        SocketChannel client = SocketChannel.open(listener.getLocalAddress());
        toClose.add(client);
        service.accept(new AcceptedConnection(
                listener.accept(), ByteBuffer.wrap(early), "client", "server", false, ended::countDown));
        return new FrameChannel(client);
    }

    private static ByteBuffer open(String name) {
        byte[] body = name.getBytes(StandardCharsets.UTF_8);
        ByteBuffer out = ByteBuffer.allocate(WriteFrame.HEADER_BYTES + body.length);
        new WriteFrame(body.length, WriteFrame.OPEN, (byte) 0, 0).encode(out);
        return out.put(body).flip();
    }

    private static ByteBuffer data(long offset, byte[] bytes, int firstSum, int flags, long number) {
        WriteData fields = new WriteData(offset, bytes.length);
        WriteFrame frame = fields.frame(FakeStore.CHUNK_BYTES, flags, number);
        ByteBuffer out = ByteBuffer.allocate(WriteFrame.HEADER_BYTES + frame.bodyBytes());
        frame.encode(out);
        fields.encode(out);
        if (bytes.length > 0) {
            out.putInt(firstSum);
        }
        return out.put(out.capacity() - bytes.length, bytes).clear();
    }

    private static byte[] bytes(int count) {
        byte[] bytes = new byte[count];
        new Random(count).nextBytes(bytes);
        return bytes;
    }

    private static String answer(FrameChannel channel, byte type) throws IOException {
        WriteFrame frame = channel.receive();
        assertThat(frame).isNotNull();
        assertThat(frame.type()).isEqualTo(type);
        ByteBuffer body = ByteBuffer.allocate(frame.bodyBytes());
        channel.receiveBody(body);
        return new String(body.array(), StandardCharsets.UTF_8);
    }

    private static void expectAck(FrameChannel channel, long number, long bytes, int flags) throws IOException {
        WriteFrame frame = channel.receive();
        assertThat(frame).isEqualTo(new WriteFrame(WriteAck.BYTES, WriteFrame.ACK, (byte) flags, number));
        ByteBuffer body = ByteBuffer.allocate(WriteAck.BYTES);
        channel.receiveBody(body);
        assertThat(WriteAck.decode(frame, body.flip())).isEqualTo(new WriteAck(bytes, number, bytes));
    }

    @Test
    void blocks_oneAfterAnother_areWrittenByTheThreadThatOpenedThem() throws Exception {
        WriteService service = service(4, LONG_NS, LONG_NS);
        FrameChannel client = connect(service, open("first").array());
        assertThat(answer(client, WriteFrame.OPENED)).isEqualTo("yes");
        byte[] contents = bytes(WriteFrame.MAX_DATA_BYTES);
        client.send(data(0, contents, 0, WriteFrame.SYNC, 1));
        expectAck(client, 1, contents.length, 0);
        client.send(data(contents.length, new byte[0], 0, WriteFrame.LAST | WriteFrame.SYNC, 2));
        expectAck(client, 2, contents.length, FINALIZED);
        assertThat(store.block(0).written.toByteArray()).isEqualTo(contents);
        assertThat(store.block(0).state).isEqualTo("finished, synced");
        assertThat(store.block(0).syncs).isEqualTo(2);
        assertThat(store.block(0).acknowledged).isEqualTo(contents.length);
        assertThat(store.block(0).frames).isEqualTo(2);
        // A thread that waits for the next block is not busy.
        await().until(() -> store.busy.get() == 0);

        client.send(open("second"));
        assertThat(answer(client, WriteFrame.OPENED)).isEqualTo("yes");
        assertThat(store.busy.get()).isEqualTo(1);
        client.send(data(0, bytes(700), 0, 0, 1));
        client.send(data(512, new byte[600], 0, WriteFrame.LAST, 2));
        expectAck(client, 1, 700, 0);
        expectAck(client, 2, 1_112, FINALIZED);
        assertThat(store.block(1).state).isEqualTo("finished");
        assertThat(store.block(1).writer).isEqualTo(store.block(0).writer);
        assertThat(figures.value(Metric.CHANNEL_WRITE_BLOCKS)).isEqualTo(2);
        client.close();
        ended.await();
        assertThat(service.connections()).isZero();
        assertThat(store.busy.get()).isZero();
    }

    @Test
    void refusal_isAnsweredAndEndsTheConnection() throws Exception {
        FrameChannel client = connect(service(4, LONG_NS, LONG_NS), new byte[0]);
        client.send(open("nothing"));
        assertThat(answer(client, WriteFrame.OPENED)).isEqualTo("not nothing");
        assertThat(client.receive()).isNull();
        assertThat(figures.value(Metric.CHANNEL_WRITE_REFUSED)).isEqualTo(1);
    }

    /** The request may be to finalise what is there: then the next block may be opened. */
    @Test
    void block_thatIsFinished_isAnswered_andNoDataExpected() throws Exception {
        FrameChannel client = connect(service(4, LONG_NS, LONG_NS), new byte[0]);
        client.send(open("done"));
        assertThat(answer(client, WriteFrame.OPENED)).isEqualTo("yes");
        client.send(open("next"));
        assertThat(answer(client, WriteFrame.OPENED)).isEqualTo("yes");
        assertThat(store.blocks).hasSize(1);
    }

    /** The client has been told that it is: a failure after that is of no block. */
    @Test
    void failure_afterABlockIsFinalised_isNotSaid() throws Exception {
        FrameChannel channel = connect(service(2, LONG_NS, LONG_NS), new byte[0]);
        channel.send(open("stuck"));
        assertThat(answer(channel, WriteFrame.OPENED)).isEqualTo("yes");
        channel.send(data(0, bytes(100), 1, WriteFrame.LAST, 1));
        expectAck(channel, 1, 100, FINALIZED);
        assertThat(channel.receive()).isNull();
    }

    @Test
    void numbers_thatDoNotIncrease_endTheConnection() throws Exception {
        FrameChannel client = connect(service(4, LONG_NS, LONG_NS), open("file").array());
        assertThat(answer(client, WriteFrame.OPENED)).isEqualTo("yes");
        client.send(data(0, bytes(512), 0, 0, 7));
        expectAck(client, 7, 512, 0);
        client.send(data(512, bytes(512), 0, 0, 7));
        assertThat(answer(client, WriteFrame.FAILED)).contains("frame 7 after frame 7");
    }

    /** What the client still sends is taken, so that it is not reset before it reads why the block ended. */
    @Test
    void failure_isRead_howeverMuchTheClientHasSent() throws Exception {
        for (int round = 0; round < 20; round++) {
            FrameChannel client =
                    connect(service(4, LONG_NS, LONG_NS), open("file").array());
            assertThat(answer(client, WriteFrame.OPENED)).isEqualTo("yes");
            client.send(data(0, bytes(100), -1, 0, 1));
            for (int frame = 0; frame < 4; frame++) {
                client.send(data(0, bytes(WriteFrame.MAX_DATA_BYTES), 0, 0, frame + 2));
            }
            assertThat(answer(client, WriteFrame.FAILED)).isEqualTo("wrong checksum");
            client.close();
        }
    }

    @Test
    void failure_withinAFrame_leavesTheBlock_andSaysWhy() throws Exception {
        FrameChannel client = connect(service(4, LONG_NS, LONG_NS), new byte[0]);
        client.send(open("file"));
        assertThat(answer(client, WriteFrame.OPENED)).isEqualTo("yes");
        client.send(data(0, bytes(100), -1, WriteFrame.LAST, 1));
        assertThat(answer(client, WriteFrame.FAILED)).isEqualTo("wrong checksum");
        assertThat(client.receive()).isNull();
        client.close();
        ended.await();
        assertThat(store.block(0).state).isEqualTo("left");
        assertThat(figures.value(Metric.CHANNEL_WRITE_FAILED)).isEqualTo(1);
    }

    @Test
    void firstFrame_thatOpensNothing_endsTheConnection() throws Exception {
        FrameChannel client = connect(service(4, LONG_NS, LONG_NS), new byte[0]);
        client.send(data(0, new byte[0], 0, 0, 1));
        assertThat(client.receive()).isNull();
        client.close();
        ended.await();
        assertThat(store.blocks).isEmpty();
    }

    @Test
    void silence_withinABlock_isCut() throws Exception {
        FrameChannel client = connect(service(4, 1, LONG_NS), open("file").array());
        while (client.receive() != null) {
            // An answer, if there was time for it.
            client.receiveBody(ByteBuffer.allocate("yes".length()));
        }
        ended.await();
        assertThat(figures.value(Metric.CHANNEL_WRITE_CUT)).isEqualTo(1);
    }

    @Test
    void silence_betweenBlocks_endsTheConnection_andIsNoFault() throws Exception {
        FrameChannel client = connect(service(4, LONG_NS, 1), open("file").array());
        assertThat(answer(client, WriteFrame.OPENED)).isEqualTo("yes");
        client.send(data(0, bytes(700), 0, WriteFrame.LAST, 1));
        expectAck(client, 1, 700, FINALIZED);
        assertThat(client.receive()).isNull();
        ended.await();
        assertThat(figures.value(Metric.CHANNEL_WRITE_CUT)).isZero();
    }

    @Test
    void pings_betweenBlocks_areNoProgress() throws Exception {
        FrameChannel client = connect(
                service(4, LONG_NS, TimeUnit.SECONDS.toNanos(1)), open("file").array());
        assertThat(answer(client, WriteFrame.OPENED)).isEqualTo("yes");
        client.send(data(0, bytes(700), 0, WriteFrame.LAST, 1));
        expectAck(client, 1, 700, FINALIZED);
        ByteBuffer ping = ByteBuffer.allocate(WriteFrame.HEADER_BYTES);
        new WriteFrame(0, WriteFrame.PING, (byte) 0, 0).encode(ping);
        ping.flip();
        await().pollInterval(20, TimeUnit.MILLISECONDS).until(() -> {
            try {
                client.send(ping.duplicate());
            } catch (IOException e) {
                // Cut.
            }
            return ended.getCount() == 0;
        });
        assertThat(figures.value(Metric.CHANNEL_WRITE_CUT)).isZero();
    }

    @Test
    void bytes_afterARefusal_areNoProgress() throws Exception {
        FrameChannel client = connect(service(4, LONG_NS, TimeUnit.SECONDS.toNanos(1)), new byte[0]);
        client.send(open("nothing"));
        assertThat(answer(client, WriteFrame.OPENED)).isEqualTo("not nothing");
        await().pollInterval(20, TimeUnit.MILLISECONDS).until(() -> {
            try {
                client.send(ByteBuffer.allocate(1));
            } catch (IOException e) {
                // Cut.
            }
            return ended.getCount() == 0;
        });
    }

    @Test
    void connections_ofOneHost_leaveSomeForOthers() throws Exception {
        WriteService service = service(4, LONG_NS, LONG_NS);
        connect(service, new byte[0]);
        connect(service, new byte[0]);
        assertThatThrownBy(() -> connect(service, new byte[0])).hasMessageContaining("share of 127.0.0.1");
        assertThat(service.connections()).isEqualTo(2);
    }

    @Test
    void connections_beyondTheLimit_areRefused_untilOneEnds() throws Exception {
        WriteService service = service(1, LONG_NS, LONG_NS);
        FrameChannel client = connect(service, new byte[0]);
        assertThatThrownBy(() -> connect(service, new byte[0])).isInstanceOf(IOException.class);
        assertThat(figures.value(Metric.CHANNEL_WRITE_CONNECTIONS_REFUSED)).isEqualTo(1);
        client.close();
        ended.await();
        while (service.connections() > 0) {
            Thread.onSpinWait();
        }
        FrameChannel next = connect(service, open("file").array());
        assertThat(answer(next, WriteFrame.OPENED)).isEqualTo("yes");
    }

    @Test
    void close_endsThoseThatWrite() throws Exception {
        WriteService service = service(4, LONG_NS, LONG_NS);
        FrameChannel client = connect(service, open("file").array());
        assertThat(answer(client, WriteFrame.OPENED)).isEqualTo("yes");
        service.close();
        assertThat(store.block(0).state).isEqualTo("left");
        assertThat(store.block(0).writer.isAlive()).isFalse();
        assertThatThrownBy(() -> connect(service, new byte[0])).isInstanceOf(IOException.class);
    }

    /** Whatever comes, the connection ends and every block that was opened is finished or left. */
    @Test
    void garbage_endsTheConnection() throws Exception {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        WriteService service = service(64, LONG_NS, LONG_NS);
        for (int round = 0; round < 300; round++) {
            FrameChannel client =
                    connect(service, random.nextBoolean() ? open("file").array() : new byte[0]);
            byte[] noise = data(0, bytes(random.nextInt(3_000)), 0, random.nextInt(8), 1)
                    .array();
            for (int change = random.nextInt(4); change >= 0; change--) {
                noise[random.nextInt(Math.min(noise.length, 30))] = (byte) random.nextInt();
            }
            client.send(ByteBuffer.wrap(noise));
            client.close();
        }
        while (service.connections() > 0) {
            Thread.sleep(1);
        }
        assertThat(store.blocks).as("seed %d", seed).isNotEmpty().noneMatch(block -> block.state.equals("open"));
    }
}
