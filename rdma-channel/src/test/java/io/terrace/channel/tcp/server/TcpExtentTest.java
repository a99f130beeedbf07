package io.terrace.channel.tcp.server;

import io.terrace.channel.tcp.TcpLimits;
import io.terrace.channel.tcp.TcpLink;
import io.terrace.channel.transport.ChunkChecksums;
import io.terrace.channel.transport.ExtentRange;
import io.terrace.channel.transport.RegionKey;
import io.terrace.channel.transport.RemoteExtent;
import io.terrace.channel.transport.RemoteExtentContract;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The contract of remote extents over tcp. */
final class TcpExtentTest extends RemoteExtentContract {
    private final ReceivedMessages received = new ReceivedMessages();
    private TcpListener listener;
    private TcpLink link;

    @Override
    protected Client connected() throws IOException {
        InetSocketAddress anywhere = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        listener = TcpListener.open(anywhere, TcpLimits.DEFAULT, received);
        link = TcpLink.connect(listener.address(), TcpLimits.DEFAULT, patienceNs());
        return new Connecting(link, patienceNs());
    }

    @Override
    protected End server() throws Exception {
        // A listener shows a session with its first message.
        link.send(ByteBuffer.allocate(1), patienceNs());
        return new Accepted(Objects.requireNonNull(received.nextSession(5 * patienceNs())), received);
    }

    @Override
    protected void connectInVain() throws IOException {
        int port;
        try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = probe.getLocalPort();
        }
        InetSocketAddress nobody = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        TcpLink.connect(nobody, TcpLimits.DEFAULT, SECOND_NS).close();
    }

    @Override
    protected RegionKey register(ExtentRange range) throws IOException {
        return listener.register(range, ChunkChecksums.NONE).key;
    }

    @Override
    protected void deregister(RegionKey key) {
        listener.deregister(key);
    }

    @Override
    protected void stop() throws IOException {
        listener.close();
    }

    private record Connecting(TcpLink link, long patienceNs) implements Client {
        @Override
        public void send(ByteBuffer message, long timeoutNs) throws IOException {
            link.send(message, timeoutNs);
        }

        @Override
        public @Nullable ByteBuffer receive(long timeoutNs) throws IOException {
            return link.receive(timeoutNs);
        }

        @Override
        public void wakeup() {
            link.wakeup();
        }

        @Override
        public RemoteExtent attach(RegionKey key) throws IOException {
            return link.attach(key, patienceNs);
        }

        @Override
        public void close() throws IOException {
            link.close();
        }
    }

    private record Accepted(TcpSession session, ReceivedMessages received) implements End {
        @Override
        public void send(ByteBuffer message) throws IOException {
            session.send(message);
        }

        @Override
        public @Nullable ByteBuffer receive(long timeoutNs) throws InterruptedException {
            return received.next(timeoutNs);
        }

        @Override
        public void close() {
            session.close();
        }
    }
}
