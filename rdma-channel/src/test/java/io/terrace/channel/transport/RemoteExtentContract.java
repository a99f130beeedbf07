package io.terrace.channel.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.terrace.channel.MessageCodec;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the extents and control messages of every transport do. Its test extends this and brings both ends of a connection. */
public abstract class RemoteExtentContract {
    protected static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);
    protected static final int LENGTH = 300_000;

    @TempDir
    protected Path dir;

    private Client client;
    private End server;
    private Path file;
    private byte[] content;

    /** One end of a connection. */
    public interface End extends Closeable {
        void send(ByteBuffer message) throws Exception;

        /** The next message; null when none came in time. */
        @Nullable
        ByteBuffer receive(long timeoutNs) throws Exception;
    }

    /** The end that reads extents. */
    public interface Client extends End {
        void send(ByteBuffer message, long timeoutNs) throws IOException;

        void wakeup();

        RemoteExtent attach(RegionKey key) throws IOException;

        @Override
        default void send(ByteBuffer message) throws Exception {
            send(message, SECOND_NS);
        }
    }

    /** How long something may take that succeeds. */
    protected long patienceNs() {
        return SECOND_NS;
    }

    /** Whether a read meets the file as it is now, or the pages that were pinned when it was registered. */
    protected boolean noticesCuts() {
        return true;
    }

    /** Connects to an owner, whose end {@link #server} gives. */
    protected abstract Client connected() throws Exception;

    /** The owner's end of the connection that {@link #connected} made. */
    protected abstract End server() throws Exception;

    /** Tries to connect where nobody listens. */
    protected abstract void connectInVain() throws Exception;

    protected abstract RegionKey register(ExtentRange range) throws IOException;

    protected abstract void deregister(RegionKey key) throws IOException;

    protected abstract void stop() throws IOException;

    @BeforeEach
    void connect() throws Exception {
        client = connected();
        server = server();
        content = new byte[LENGTH];
        new Random(9).nextBytes(content);
        file = Files.write(dir.resolve("extent"), content);
    }

    @AfterEach
    void disconnect() throws Exception {
        client.close();
        server.close();
        stop();
    }

    /** What extents here are of. */
    protected final ExtentRange range() {
        return new ExtentRange(file, 1L << 40, LENGTH);
    }

    /** The bytes of an extent as long as {@link #range}, from an offset. */
    protected final ByteBuffer content(int offset, int length) {
        return ByteBuffer.wrap(content, offset, length);
    }

    private RegionKey register() throws IOException {
        return register(range());
    }

    @Test
    void read_anywhereInTheRange_givesItsBytes() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        try (RemoteExtent region = client.attach(register())) {
            assertThat(region.lengthBytes()).isEqualTo(LENGTH);
            for (int round = 0; round < 200; round++) {
                int offset = random.nextInt(LENGTH);
                int length = random.nextInt(LENGTH - offset + 1);
                ByteBuffer target =
                        random.nextBoolean() ? ByteBuffer.allocate(length) : ByteBuffer.allocateDirect(length);
                region.read(offset, target, patienceNs());
                assertThat(target.hasRemaining()).isFalse();
                assertThat(target.flip())
                        .as("seed %d round %d", seed, round)
                        .isEqualTo(ByteBuffer.wrap(content, offset, length));
            }
        }
    }

    @Test
    void read_beyondTheRange_isNoAccess() throws Exception {
        try (RemoteExtent region = client.attach(register())) {
            assertThatThrownBy(() -> region.read(LENGTH - 1, ByteBuffer.allocate(2), SECOND_NS))
                    .asInstanceOf(type(ChannelException.class))
                    .extracting(ChannelException::status)
                    .isEqualTo(TransferStatus.NO_ACCESS);
            assertThatThrownBy(() -> region.read(-1, ByteBuffer.allocate(2), SECOND_NS))
                    .isInstanceOf(ChannelException.class);
        }
    }

    @Test
    void attach_withAGuessedOrAlteredKey_isNoAccess() throws Exception {
        RegionKey key = register();
        RegionKey guessed = new RegionKey(key.high() ^ 1, key.low(), key.address(), key.lengthBytes(), key.access());
        RegionKey longer = new RegionKey(key.high(), key.low(), key.address(), key.lengthBytes() + 1, key.access());
        for (RegionKey wrong : List.of(guessed, longer)) {
            assertThatThrownBy(() -> attachAndRead(wrong))
                    .asInstanceOf(type(ChannelException.class))
                    .extracting(ChannelException::status)
                    .isEqualTo(TransferStatus.NO_ACCESS);
        }
    }

    @Test
    void attach_afterDeregister_isNoAccess() throws Exception {
        RegionKey key = register();
        deregister(key);
        deregister(key);
        assertThatThrownBy(() -> attachAndRead(key))
                .asInstanceOf(type(ChannelException.class))
                .extracting(ChannelException::status)
                .isEqualTo(TransferStatus.NO_ACCESS);
    }

    @Test
    void read_withoutTime_endsAtItsDeadline() throws Exception {
        try (RemoteExtent region = client.attach(register())) {
            assertThatThrownBy(() -> region.read(0, ByteBuffer.allocate(10), 0))
                    .asInstanceOf(type(ChannelException.class))
                    .extracting(ChannelException::status)
                    .isEqualTo(TransferStatus.DEADLINE);
        }
    }

    @Test
    void read_onAClosedLink_isDisconnected() throws Exception {
        try (RemoteExtent region = client.attach(register())) {
            client.close();
            assertThatThrownBy(() -> region.read(0, ByteBuffer.allocate(10), SECOND_NS))
                    .asInstanceOf(type(ChannelException.class))
                    .extracting(ChannelException::status)
                    .isEqualTo(TransferStatus.DISCONNECTED);
        }
    }

    @Test
    void read_ofARangeThatWasCut_isShort_unlessItsPagesArePinned() throws Exception {
        try (RemoteExtent region = client.attach(register())) {
            Files.write(file, new byte[10]);
            Throwable end = catchThrowable(() -> region.read(0, ByteBuffer.allocate(LENGTH), patienceNs()));
            if (noticesCuts()) {
                assertThat(end)
                        .asInstanceOf(type(ChannelException.class))
                        .extracting(ChannelException::status)
                        .isEqualTo(TransferStatus.SHORT);
            } else {
                assertThat(end).isNull();
            }
        }
    }

    @Test
    void messages_arriveWholeAndInOrder_bothWays() throws Exception {
        // Few wait unread at a time: how many a medium holds for a receiver is its own affair.
        for (int batch = 2; batch < 300; batch += 10) {
            for (int i = batch; i < batch + 10; i++) {
                client.send(ByteBuffer.wrap(content, 0, i * 10), patienceNs());
                assertThat(server.receive(5 * patienceNs())).isEqualTo(ByteBuffer.wrap(content, 0, i * 10));
                server.send(ByteBuffer.wrap(content, i, 20));
            }
            for (int i = batch; i < batch + 10; i++) {
                assertThat(client.receive(5 * patienceNs())).isEqualTo(ByteBuffer.wrap(content, i, 20));
            }
        }
    }

    @Test
    void send_overTheLimit_isRefused() {
        assertThatThrownBy(() -> client.send(ByteBuffer.allocate(MessageCodec.MAX_FRAME_BYTES + 1), SECOND_NS))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void receive_withNothingThere_returnsNullAtItsDeadlineAndOnWakeup() throws Exception {
        assertThat(client.receive(1_000_000)).isNull();
        Thread waker = new Thread(client::wakeup);
        waker.start();
        assertThat(client.receive(60 * SECOND_NS)).isNull();
        waker.join();
    }

    @Test
    void receive_fromAPeerThatIsGone_throws() throws Exception {
        server.close();
        assertThatThrownBy(() -> client.receive(5 * SECOND_NS)).isInstanceOf(IOException.class);
    }

    @Test
    void send_toAPeerThatDoesNotRead_endsAtItsDeadline() {
        assertThatThrownBy(() -> {
                    for (int i = 0; i < 10_000; i++) {
                        client.send(ByteBuffer.allocate(MessageCodec.MAX_FRAME_BYTES), SECOND_NS / 10);
                    }
                })
                .isInstanceOf(IOException.class);
    }

    @Test
    void connect_whereNobodyListens_throws() throws Exception {
        assertThatThrownBy(this::connectInVain).isInstanceOf(IOException.class);
    }

    private void attachAndRead(RegionKey key) throws IOException {
        try (RemoteExtent region = client.attach(key)) {
            region.read(0, ByteBuffer.allocate(10), patienceNs());
        }
    }
}
