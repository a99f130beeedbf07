package io.terrace.channel.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.transport.RegionKey;
import io.terrace.channel.verbs.device.DeviceCounters;
import io.terrace.channel.verbs.device.ProtectionDomain;
import io.terrace.channel.write.LandingWindow.Place;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a DataNode holds for clients that write by RDMA, on a device that only keeps count. */
@Timeout(60)
final class LandingWindowsTest {
    private static final int BYTES = 64 * 1024;

    /** The slab of buffers, and the validity words. */
    private static final int ALWAYS = 2;

    private final AtomicInteger ended = new AtomicInteger();
    private FakeDevice device;
    private RangeRegistry registry;
    private ProtectionDomain domain;

    @BeforeEach
    void open() throws Exception {
        device = new FakeDevice();
        domain = new ProtectionDomain(device, device.context, new DeviceCounters(), false);
        registry = new RangeRegistry(domain, new VerbsLimits(4, 4, 8, 4 * BYTES));
    }

    @AfterEach
    void close() throws Exception {
        registry.close();
        domain.close();
        device.close();
        assertThat(device.registered).isEmpty();
    }

    private RegisteredWindow window() throws IOException {
        return registry.openWindow(BYTES, ended::incrementAndGet);
    }

    private void land(RegionKey key, long number, int at, int bytes) throws MalformedMessageException {
        registry.landed(number, LandedMessage.of(key, at, bytes));
    }

    @Test
    void announcements_areTakenInOrder() throws Exception {
        try (RegisteredWindow window = window()) {
            land(window.key(), 1, 100, 10);
            land(window.key(), 2, 0, BYTES);
            assertThat(window.next()).isEqualTo(new Place(100, 10));
            assertThat(window.next()).isEqualTo(new Place(0, BYTES));
            ByteBuffer read = ByteBuffer.allocate(300).position(100).limit(200);
            window.read(BYTES - 100, read);
            assertThat(read.position()).isEqualTo(200);
        }
    }

    @Test
    void announcement_thatCannotBe_isMalformed() throws Exception {
        try (RegisteredWindow window = window()) {
            RegionKey key = window.key();
            assertThatThrownBy(() -> land(key, 2, 0, 1)).isInstanceOf(MalformedMessageException.class);
            assertThatThrownBy(() -> land(key, 1, BYTES, 1)).isInstanceOf(MalformedMessageException.class);
            assertThatThrownBy(() -> land(key, 1, -1, 1)).isInstanceOf(MalformedMessageException.class);
            assertThatThrownBy(() -> land(key, 1, 1, Integer.MAX_VALUE)).isInstanceOf(MalformedMessageException.class);
            assertThatThrownBy(() -> land(key, 1, 0, 0)).isInstanceOf(MalformedMessageException.class);
            for (int number = 1; number <= RegisteredWindow.MOST_ANNOUNCED; number++) {
                land(key, number, 0, 1);
            }
            assertThatThrownBy(() -> land(key, RegisteredWindow.MOST_ANNOUNCED + 1, 0, 1))
                    .isInstanceOf(MalformedMessageException.class);
        }
    }

    /** Whoever does not know a window's secret cannot say anything of it. */
    @Test
    void announcement_withAnotherSecret_orOfAClosedWindow_isPassedOver() throws Exception {
        RegisteredWindow window = window();
        RegionKey key = window.key();
        registry.landed(1, new LandedMessage(key.high(), key.low() + 1, 0, 1));
        window.close();
        land(key, 1, 0, 1);
        try (RegisteredWindow next = window()) {
            assertThat(next.key()).isNotEqualTo(key);
            land(next.key(), 1, 0, 5);
            assertThat(next.next()).isEqualTo(new Place(0, 5));
        }
    }

    @Test
    void close_endsWhoWaits_andTakesItFromTheDevice() throws Exception {
        RegisteredWindow window = window();
        assertThat(registry.rangeBytes()).isEqualTo(BYTES);
        FutureTask<Place> waiting = new FutureTask<>(window::next);
        Thread waiter = new Thread(waiting, "waiter");
        waiter.start();
        await().until(() -> waiter.getState() == Thread.State.WAITING);
        window.close();
        window.close();
        assertThatThrownBy(waiting::get).hasCauseInstanceOf(EOFException.class);
        assertThatThrownBy(() -> window.read(0, ByteBuffer.allocate(1))).isInstanceOf(EOFException.class);
        assertThat(device.registered).hasSize(ALWAYS);
        assertThat(registry.rangeBytes()).isZero();
        assertThat(ended).hasValue(1);
    }

    @Test
    void interrupt_endsWhoWaits_andIsKept() throws Exception {
        try (RegisteredWindow window = window()) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(window::next).isInstanceOf(InterruptedIOException.class);
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void windows_beyondTheLimit_areRefused_untilOneIsClosed() throws Exception {
        RegisteredWindow first = window();
        for (int i = 1; i < 4; i++) {
            window();
        }
        assertThatThrownBy(this::window).hasMessageContaining("no more may be registered");
        first.close();
        assertThat(window().key()).isNotNull();
    }

    @Test
    void failedRegistration_leavesNothing() throws Exception {
        device.registersLeft = 0;
        assertThatThrownBy(this::window).isInstanceOf(IOException.class);
        assertThat(registry.rangeBytes()).isZero();
        assertThat(device.registered).hasSize(ALWAYS);
        assertThat(ended).hasValue(0);
        device.registersLeft = Integer.MAX_VALUE;
    }

    @Test
    void closeOfAll_endsWhoWaits() throws Exception {
        RegisteredWindow window = window();
        registry.close();
        assertThatThrownBy(window::next).isInstanceOf(EOFException.class);
        window.close();
    }
}
