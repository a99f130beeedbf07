package io.terrace.channel.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.channel.FakeDataNode;
import io.terrace.channel.Message;
import io.terrace.channel.MessageCodec;
import io.terrace.channel.tcp.TcpFrame;
import io.terrace.channel.tcp.TcpLimits;
import io.terrace.channel.tcp.server.MessageHandler;
import io.terrace.channel.tcp.server.TcpListener;
import io.terrace.channel.tcp.server.TcpSession;
import io.terrace.channel.write.AcceptedConnection;
import io.terrace.channel.write.FrameChannel;
import io.terrace.channel.write.WriteFrame;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Connections whose clients ask to write: a listener hands them over with all that came, and counts them until they end. */
@Timeout(60)
class StartWritesTest {
    private static final int CONNECTIONS = 4;

    @TempDir
    Path dir;

    private final LinkedBlockingQueue<AcceptedConnection> accepted = new LinkedBlockingQueue<>();
    private final AtomicInteger cuts = new AtomicInteger();
    private final List<SocketChannel> opened = new ArrayList<>();
    private FakeDataNode node;
    private TcpListener listener;

    private final class Handler implements MessageHandler {
        @Override
        public void message(TcpSession session, ByteBuffer message) {}

        @Override
        public void writes(AcceptedConnection connection) throws IOException {
            take(connection);
        }

        @Override
        public void refused() {}

        @Override
        public void cut() {
            cuts.incrementAndGet();
        }

        @Override
        public void ended(TcpSession session) {}
    }

    @BeforeEach
    void start() throws IOException {
        GrantLimits limits = new GrantLimits(64, CONNECTIONS, CONNECTIONS, 10_000, 60_000, 60_000);
        node = new FakeDataNode(Files.createDirectory(dir.resolve("channel")), dir.resolve("memory"), "dn-1", limits);
        node.server().serveWrites(this::take);
        listener = TcpListener.open(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                new TcpLimits(CONNECTIONS, CONNECTIONS, 1, 64, 1 << 20, 20_000, 60_000),
                new Handler());
    }

    @AfterEach
    void stop() throws IOException {
        for (SocketChannel channel : opened) {
            channel.close();
        }
        node.close();
        listener.close();
    }

    private void take(AcceptedConnection connection) throws IOException {
        if (connection.early().remaining() == 1) {
            throw new IOException("not this one");
        }
        accepted.add(connection);
    }

    private SocketChannel connect(boolean local) throws IOException {
        SocketChannel channel = local ? SocketChannel.open(StandardProtocolFamily.UNIX) : SocketChannel.open();
        channel.connect(local ? UnixDomainSocketAddress.of(node.server().socket()) : listener.address());
        opened.add(channel);
        return channel;
    }

    private static ByteBuffer first(boolean local) {
        return local ? MessageCodec.encode(new Message.StartWrites()) : TcpFrame.startWrites();
    }

    private static ByteBuffer join(ByteBuffer... parts) {
        ByteBuffer out = ByteBuffer.allocate(4_096);
        for (ByteBuffer part : parts) {
            out.put(part);
        }
        return out.flip();
    }

    private static ByteBuffer ping(long number) {
        ByteBuffer out = ByteBuffer.allocate(WriteFrame.HEADER_BYTES);
        new WriteFrame(0, WriteFrame.PING, (byte) 0, number).encode(out);
        return out.flip();
    }

    private AcceptedConnection nextAccepted() throws InterruptedException {
        return Objects.requireNonNull(accepted.poll(20, TimeUnit.SECONDS), "no connection was handed over");
    }

    private long count(boolean local) {
        return local ? node.metricRegistry.value(Metric.CHANNEL_CONNECTIONS) : listener.connections();
    }

    @Test
    void connection_isHandedOver_withWhatCameEarly_andCountsUntilItEnds() throws Exception {
        for (boolean local : new boolean[] {true, false}) {
            SocketChannel client = connect(local);
            client.write(join(first(local), ping(1), ping(2).limit(5)));
            AcceptedConnection connection = nextAccepted();
            assertThat(connection.channel().isBlocking()).isTrue();
            assertThat(connection.from()).startsWith(local ? "unix:" : "/");
            FrameChannel frames = new FrameChannel(connection.channel(), connection.early());
            assertThat(frames.receive()).isEqualTo(new WriteFrame(0, WriteFrame.PING, (byte) 0, 1));
            client.write(ping(2).position(5));
            assertThat(frames.receive()).isEqualTo(new WriteFrame(0, WriteFrame.PING, (byte) 0, 2));
            frames.send(ping(3));
            assertThat(new FrameChannel(client).receive()).isEqualTo(new WriteFrame(0, WriteFrame.PING, (byte) 0, 3));
            assertThat(count(local)).isEqualTo(1);
            frames.close();
            connection.ended().run();
            assertThat(count(local)).isZero();
        }
    }

    /** A connection that was handed over; null if the server closed it, be it before anything was written. */
    private @Nullable AcceptedConnection tryOne(boolean local) throws Exception {
        SocketChannel client = connect(local);
        try {
            client.write(first(local));
            client.configureBlocking(false);
            for (int i = 0; i < 1_000; i++) {
                AcceptedConnection connection = accepted.poll(20, TimeUnit.MILLISECONDS);
                if (connection != null) {
                    return connection;
                }
                if (client.read(ByteBuffer.allocate(1)) < 0) {
                    return null;
                }
            }
        } catch (IOException e) {
            return null;
        }
        throw new AssertionError("neither handed over nor closed");
    }

    @Test
    void connections_thatWrite_countAgainstTheLimit() throws Exception {
        for (boolean local : new boolean[] {true, false}) {
            List<AcceptedConnection> taken = new ArrayList<>();
            SocketChannel client = connect(local);
            client.write(first(local));
            taken.add(nextAccepted());
            AcceptedConnection next = tryOne(local);
            while (next != null) {
                taken.add(next);
                next = tryOne(local);
            }
            assertThat(taken).hasSizeBetween(1, CONNECTIONS);
            for (AcceptedConnection connection : taken) {
                connection.channel().close();
                connection.ended().run();
            }
            SocketChannel late = connect(local);
            late.write(first(local));
            nextAccepted().ended().run();
        }
    }

    @Test
    void connection_thatIsNotServed_isClosed() throws Exception {
        for (boolean local : new boolean[] {true, false}) {
            SocketChannel client = connect(local);
            client.write(join(first(local), ByteBuffer.allocate(1)));
            assertThat(client.read(ByteBuffer.allocate(1))).isEqualTo(-1);
            await().until(() -> count(local) == 0);
        }
    }

    @Test
    void wish_thatIsNotTheFirst_orHasABody_cutsTheConnection() throws Exception {
        SocketChannel local = connect(true);
        local.write(join(MessageCodec.encode(new Message.Hello("client")), first(true)));
        assertThat(ended(local)).isTrue();

        SocketChannel talked = connect(false);
        ByteBuffer message =
                ByteBuffer.allocate(TcpFrame.HEADER_BYTES + 1).putInt(0, 1).put(TcpFrame.TYPE_AT, TcpFrame.MESSAGE);
        talked.write(join(message, first(false)));
        assertThat(ended(talked)).isTrue();

        SocketChannel withBody = connect(false);
        withBody.write(join(first(false).putInt(0, 1), ByteBuffer.allocate(1)));
        assertThat(ended(withBody)).isTrue();
        assertThat(accepted).isEmpty();
        assertThat(cuts.get()).isEqualTo(2);
    }

    private static boolean ended(SocketChannel channel) throws IOException {
        int got = 0;
        while (got >= 0) {
            got = channel.read(ByteBuffer.allocate(1_000));
        }
        return true;
    }
}
