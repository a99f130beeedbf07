package io.terrace.channel.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.InstanceOfAssertFactories.type;
import static org.awaitility.Awaitility.await;

import io.terrace.channel.MessageCodec;
import io.terrace.channel.transport.Completion.Status;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What every provider of the channel does, whatever its medium. A provider's own test extends this and names it. */
public abstract class ProviderContract {
    private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);
    private static final int LENGTH = 300_000;

    @TempDir
    protected Path dir;

    private ProviderFixture fixture;
    private long patienceNs;
    private Listener listener;
    private Link client;
    private Link server;
    private Path file;
    private byte[] content;

    /** @param dir empty, removed afterwards */
    protected abstract ProviderFixture fixture(Path dir) throws Exception;

    @BeforeEach
    void connect() throws Exception {
        fixture = fixture(Files.createDirectory(dir.resolve("provider")));
        patienceNs = fixture.patienceNs();
        listener = fixture.provider().listen(fixture.freshAddress());
        client = fixture.provider().connect(listener.address(), patienceNs);
        server = listener.accept(5 * patienceNs);
        assertThat(server).isNotNull();
        content = new byte[LENGTH];
        new Random(9).nextBytes(content);
        file = Files.write(dir.resolve("extent"), content);
    }

    @AfterEach
    void disconnect() throws Exception {
        client.close();
        server.close();
        listener.close();
        fixture.close();
    }

    private RegionKey register(Access access) throws IOException {
        return listener.register(new ExtentRange(file, 1L << 40, LENGTH), access);
    }

    @Test
    void read_anywhereInTheRange_givesItsBytes() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        try (WritableExtent region = client.attach(register(Access.READ))) {
            assertThat(region.lengthBytes()).isEqualTo(LENGTH);
            for (int round = 0; round < 200; round++) {
                int offset = random.nextInt(LENGTH);
                int length = random.nextInt(LENGTH - offset + 1);
                ByteBuffer target =
                        random.nextBoolean() ? ByteBuffer.allocate(length) : ByteBuffer.allocateDirect(length);
                region.read(offset, target, patienceNs);
                assertThat(target.hasRemaining()).isFalse();
                assertThat(target.flip())
                        .as("seed %d round %d", seed, round)
                        .isEqualTo(ByteBuffer.wrap(content, offset, length));
            }
        }
    }

    @Test
    void read_beyondTheRange_isNoAccess() throws Exception {
        try (WritableExtent region = client.attach(register(Access.READ))) {
            assertThatThrownBy(() -> region.read(LENGTH - 1, ByteBuffer.allocate(2), SECOND_NS))
                    .asInstanceOf(type(ChannelException.class))
                    .extracting(ChannelException::status)
                    .isEqualTo(Status.NO_ACCESS);
            assertThatThrownBy(() -> region.read(-1, ByteBuffer.allocate(2), SECOND_NS))
                    .isInstanceOf(ChannelException.class);
        }
    }

    @Test
    void attach_withAGuessedOrAlteredKey_isNoAccess() throws Exception {
        RegionKey key = register(Access.READ);
        RegionKey guessed = new RegionKey(key.high() ^ 1, key.low(), key.address(), key.lengthBytes(), key.access());
        RegionKey longer = new RegionKey(key.high(), key.low(), key.address(), key.lengthBytes() + 1, key.access());
        for (RegionKey wrong : List.of(guessed, longer)) {
            assertThatThrownBy(() -> attachAndRead(wrong))
                    .asInstanceOf(type(ChannelException.class))
                    .extracting(ChannelException::status)
                    .isEqualTo(Status.NO_ACCESS);
        }
    }

    @Test
    void attach_afterDeregister_isNoAccess() throws Exception {
        RegionKey key = register(Access.READ);
        listener.deregister(key);
        listener.deregister(key);
        assertThatThrownBy(() -> attachAndRead(key))
                .asInstanceOf(type(ChannelException.class))
                .extracting(ChannelException::status)
                .isEqualTo(Status.NO_ACCESS);
    }

    @Test
    void write_withAReadKey_isNoAccess_andWithAWriteKeyArrives() throws Exception {
        try (WritableExtent region = client.attach(register(Access.READ))) {
            assertThatThrownBy(() -> region.write(0, ByteBuffer.wrap(new byte[] {1}), SECOND_NS))
                    .asInstanceOf(type(ChannelException.class))
                    .extracting(ChannelException::status)
                    .isEqualTo(Status.NO_ACCESS);
        }
        try (WritableExtent region = client.attach(register(Access.READ_WRITE))) {
            byte[] written = "one-sided".getBytes();
            region.write(1000, ByteBuffer.wrap(written), patienceNs);
            ByteBuffer back = ByteBuffer.allocate(written.length);
            region.read(1000, back, patienceNs);
            assertThat(back.array()).isEqualTo(written);
            assertThat(ByteBuffer.wrap(Files.readAllBytes(file), 1000, written.length))
                    .isEqualTo(ByteBuffer.wrap(written));
            assertThatThrownBy(() -> region.write(LENGTH - 1, ByteBuffer.wrap(written), SECOND_NS))
                    .isInstanceOf(ChannelException.class);
            assertThat(Files.size(file)).isEqualTo(LENGTH);
        }
    }

    @Test
    void post_completesEachOperationOnce() throws Exception {
        try (WritableExtent region = client.attach(register(Access.READ))) {
            Set<Long> posted = new HashSet<>();
            List<ByteBuffer> targets = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                ByteBuffer target = ByteBuffer.allocateDirect(1000);
                targets.add(target);
                posted.add(region.postRead(i * 2000L, target, 5 * patienceNs));
            }
            long beyond = region.postRead(LENGTH, ByteBuffer.allocateDirect(1), 5 * patienceNs);
            List<Completion> completed = new ArrayList<>();
            await().until(() -> {
                client.poll(completed::add, 7);
                return completed.size() == 101;
            });
            assertThat(client.poll(completed::add, 7)).isZero();
            for (Completion completion : completed) {
                if (completion.operation() == beyond) {
                    assertThat(completion.status()).isEqualTo(Status.NO_ACCESS);
                } else {
                    assertThat(posted.remove(completion.operation())).isTrue();
                    assertThat(completion.status()).isEqualTo(Status.DONE);
                    assertThat(completion.bytes()).isEqualTo(1000);
                }
            }
            for (int i = 0; i < 100; i++) {
                assertThat(targets.get(i).flip()).isEqualTo(ByteBuffer.wrap(content, i * 2000, 1000));
            }
        }
    }

    @Test
    void post_beyondWhatMayWait_isRefused_andPollingMakesRoom() throws Exception {
        try (WritableExtent region = client.attach(register(Access.READ))) {
            ByteBuffer target = ByteBuffer.allocateDirect(1);
            assertThatThrownBy(() -> {
                        for (int i = 0; i < 1_000_000; i++) {
                            target.clear();
                            region.postRead(0, target, 5 * patienceNs);
                        }
                    })
                    .isInstanceOf(ChannelException.class);
            await().until(() -> client.poll(completion -> {}, Integer.MAX_VALUE) > 0);
            target.clear();
            assertThat(region.postRead(0, target, patienceNs)).isPositive();
        }
    }

    @Test
    void read_withoutTime_endsAtItsDeadline() throws Exception {
        try (WritableExtent region = client.attach(register(Access.READ))) {
            assertThatThrownBy(() -> region.read(0, ByteBuffer.allocate(10), 0))
                    .asInstanceOf(type(ChannelException.class))
                    .extracting(ChannelException::status)
                    .isEqualTo(Status.DEADLINE);
        }
    }

    @Test
    void read_onAClosedLink_isDisconnected() throws Exception {
        try (WritableExtent region = client.attach(register(Access.READ))) {
            client.close();
            assertThatThrownBy(() -> region.read(0, ByteBuffer.allocate(10), SECOND_NS))
                    .asInstanceOf(type(ChannelException.class))
                    .extracting(ChannelException::status)
                    .isEqualTo(Status.DISCONNECTED);
        }
    }

    @Test
    void read_ofARangeThatWasCut_isShort_unlessItsPagesArePinned() throws Exception {
        try (WritableExtent region = client.attach(register(Access.READ))) {
            Files.write(file, new byte[10]);
            Throwable end = catchThrowable(() -> region.read(0, ByteBuffer.allocate(LENGTH), patienceNs));
            if (fixture.noticesCuts()) {
                assertThat(end)
                        .asInstanceOf(type(ChannelException.class))
                        .extracting(ChannelException::status)
                        .isEqualTo(Status.SHORT);
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
                client.send(ByteBuffer.wrap(content, 0, i * 10), patienceNs);
                assertThat(server.receive(5 * patienceNs)).isEqualTo(ByteBuffer.wrap(content, 0, i * 10));
                server.send(ByteBuffer.wrap(content, i, 20), patienceNs);
            }
            for (int i = batch; i < batch + 10; i++) {
                assertThat(client.receive(5 * patienceNs)).isEqualTo(ByteBuffer.wrap(content, i, 20));
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
        assertThatThrownBy(() -> fixture.provider().connect(fixture.freshAddress(), SECOND_NS))
                .isInstanceOf(IOException.class);
    }

    private void attachAndRead(RegionKey key) throws IOException {
        try (WritableExtent region = client.attach(key)) {
            region.read(0, ByteBuffer.allocate(10), patienceNs);
        }
    }
}
