package io.terrace.channel.tcp.server;

import static io.terrace.channel.server.TcpGrantFixture.TIMEOUT_NS;
import static io.terrace.channel.server.TcpGrantFixture.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.channel.tcp.TcpLimits;
import io.terrace.channel.tcp.TcpLink;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Errors amid a listener's work, as without memory there may be, and what others notice of them: nothing. */
final class TcpFaultsTest {
    private final AtomicInteger failingMessages = new AtomicInteger();
    private final AtomicInteger failingEnds = new AtomicInteger();
    private TcpListener listener;

    private void serve(int threads) throws IOException {
        TcpLimits limits = new TcpLimits(16, 16, threads, 16, 8 << 20, 60_000, 300_000);
        listener = TcpListener.open(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), limits, new FailingConversation());
    }

    @AfterEach
    void stop() throws IOException {
        listener.close();
    }

    @Test
    void message_thatEndsInAnError_costsItsConnection_andNoOther() throws Exception {
        serve(1);
        try (TcpLink before = connect();
                TcpLink unlucky = connect()) {
            assertServed(before);
            // A connection counts when it is taken, some time after the client has connected.
            eventually(() -> listener.connections() == 2);
            failingMessages.set(1);
            unlucky.send(ByteBuffer.allocate(1), TIMEOUT_NS);
            eventually(() -> listener.connections() == 1);
            assertServed(before);
            try (TcpLink after = connect()) {
                assertServed(after);
            }
        }
        eventually(() -> listener.connections() == 0);
    }

    @Test
    void end_thatFailsWithAnError_givesItsPlaceBack_andOthersAreServed() throws Exception {
        serve(1);
        failingEnds.set(1);
        connect().close();
        eventually(() -> failingEnds.get() <= 0 && listener.connections() == 0);
        try (TcpLink after = connect()) {
            assertServed(after);
        }
    }

    @Test
    void loop_thatHasEnded_isGivenNobody_andWithoutAnyNobodyConnects() throws Exception {
        serve(2);
        listener.loops.get(0).close();
        List<TcpLink> links = new ArrayList<>();
        try {
            for (int i = 0; i < 4; i++) {
                links.add(connect());
                assertServed(links.get(i));
            }
            listener.loops.get(0).close();
            eventually(() -> listener.connections() == 0);
            eventually(() -> !canConnect());
        } finally {
            for (TcpLink link : links) {
                link.close();
            }
        }
    }

    private boolean canConnect() {
        try {
            connect().close();
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private TcpLink connect() throws IOException {
        return TcpLink.connect(listener.address(), TcpLimits.DEFAULT, TIMEOUT_NS);
    }

    private static void assertServed(TcpLink link) throws IOException {
        link.send(ByteBuffer.wrap(new byte[] {7}), TIMEOUT_NS);
        assertThat(link.receive(TIMEOUT_NS)).isEqualTo(ByteBuffer.wrap(new byte[] {7}));
    }

    /** Says the same back, but for as often as it is to fail. */
    private final class FailingConversation implements MessageHandler {
        @Override
        public void message(TcpSession session, ByteBuffer message) {
            if (failingMessages.getAndDecrement() > 0) {
                throw new OutOfMemoryError("as was wanted");
            }
            try {
                session.send(message);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void refused() {}

        @Override
        public void cut() {}

        @Override
        public void ended(TcpSession session) {
            if (failingEnds.getAndDecrement() > 0) {
                throw new OutOfMemoryError("as was wanted");
            }
        }
    }
}
