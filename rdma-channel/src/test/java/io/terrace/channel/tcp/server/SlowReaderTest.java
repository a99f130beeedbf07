package io.terrace.channel.tcp.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.channel.tcp.TcpFrame;
import io.terrace.channel.tcp.TcpLimits;
import io.terrace.channel.transport.TransferStatus;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Clients that take what they are told of changes only drop by drop, beside one that takes all. */
final class SlowReaderTest {
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(20);
    private static final int FRAME_BYTES = 32 * 1024;
    private static final int CHANGES = 1000;
    private static final long MOST_BYTES = 1 << 20;

    private final BlockingQueue<TcpSession> sessions = new LinkedBlockingQueue<>();
    private final AtomicInteger cuts = new AtomicInteger();
    private TcpListener listener;

    @BeforeEach
    void start() throws IOException {
        TcpLimits patient = new TcpLimits(16, 16, 1, 16, 8 << 20, 600_000, 600_000);
        listener = TcpListener.open(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), patient, new Introductions());
    }

    @AfterEach
    void stop() throws IOException {
        listener.close();
    }

    @Test
    void client_thatReadsBroadcastsTooSlowly_isCut_andOneThatReadsAllIsNot() throws Exception {
        byte[] frame = TcpResponse.Ready.frame(
                        TcpFrame.RESIDENT, TransferStatus.DONE, 0, FRAME_BYTES - TcpFrame.HEADER_BYTES)
                .array();
        try (Socket dripping = connect();
                Socket reading = connect()) {
            TcpSession slow = introduced(dripping);
            TcpSession quick = introduced(reading);
            for (int change = 0; change < CHANGES; change++) {
                tellIfThere(slow, frame);
                quick.tell(frame, MOST_BYTES);
                assertThat(reading.getInputStream().readNBytes(FRAME_BYTES)).hasSize(FRAME_BYTES);
                if (!slow.hasEnded()) {
                    assertThat(dripping.getInputStream().readNBytes(1)).hasSize(1);
                }
            }
            eventually(slow::hasEnded);
            assertThat(quick.hasEnded()).isFalse();
            assertThat(cuts).hasValue(1);
        }
    }

    private static void tellIfThere(TcpSession session, byte[] frame) throws IOException {
        try {
            session.tell(frame, MOST_BYTES);
        } catch (EOFException e) {
            assertThat(session.hasEnded()).isTrue();
        }
    }

    private Socket connect() throws IOException {
        InetSocketAddress where = (InetSocketAddress) listener.address();
        Socket socket = new Socket();
        socket.setReceiveBufferSize(64 * 1024);
        socket.connect(where);
        socket.setSoTimeout((int) TimeUnit.NANOSECONDS.toMillis(TIMEOUT_NS));
        return socket;
    }

    /** The other side's end of it. */
    private TcpSession introduced(Socket socket) throws Exception {
        ByteBuffer message =
                ByteBuffer.allocate(TcpFrame.HEADER_BYTES + 1).putInt(1).put(TcpFrame.MESSAGE);
        socket.getOutputStream().write(message.array());
        TcpSession session = sessions.poll(TIMEOUT_NS, TimeUnit.NANOSECONDS);
        assertThat(session).isNotNull();
        return session;
    }

    private static void eventually(BooleanSupplier holds) {
        long deadlineNs = System.nanoTime() + TIMEOUT_NS;
        while (!holds.getAsBoolean()) {
            assertThat(System.nanoTime() - deadlineNs).isNegative();
            LockSupport.parkNanos(10_000_000);
        }
    }

    private final class Introductions implements MessageHandler {
        @Override
        public void message(TcpSession session, ByteBuffer message) {
            sessions.add(session);
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
}
