package io.terrace.channel.server;

import static io.terrace.channel.server.TcpGrantFixture.BLOCK;
import static io.terrace.channel.server.TcpGrantFixture.LENGTH;
import static io.terrace.channel.server.TcpGrantFixture.PATIENT;
import static io.terrace.channel.server.TcpGrantFixture.SLOW;
import static io.terrace.channel.server.TcpGrantFixture.TIMEOUT_NS;
import static io.terrace.channel.server.TcpGrantFixture.ask;
import static io.terrace.channel.server.TcpGrantFixture.asking;
import static io.terrace.channel.server.TcpGrantFixture.eventually;
import static io.terrace.channel.server.TcpGrantFixture.key;
import static io.terrace.channel.server.TcpGrantFixture.limits;
import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.channel.Grant;
import io.terrace.channel.GrantRequest;
import io.terrace.channel.LoggedLines;
import io.terrace.channel.Message;
import io.terrace.channel.MessageCodec;
import io.terrace.channel.tcp.TcpExtent;
import io.terrace.channel.tcp.TcpFrame;
import io.terrace.channel.tcp.TcpLimits;
import io.terrace.channel.tcp.TcpLink;
import io.terrace.channel.tcp.server.TcpLoop;
import io.terrace.channel.transport.RegionKey;
import io.terrace.common.BlockKey;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients of other hosts that keep to no rule, and what others notice of them: nothing. */
final class TcpGrantServerTest {
    private static final int TIMEOUT_MS = 20_000;
    private static final int PATIENCE_MS = 500;

    @TempDir
    Path dir;

    private TcpGrantFixture fixture;

    private void serve(TcpLimits limits) throws IOException {
        fixture = new TcpGrantFixture(dir, limits);
    }

    @AfterEach
    void stop() throws IOException {
        fixture.close();
    }

    @Test
    void asks_inAFlood_haveOneWorker_andOthersAreServed() throws Exception {
        serve(PATIENT);
        try (SocketChannel hostile = SocketChannel.open(fixture.server.address())) {
            hostile.write(frame(new Message.Hello("somebody/hostile")));
            hostile.configureBlocking(false);
            ByteBuffer asks = asks(SLOW, 400_000);
            long deadlineNs = System.nanoTime() + TIMEOUT_NS;
            // Until no more is taken, for as long as a loop might need to come round.
            for (int idle = 0; asks.hasRemaining() && idle < 20; idle = hostile.write(asks) > 0 ? 0 : idle + 1) {
                LockSupport.parkNanos(10_000_000);
                assertThat(System.nanoTime() - deadlineNs).isNegative();
            }
            assertThat(asks.hasRemaining()).as("its input waits").isTrue();
            assertThat(fixture.slowCalls.get()).isEqualTo(1);
            try (TcpLink honest = TcpLink.connect(fixture.server.address(), PATIENT, TIMEOUT_NS)) {
                fixture.assertRead(honest);
            }
            fixture.slowBlock.countDown();
            // It was not cut: its calls go on as it takes the answers.
            hostile.configureBlocking(true);
            hostile.socket().setSoTimeout(TIMEOUT_MS);
            assertThat(hostile.socket().getInputStream().readNBytes(100_000)).hasSize(100_000);
            assertThat(fixture.slowCalls.get()).isGreaterThan(SerialExecutor.MOST_WAITING);
        }
        assertThat(fixture.metricRegistry.value(Metric.CHANNEL_PEERS_CUT)).isZero();
    }

    @Test
    void connection_thatAsksForNothing_isCut_andOneThatReachedForARangeIsNot() throws Exception {
        serve(limits(64, PATIENCE_MS));
        try (TcpLink first = TcpLink.connect(fixture.server.address(), PATIENT, TIMEOUT_NS);
                Socket silent = socket()) {
            Grant grant = ask(first, BLOCK);
            TcpLink beside = first.beside(TIMEOUT_NS);
            try (TcpExtent region = beside.attach(key(grant), TIMEOUT_NS)) {
                assertEnds(silent);
                fixture.assertBytes(region);
            } finally {
                beside.close();
            }
        }
    }

    @Test
    void client_thatTakesNoAnswers_isCut_howeverMuchItSays() throws Exception {
        serve(limits(64, PATIENCE_MS));
        try (TcpLink honest = TcpLink.connect(fixture.server.address(), PATIENT, TIMEOUT_NS);
                SocketChannel deaf = SocketChannel.open(fixture.server.address())) {
            Grant grant = ask(honest, BLOCK);
            deaf.write(attach(key(grant)));
            for (int i = 0; i < 32; i++) {
                deaf.write(read(LENGTH));
            }
            eventually(() -> {
                try {
                    deaf.write(detachOfNothing());
                    return false;
                } catch (IOException e) {
                    return true;
                }
            });
            try (TcpExtent region = honest.attach(key(grant), TIMEOUT_NS)) {
                fixture.assertBytes(region);
            }
        }
    }

    @Test
    void connections_ofOneAddress_areLimited_andItsPlacesComeBack() throws Exception {
        serve(limits(3, 60_000));
        List<Socket> taken = new ArrayList<>();
        try {
            for (int i = 0; i < 3; i++) {
                taken.add(socket());
            }
            eventually(() -> fixture.metricRegistry.value(Metric.CHANNEL_TCP_CONNECTIONS) == 3);
            try (Socket tooMany = socket()) {
                assertEnds(tooMany);
            }
            // It ends before it is counted.
            eventually(() -> fixture.metricRegistry.value(Metric.CHANNEL_CONNECTIONS_REFUSED) == 1);
            taken.remove(0).close();
            eventually(() -> fixture.metricRegistry.value(Metric.CHANNEL_TCP_CONNECTIONS) == 2);
            try (TcpLink next = TcpLink.connect(fixture.server.address(), PATIENT, TIMEOUT_NS)) {
                fixture.assertRead(next);
            }
        } finally {
            for (Socket socket : taken) {
                socket.close();
            }
        }
    }

    @Test
    void garbage_endsItsConnection_andNoOther() throws Exception {
        serve(limits(64, PATIENCE_MS));
        long seed = System.nanoTime();
        Random random = new Random(seed);
        try (TcpLink honest = TcpLink.connect(fixture.server.address(), PATIENT, TIMEOUT_NS)) {
            Grant grant = ask(honest, BLOCK);
            for (int round = 0; round < 30; round++) {
                try (Socket hostile = socket()) {
                    // With a body: a bare header can be a request to write, which is no garbage and is not counted as
                    // such.
                    byte[] garbage = new byte[TcpFrame.HEADER_BYTES + 1 + random.nextInt(200)];
                    random.nextBytes(garbage);
                    if (round % 2 == 0) {
                        // A believable length and type, so that the body is looked at.
                        ByteBuffer.wrap(garbage)
                                .putInt(garbage.length - TcpFrame.HEADER_BYTES)
                                .put((byte) (1 + round % 9));
                    }
                    hostile.getOutputStream().write(garbage);
                    assertThat(ends(hostile))
                            .as("seed %d, round %d", seed, round)
                            .isTrue();
                }
            }
            assertThat(fixture.metricRegistry.value(Metric.CHANNEL_PEERS_CUT)).isEqualTo(30);
            try (TcpExtent region = honest.attach(key(grant), TIMEOUT_NS)) {
                fixture.assertBytes(region);
            }
        }
    }

    @Test
    void cuts_ofManyConnections_areCounted_andFewAreTold() throws Exception {
        TcpLimits limits = limits(64, PATIENCE_MS);
        serve(limits);
        int connections = 30;
        long beganNs = System.nanoTime();
        try (LoggedLines log = new LoggedLines(TcpLoop.class)) {
            for (int i = 0; i < connections; i++) {
                try (Socket hostile = socket()) {
                    hostile.getOutputStream().write(new byte[] {0x7f, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
                    assertThat(ends(hostile)).isTrue();
                }
            }
            assertThat(fixture.metricRegistry.value(Metric.CHANNEL_PEERS_CUT)).isEqualTo(connections);
            long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - beganNs);
            assertThat(log.containing("Cut connection")).hasSizeBetween(1, limits.threads() * (int) (seconds + 1));
        }
    }

    @Test
    void request_thatComesByteByByte_hasTheTimeOfOne() throws Exception {
        serve(limits(64, PATIENCE_MS));
        try (SocketChannel dripping = SocketChannel.open(fixture.server.address())) {
            dripping.write(frame(new Message.Hello("somebody/hostile")));
            ByteBuffer request = frame(new Message.Ask(1, new GrantRequest(BLOCK, new byte[16_000], false)));
            eventually(() -> {
                try {
                    dripping.write(request.slice(request.position(), 1));
                    request.position(request.position() + 1);
                    return false;
                } catch (IOException e) {
                    return true;
                }
            });
        }
    }

    @Test
    void request_whoseRestCameWhileInputWaited_isTaken() throws Exception {
        serve(limits(64, PATIENCE_MS));
        try (SocketChannel patient = SocketChannel.open(fixture.server.address())) {
            patient.write(frame(new Message.Hello("somebody/patient")));
            ByteBuffer asks = asks(SLOW, SerialExecutor.MOST_WAITING + 2);
            ByteBuffer head = asks.duplicate().limit(asks.limit() - 20);
            patient.write(head);
            eventually(() -> fixture.slowCalls.get() == 1);
            // Longer than the rest of a request may take.
            Thread.sleep(3 * PATIENCE_MS);
            patient.write(asks.position(head.position()));
            fixture.slowBlock.countDown();
            eventually(() -> fixture.slowCalls.get() == SerialExecutor.MOST_WAITING + 2);
        }
        assertThat(fixture.metricRegistry.value(Metric.CHANNEL_PEERS_CUT)).isZero();
    }

    private static ByteBuffer asks(BlockKey block, int count) {
        ByteBuffer one = frame(asking(1, block));
        ByteBuffer all = ByteBuffer.allocate(count * one.remaining());
        for (int i = 0; i < count; i++) {
            all.put(one.duplicate());
        }
        return all.flip();
    }

    private static ByteBuffer frame(Message message) {
        return request(TcpFrame.MESSAGE, MessageCodec.encode(message).position(Integer.BYTES));
    }

    private static ByteBuffer attach(RegionKey key) {
        return request(
                TcpFrame.ATTACH,
                ByteBuffer.allocate(TcpFrame.ATTACH_BYTES)
                        .putLong(key.high())
                        .putLong(key.low())
                        .putLong(0)
                        .putLong(LENGTH)
                        .flip()
                        .limit(TcpFrame.ATTACH_BYTES));
    }

    /** Of the first range that the connection reached for. */
    private static ByteBuffer read(int bytes) {
        return request(
                TcpFrame.READ,
                ByteBuffer.allocate(TcpFrame.READ_BYTES)
                        .putInt(1)
                        .putLong(0)
                        .putInt(bytes)
                        .flip());
    }

    private static ByteBuffer detachOfNothing() {
        return request(
                TcpFrame.DETACH, ByteBuffer.allocate(TcpFrame.DETACH_BYTES).putInt(0, 9_999));
    }

    private static ByteBuffer request(byte type, ByteBuffer body) {
        return ByteBuffer.allocate(TcpFrame.HEADER_BYTES + body.remaining())
                .putInt(body.remaining())
                .put(type)
                .position(TcpFrame.HEADER_BYTES)
                .put(body)
                .flip();
    }

    private Socket socket() throws IOException {
        InetSocketAddress where = (InetSocketAddress) fixture.server.address();
        Socket socket = new Socket(where.getAddress(), where.getPort());
        socket.setSoTimeout(TIMEOUT_MS);
        return socket;
    }

    private static void assertEnds(Socket socket) throws IOException {
        assertThat(ends(socket)).isTrue();
    }

    /** Whether the other side ends the connection, after whatever it says. */
    private static boolean ends(Socket socket) throws IOException {
        try {
            byte[] unused = socket.getInputStream().readAllBytes();
            return true;
        } catch (SocketException e) {
            return true;
        } catch (SocketTimeoutException e) {
            return false;
        }
    }
}
