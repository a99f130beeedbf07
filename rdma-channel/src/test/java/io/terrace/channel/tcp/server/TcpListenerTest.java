package io.terrace.channel.tcp.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.channel.tcp.TcpExtent;
import io.terrace.channel.tcp.TcpFrame;
import io.terrace.channel.tcp.TcpLimits;
import io.terrace.channel.tcp.TcpLink;
import io.terrace.channel.transport.ChunkChecksums;
import io.terrace.channel.transport.ExtentRange;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a listener does where the process is short of file descriptors, and how few it takes itself. */
final class TcpListenerTest {
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(20);
    private static final int LENGTH = 100_000;

    @TempDir
    Path dir;

    private final ReceivedMessages received = new ReceivedMessages();

    @Test
    void accept_thatFails_isTriedAgain() throws Exception {
        FailingServer server = new FailingServer(2);
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        try (TcpListener listener = TcpListener.serve(server, TcpLimits.DEFAULT, received);
                TcpLink link = TcpLink.connect(listener.address(), TcpLimits.DEFAULT, TIMEOUT_NS)) {
            link.send(ByteBuffer.wrap(new byte[] {7}), TIMEOUT_NS);
            assertThat(received.next(TIMEOUT_NS)).isEqualTo(ByteBuffer.wrap(new byte[] {7}));
            assertThat(server.failuresLeft.get()).isNegative();
        }
    }

    @Test
    void ranges_ofOneFileUnderManyNames_shareADescriptor_untilTheLastIsGone() throws Exception {
        byte[] content = new byte[LENGTH];
        content[4] = 9;
        Path file = Files.write(dir.resolve("extent"), content);
        InetSocketAddress anywhere = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (TcpListener listener = TcpListener.open(anywhere, TcpLimits.DEFAULT, received);
                TcpLink link = TcpLink.connect(listener.address(), TcpLimits.DEFAULT, TIMEOUT_NS)) {
            List<TcpRange> ranges = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                Path name = Files.createLink(dir.resolve("link" + i), file);
                ranges.add(listener.register(new ExtentRange(name, 0, LENGTH), ChunkChecksums.NONE));
                Files.delete(name);
            }
            Path other = Files.write(dir.resolve("other"), new byte[LENGTH]);
            TcpRange ofAnother = listener.register(new ExtentRange(other, 0, LENGTH), ChunkChecksums.NONE);
            assertThat(listener.openFiles()).isEqualTo(2);
            for (TcpRange range : ranges.subList(1, ranges.size())) {
                listener.revoke(range.key, () -> {});
            }
            listener.deregister(ofAnother.key);
            assertThat(listener.openFiles()).isEqualTo(1);
            try (TcpExtent region = link.attach(ranges.get(0).key, TIMEOUT_NS)) {
                ByteBuffer target = ByteBuffer.allocate(1);
                region.read(4, target, TIMEOUT_NS);
                assertThat(target.get(0)).isEqualTo((byte) 9);
            }
            listener.revoke(ranges.get(0).key, () -> {});
            // The listener may still learn that the extent was closed.
            await().untilAsserted(() -> assertThat(listener.openFiles()).isZero());
        }
    }

    @Test
    void attach_ofOneRangeAgainAndAgain_isRefusedBeyondItsLimit_andVoidOnesMakeRoom() throws Exception {
        int count = 70_000;
        Path file = Files.write(dir.resolve("extent"), new byte[LENGTH]);
        InetSocketAddress anywhere = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (TcpListener listener = TcpListener.open(anywhere, TcpLimits.DEFAULT, received);
                SocketChannel hostile = SocketChannel.open(listener.address())) {
            TcpRange range = listener.register(new ExtentRange(file, 0, LENGTH), ChunkChecksums.NONE);
            writeAll(hostile, ByteBuffer.allocate(TcpFrame.HEADER_BYTES).put(TcpFrame.TYPE_AT, TcpFrame.MESSAGE));
            TcpSession session = Objects.requireNonNull(received.nextSession(TIMEOUT_NS));
            hostile.socket().setSoTimeout(20_000);
            CompletableFuture<Void> asking =
                    CompletableFuture.runAsync(() -> writeAll(hostile, attaches(range, count)));
            int granted = AttachedRanges.MOST * (TcpFrame.HEADER_BYTES + TcpFrame.ATTACHED_BYTES);
            int refused = (count - AttachedRanges.MOST) * TcpFrame.HEADER_BYTES;
            assertThat(hostile.socket().getInputStream().readNBytes(granted + refused))
                    .hasSize(granted + refused);
            asking.join();
            assertThat(session.attachedCount()).isEqualTo(AttachedRanges.MOST);

            listener.revoke(range.key, () -> {});
            TcpRange other = listener.register(new ExtentRange(file, 0, LENGTH), ChunkChecksums.NONE);
            writeAll(hostile, attaches(other, 1));
            int one = TcpFrame.HEADER_BYTES + TcpFrame.ATTACHED_BYTES;
            assertThat(hostile.socket().getInputStream().readNBytes(one)).hasSize(one);
            assertThat(session.attachedCount()).isEqualTo(1);
        }
    }

    @Test
    void connections_takeNoMemoryBesideTheHeap() throws Exception {
        Path file = Files.write(dir.resolve("extent"), new byte[LENGTH]);
        InetSocketAddress anywhere = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        List<SocketChannel> clients = new ArrayList<>();
        try (TcpListener listener = TcpListener.open(anywhere, TcpLimits.DEFAULT, received)) {
            TcpRange range = listener.register(new ExtentRange(file, 0, LENGTH), ChunkChecksums.NONE);
            clients.add(attached(listener, range));
            long before = directBytes();
            for (int i = 0; i < 200; i++) {
                clients.add(attached(listener, range));
            }
            assertThat(directBytes() - before).isLessThan(256 * 1024);
        } finally {
            for (SocketChannel client : clients) {
                client.close();
            }
        }
    }

    /** Attaches, and has sent a part of the next request too. */
    private static SocketChannel attached(TcpListener listener, TcpRange range) throws IOException {
        SocketChannel client = SocketChannel.open(listener.address());
        ByteBuffer requests = attaches(range, 2);
        writeAll(client, requests.limit(requests.limit() - 1));
        client.socket().setSoTimeout(20_000);
        int answerBytes = TcpFrame.HEADER_BYTES + TcpFrame.ATTACHED_BYTES;
        assertThat(client.socket().getInputStream().readNBytes(answerBytes)).hasSize(answerBytes);
        return client;
    }

    private static long directBytes() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
    }

    private static ByteBuffer attaches(TcpRange range, int count) {
        ByteBuffer requests = ByteBuffer.allocate(count * (TcpFrame.HEADER_BYTES + TcpFrame.ATTACH_BYTES));
        for (int i = 0; i < count; i++) {
            requests.putInt(TcpFrame.ATTACH_BYTES)
                    .put(TcpFrame.ATTACH)
                    .put(new byte[TcpFrame.HEADER_BYTES - TcpFrame.STATUS_AT]);
            requests.putLong(range.key.high()).putLong(range.key.low());
            requests.putLong(range.key.address()).putLong(LENGTH).put((byte) 0);
        }
        return requests.flip();
    }

    private static void writeAll(SocketChannel to, ByteBuffer bytes) {
        try {
            while (bytes.hasRemaining()) {
                to.write(bytes);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A socket whose first accepts fail as without a free file descriptor. */
    private static final class FailingServer extends ServerSocketChannel {
        private final ServerSocketChannel real = ServerSocketChannel.open();
        private final AtomicInteger failuresLeft;

        FailingServer(int failures) throws IOException {
            super(java.nio.channels.spi.SelectorProvider.provider());
            failuresLeft = new AtomicInteger(failures);
        }

        @Override
        public SocketChannel accept() throws IOException {
            if (failuresLeft.getAndDecrement() > 0) {
                throw new IOException("Too many open files");
            }
            return real.accept();
        }

        @Override
        public ServerSocketChannel bind(SocketAddress local, int backlog) throws IOException {
            real.bind(local, backlog);
            return this;
        }

        @Override
        public <T> ServerSocketChannel setOption(SocketOption<T> name, T value) throws IOException {
            real.setOption(name, value);
            return this;
        }

        @Override
        public <T> T getOption(SocketOption<T> name) throws IOException {
            return real.getOption(name);
        }

        @Override
        public Set<SocketOption<?>> supportedOptions() {
            return real.supportedOptions();
        }

        @Override
        public ServerSocket socket() {
            return real.socket();
        }

        @Override
        public SocketAddress getLocalAddress() throws IOException {
            return real.getLocalAddress();
        }

        @Override
        protected void implCloseSelectableChannel() throws IOException {
            real.close();
        }

        @Override
        protected void implConfigureBlocking(boolean block) throws IOException {
            real.configureBlocking(block);
        }
    }
}
