package io.terrace.channel.tcp.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.channel.tcp.ChecksummedReadTest;
import io.terrace.channel.tcp.PooledTcpExtent;
import io.terrace.channel.tcp.TcpConnectionPool;
import io.terrace.channel.tcp.TcpLimits;
import io.terrace.channel.tcp.TcpLink;
import io.terrace.channel.transport.ChannelException;
import io.terrace.channel.transport.ExtentPiece;
import io.terrace.channel.transport.ExtentRange;
import io.terrace.channel.transport.RemoteExtent;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reads of one range over several connections. */
final class PooledReadTest {
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(20);
    private static final int LENGTH = 3 * (1 << 20) + 13;
    private static final int LARGE = 300_000;

    @TempDir
    Path dir;

    private byte[] content;
    private TcpListener listener;
    private TcpRange range;
    private TcpConnectionPool pool;
    private PooledTcpExtent region;

    @BeforeEach
    void start() throws IOException {
        content = new byte[LENGTH];
        new Random(7).nextBytes(content);
        serve(TcpLimits.DEFAULT, 3);
    }

    @AfterEach
    void stop() throws IOException {
        region.close();
        pool.close();
        listener.close();
    }

    @Test
    void read_whileNothingIsInFlight_staysOnTheFirst() throws IOException {
        for (int i = 0; i < 20; i++) {
            assertRead(region, i * 1_000, LARGE);
        }
        assertThat(listener.connections()).isEqualTo(1);
    }

    @Test
    void begin_whileOthersAreBusy_takesOneMore_upToTheMost() throws IOException {
        List<ExtentPiece> pieces = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            pieces.add(region.begin(i * 1_000, LARGE, TIMEOUT_NS));
            assertThat(listener.connections()).isEqualTo(Math.min(3, i + 1));
        }
        for (int i = 0; i < 6; i++) {
            assertPiece(pieces.get(i), i * 1_000);
        }
    }

    @Test
    void leastBusy_isKeptByItsReader() throws IOException {
        RemoteExtent stream = region.leastBusy();
        for (int i = 0; i < 4; i++) {
            try (ExtentPiece ahead = stream.begin(0, LARGE, TIMEOUT_NS);
                    ExtentPiece next = stream.begin(LARGE, LARGE, TIMEOUT_NS)) {
                assertPiece(ahead, 0);
                assertPiece(next, LARGE);
            }
        }
        assertThat(listener.connections()).isEqualTo(1);
    }

    @Test
    void begin_whereNoMoreAreTaken_shares() throws IOException {
        stop();
        serve(new TcpLimits(1, 1, 1, 16, 8 << 20, 10_000, 300_000), 3);
        try (ExtentPiece one = region.begin(0, LARGE, TIMEOUT_NS);
                ExtentPiece two = region.begin(5, LARGE, TIMEOUT_NS)) {
            assertPiece(one, 0);
            assertPiece(two, 5);
        }
        assertThat(listener.connections()).isEqualTo(1);
    }

    @Test
    void aConnectionThatWasCut_isLeftAndReplaced() throws Exception {
        stop();
        // Whoever is silent for so long is cut.
        serve(new TcpLimits(8, 8, 1, 16, 8 << 20, 10_000, 1_000), 2);
        takeTwo();
        assertThat(listener.connections()).isEqualTo(2);
        long deadlineNs = System.nanoTime() + TIMEOUT_NS;
        while (listener.connections() == 2 && System.nanoTime() - deadlineNs < 0) {
            assertRead(region, 3, 100);
            Thread.sleep(20);
        }
        assertThat(listener.connections()).isEqualTo(1);
        pool.pollInput();
        takeTwo();
        assertThat(listener.connections()).as("not at once").isEqualTo(1);
        while (listener.connections() == 1 && System.nanoTime() - deadlineNs < 0) {
            Thread.sleep(20);
            takeTwo();
        }
        assertThat(listener.connections()).isEqualTo(2);
    }

    @Test
    void close_leavesNothingAttached() throws Exception {
        takeTwo();
        region.close();
        listener.deregister(range.key);
        long deadlineNs = System.nanoTime() + TIMEOUT_NS;
        while (range.begin() != null) {
            range.end();
            assertThat(System.nanoTime() - deadlineNs).isNegative();
            Thread.sleep(5);
        }
    }

    @Test
    void revoke_voidsItOverEveryConnection() throws Exception {
        takeTwo();
        listener.revoke(range.key, () -> {});
        assertThatThrownBy(() -> region.read(0, ByteBuffer.allocate(10), TIMEOUT_NS))
                .isInstanceOf(ChannelException.class);
        try (ExtentPiece busy = region.begin(0, LARGE, TIMEOUT_NS)) {
            assertThatThrownBy(() -> region.read(0, ByteBuffer.allocate(10), TIMEOUT_NS))
                    .isInstanceOf(ChannelException.class);
        }
    }

    @Test
    void manyReadersAtOnce_eachGetsItsOwnBytes() throws Exception {
        long seed = System.nanoTime();
        ExecutorService readers = Executors.newFixedThreadPool(8);
        try {
            List<Callable<Void>> work = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                Random random = new Random(seed + i);
                work.add(() -> {
                    for (int n = 0; n < 60; n++) {
                        int bytes = 1 + random.nextInt(n % 2 == 0 ? 20_000 : 1_500_000);
                        assertRead(region, random.nextInt(LENGTH - bytes), bytes);
                    }
                    return null;
                });
            }
            for (Future<Void> reader : readers.invokeAll(work)) {
                assertThat(reader).as("seed " + seed).succeedsWithin(Duration.ofSeconds(60));
            }
        } finally {
            readers.shutdownNow();
        }
        assertThat(listener.connections()).isBetween(2, 3);
    }

    private void takeTwo() throws IOException {
        try (ExtentPiece one = region.begin(0, LARGE, TIMEOUT_NS);
                ExtentPiece two = region.begin(5, LARGE, TIMEOUT_NS)) {
            assertPiece(two, 5);
            assertPiece(one, 0);
        }
    }

    private void serve(TcpLimits limits, int most) throws IOException {
        Path file = Files.write(dir.resolve("extent"), content);
        listener = TcpListener.open(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), limits, new ReceivedMessages());
        range = listener.register(new ExtentRange(file, 0, LENGTH), ChecksummedReadTest.checksums(content));
        pool = new TcpConnectionPool(TcpLink.connect(listener.address(), limits, TIMEOUT_NS), most, TIMEOUT_NS);
        region = pool.attach(range.key, TIMEOUT_NS);
    }

    private void assertRead(RemoteExtent from, int offset, int bytes) throws IOException {
        ByteBuffer target = ByteBuffer.allocate(bytes);
        from.read(offset, target, TIMEOUT_NS);
        assertThat(target.flip()).isEqualTo(ByteBuffer.wrap(content, offset, bytes));
    }

    private void assertPiece(ExtentPiece piece, int offset) throws IOException {
        ByteBuffer all = ByteBuffer.allocate(piece.lengthBytes());
        while (all.hasRemaining()) {
            all.put(piece.next(TIMEOUT_NS));
        }
        assertThat(all.flip()).isEqualTo(ByteBuffer.wrap(content, offset, piece.lengthBytes()));
    }
}
