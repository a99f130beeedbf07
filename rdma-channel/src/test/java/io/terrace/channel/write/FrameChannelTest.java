package io.terrace.channel.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class FrameChannelTest {
    private SocketChannel near;
    private SocketChannel far;

    @BeforeEach
    void connect() throws IOException {
        try (ServerSocketChannel server =
                ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            near = SocketChannel.open(server.getLocalAddress());
            far = server.accept();
        }
    }

    @AfterEach
    void close() throws IOException {
        near.close();
        far.close();
    }

    private static ByteBuffer frame(WriteFrame header, byte[] body) {
        ByteBuffer out = ByteBuffer.allocate(WriteFrame.HEADER_BYTES + body.length);
        header.encode(out);
        return out.put(body).flip();
    }

    private static byte[] body(FrameChannel from, WriteFrame frame) throws IOException {
        ByteBuffer body = ByteBuffer.allocateDirect(frame.bodyBytes());
        from.receiveBody(body);
        byte[] bytes = new byte[frame.bodyBytes()];
        body.flip().get(bytes);
        return bytes;
    }

    /** What came early is taken first, wherever it was cut. */
    @Test
    void receive_afterEarlyBytes_givesTheSameFrames() throws Exception {
        byte[] body = new byte[50];
        new Random(7).nextBytes(body);
        WriteFrame open = new WriteFrame(body.length, WriteFrame.OPEN, (byte) 0, 3);
        WriteFrame ping = new WriteFrame(0, WriteFrame.PING, (byte) 0, 4);
        byte[] sent = new byte[2 * WriteFrame.HEADER_BYTES + body.length];
        ByteBuffer.wrap(sent).put(frame(open, body)).put(frame(ping, new byte[0]));
        for (int early = 0; early <= sent.length; early++) {
            FrameChannel channel = new FrameChannel(far, ByteBuffer.wrap(Arrays.copyOf(sent, early)));
            new FrameChannel(near).send(ByteBuffer.wrap(sent, early, sent.length - early));
            WriteFrame first = channel.receive();
            assertThat(first).isEqualTo(open);
            assertThat(body(channel, open)).isEqualTo(body);
            assertThat(channel.receive()).isEqualTo(ping);
        }
    }

    @Test
    void receive_atTheEnd_isNullBetweenFramesOnly() throws Exception {
        FrameChannel channel = new FrameChannel(far);
        near.write(frame(new WriteFrame(5, WriteFrame.OPEN, (byte) 0, 1), new byte[4]));
        near.close();
        WriteFrame open = channel.receive();
        assertThat(open).isNotNull();
        assertThatThrownBy(() -> body(channel, open)).isInstanceOf(EOFException.class);
        assertThat(channel.receive()).isNull();
    }

    @Test
    void receive_ofHalfAHeader_isAnError() throws Exception {
        FrameChannel channel = new FrameChannel(far);
        near.write(ByteBuffer.allocate(WriteFrame.HEADER_BYTES - 1));
        near.close();
        assertThatThrownBy(channel::receive).isInstanceOf(EOFException.class);
    }

    /** A call that waits is seen to stall, and ends when the channel is closed. */
    @Test
    void close_duringAStalledReceive_endsIt() throws Exception {
        FrameChannel channel = new FrameChannel(far);
        assertThat(channel.isStalled(Long.MAX_VALUE, 0)).isFalse();
        CompletableFuture<@Nullable Exception> ended = inBackground(channel);
        while (!channel.isStalled(System.nanoTime(), TimeUnit.MILLISECONDS.toNanos(1))) {
            Thread.onSpinWait();
        }
        channel.close();
        assertThat(ended.get()).isInstanceOf(AsynchronousCloseException.class);
        assertThat(channel.isStalled(System.nanoTime() + 1_000_000_000, 0)).isFalse();
    }

    @Test
    void interrupt_ofAReceive_closesTheChannel() throws Exception {
        FrameChannel channel = new FrameChannel(far);
        Thread.currentThread().interrupt();
        assertThatThrownBy(channel::receive).isInstanceOf(ClosedByInterruptException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(far.isOpen()).isFalse();
    }

    private static CompletableFuture<@Nullable Exception> inBackground(FrameChannel channel) {
        CompletableFuture<@Nullable Exception> ended = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                channel.receive();
                ended.complete(null);
            } catch (IOException e) {
                ended.complete(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return ended;
    }
}
