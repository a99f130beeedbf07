package io.terrace.channel.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.terrace.channel.transport.ChannelException;
import io.terrace.channel.transport.TransferStatus;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** One connection; the test is the other side of a pair of sockets. */
abstract class RequestMultiplexerFixture {
    static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(20);
    static final long SHORT_NS = TimeUnit.MILLISECONDS.toNanos(5);
    static final int MAX_OPERATIONS = 3;
    static final long MAX_BYTES = 100;
    static final byte RESERVED = 8;

    @TempDir
    Path dir;

    final List<ByteBuffer> messages = new ArrayList<>();
    final List<ByteBuffer> resident = new ArrayList<>();
    SocketChannel peer;
    Selector selector;
    RequestMultiplexer multiplexer;

    @BeforeEach
    void start() throws IOException {
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(dir.resolve("socket"));
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(address);
            channel.connect(address);
            peer = server.accept();
        }
        channel.configureBlocking(false);
        selector = Selector.open();
        channel.register(selector, SelectionKey.OP_READ);
        TcpLimits limits = new TcpLimits(1, 1, 1, MAX_OPERATIONS, MAX_BYTES, 20_000, 300_000);
        multiplexer = new RequestMultiplexer(channel, selector, limits, new RequestMultiplexer.Unasked() {
            @Override
            public void message(ByteBuffer message) {
                messages.add(message);
            }

            @Override
            public void resident(ByteBuffer body) {
                resident.add(ByteBuffer.allocate(body.remaining()).put(body).flip());
            }
        });
    }

    @AfterEach
    void stop() throws IOException {
        multiplexer.close();
        peer.close();
    }

    static long in(long timeoutNs) {
        return System.nanoTime() + timeoutNs;
    }

    TcpRequest begin(ByteBuffer target) throws IOException {
        return begin(target, TIMEOUT_NS);
    }

    TcpRequest begin(ByteBuffer target, long timeoutNs) throws IOException {
        return multiplexer.begin(
                TcpFrame.READ, ByteBuffer.wrap(new byte[] {1, 2}), new BufferSink(target), in(timeoutNs));
    }

    void await(TcpRequest request) throws IOException {
        multiplexer.await(request, in(TIMEOUT_NS));
    }

    /** The number of the request that comes next. */
    long asked() throws IOException {
        ByteBuffer frame = ByteBuffer.allocate(TcpFrame.HEADER_BYTES + 2);
        while (frame.hasRemaining()) {
            assertThat(peer.read(frame)).isPositive();
        }
        assertThat(frame.getInt(0)).isEqualTo(2);
        assertThat(frame.get(TcpFrame.TYPE_AT)).isEqualTo(TcpFrame.READ);
        assertThat(frame.get(TcpFrame.HEADER_BYTES + 1)).isEqualTo((byte) 2);
        return frame.getLong(TcpFrame.NUMBER_AT);
    }

    void say(byte type, TransferStatus status, long number, int... body) throws IOException {
        ByteBuffer frame = ByteBuffer.allocate(TcpFrame.HEADER_BYTES + body.length);
        frame.putInt(body.length).put(type).put(TcpFrame.code(status)).putShort((short) 0);
        frame.putLong(number);
        for (int value : body) {
            frame.put((byte) value);
        }
        frame.flip();
        while (frame.hasRemaining()) {
            peer.write(frame);
        }
    }

    void answer(long number, int... body) throws IOException {
        say(TcpFrame.DATA, TransferStatus.DONE, number, body);
    }

    static void assertEnds(ThrowingCallable wait, TransferStatus status) {
        assertThatThrownBy(wait)
                .asInstanceOf(type(ChannelException.class))
                .extracting(ChannelException::status)
                .isEqualTo(status);
    }

    CompletableFuture<Void> inBackground(IoTask task) {
        return CompletableFuture.runAsync(() -> {
            try {
                task.run();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    interface IoTask {
        void run() throws IOException;
    }
}
