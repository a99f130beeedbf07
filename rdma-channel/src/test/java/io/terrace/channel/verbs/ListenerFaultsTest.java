package io.terrace.channel.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import io.terrace.channel.transport.ChannelException;
import io.terrace.channel.transport.ChecksumType;
import io.terrace.channel.verbs.device.QueuePair;
import io.terrace.channel.verbs.device.RegisteredBuffers;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Errors on the thread that polls for all connections, and what the others notice of them: nothing. Without a device. */
final class ListenerFaultsTest {
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(20);
    private static final int FAILED = 5;

    private final AtomicInteger failing = new AtomicInteger();
    private FakeDevice device;
    private VerbsProvider provider;
    private VerbsListener listener;
    private RdmaCmId listening;
    private long connections;

    @BeforeEach
    void listen() throws Exception {
        device = new FakeDevice();
        device.posts = true;
        AtomicReference<RdmaCmId> first = new AtomicReference<>();
        device.connections.onCreate = first::set;
        provider = new VerbsProvider(VerbsLimits.DEFAULT, false);
        listener = provider.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        listening = Objects.requireNonNull(first.get());
    }

    @AfterEach
    void close() throws Exception {
        listener.close();
        provider.close();
        assertThat(device.connections.pairs).hasValue(0);
        assertThat(device.registered).isEmpty();
        device.close();
    }

    @Test
    void completion_thatEndsInAnError_costsItsConnection_andNotTheOthersOfTheSameBatch() throws Exception {
        long unlucky = connect();
        long second = connect();
        connect();
        poll(erroneous(unlucky), failed(second));
        awaitConnections(1);
        await().until(() -> device.connections.pairs.get() == 1);
        assertThat(connect()).isEqualTo(4);
    }

    @Test
    void polls_thatEndInAnError_areFollowedByOthers() throws Exception {
        long number = connect();
        for (int i = 0; i < 3; i++) {
            device.polls.add(() -> {
                throw new AssertionError("as was wanted");
            });
        }
        poll(failed(number));
        awaitConnections(0);
    }

    @Test
    void end_thatMeetsAnError_leavesNothingBehind() throws Exception {
        long unlucky = connect();
        long other = connect();
        failing.set(1);
        device.connections.onDisconnect = this::mayFail;
        poll(erroneous(unlucky), failed(other));
        awaitConnections(0);
        assertThat(failing.get()).isNegative();
        await().until(() -> device.connections.pairs.get() == 0);
    }

    @Test
    void accept_thatMeetsAnError_costsThatConnection_andLeavesNothingOfIt() throws Exception {
        failing.set(1);
        device.connections.onAccept = this::mayFail;
        connections++;
        happens(EventType.RDMA_CM_EVENT_CONNECT_REQUEST, device.connections.id());
        await().until(() -> failing.get() <= 0);
        await().until(() -> device.connections.pairs.get() == 0);
        assertThat(listener.connections()).isZero();
        assertThat(connect()).isEqualTo(2);
    }

    /** At the owner's end, a wrong guess of a card's key is a connection that its device ends. */
    @Test
    void connections_thatTheDeviceEnds_costTheirAddressAMinute_whereClientsOnlyAttach() throws Exception {
        // It would take what is polled for the other.
        listener.close();
        device.connections.onCreate = id -> listening = id;
        try (VerbsListener own = provider.serve(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), () -> {})) {
            for (long guess = 1; guess <= AddressBlocklist.TOLERATED + 1; guess++) {
                comes(own);
                poll(failed(guess));
                await().until(() -> own.connections() == 0);
            }
            assertThat(own.addressesHeldOff()).isEqualTo(1);
            int looks = device.connections.looks.get();
            happens(EventType.RDMA_CM_EVENT_CONNECT_REQUEST, device.connections.id());
            await().until(() -> device.connections.looks.get() > looks + 2);
            assertThat(own.connections()).isZero();

            device.connections.from = InetAddress.getByAddress(new byte[] {10, 0, 0, 2});
            comes(own);
        }
    }

    /** The fake device has no batches, so that a post ends in a NullPointerException. */
    @Test
    void post_thatEndsInAnything_givesTheBuffersBack_thatAllConnectionsShare() throws Exception {
        VerbsLink link = accepted();
        Attachment range = new Attachment(0, new int[] {1}, 0, 0, 0, ChecksumType.NONE, 1, 0, 0);
        assertThatThrownBy(() -> link.transfers()
                        .begin(range, 0, 10, RegisteredBuffers.LARGE_BYTES, null, 0, 0, System.nanoTime() + TIMEOUT_NS))
                .isInstanceOf(ChannelException.class)
                .hasRootCauseInstanceOf(NullPointerException.class);
        assertThat(provider.deviceCounters().lentBuffers).hasValue(0);
        assertThat(link.hasEnded()).isTrue();
    }

    @Test
    void connections_ofOneAddress_leavePlacesForOthers_whereClientsOnlyAttach() throws Exception {
        listener.close();
        provider.close();
        device.connections.onCreate = id -> listening = id;
        provider = new VerbsProvider(new VerbsLimits(1, 4, 8, 1 << 20), false);
        AtomicInteger refused = new AtomicInteger();
        listener = provider.serve(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), refused::incrementAndGet);
        for (int i = 0; i < 4; i++) {
            happens(EventType.RDMA_CM_EVENT_CONNECT_REQUEST, device.connections.id());
        }
        await().until(() -> refused.get() == 2);
        assertThat(listener.connections()).isEqualTo(2);

        device.connections.from = InetAddress.getByAddress(new byte[] {10, 0, 0, 2});
        happens(EventType.RDMA_CM_EVENT_CONNECT_REQUEST, device.connections.id());
        awaitConnections(3);
    }

    private void comes(VerbsListener own) throws IOException {
        happens(EventType.RDMA_CM_EVENT_CONNECT_REQUEST, device.connections.id());
        await().until(() -> own.connections() == 1);
    }

    private void mayFail() {
        if (failing.getAndDecrement() > 0) {
            throw new AssertionError("as was wanted");
        }
    }

    /** Somebody more; returns the number of his connection. */
    private long connect() throws Exception {
        assertThat(accepted()).isNotNull();
        return ++connections;
    }

    private VerbsLink accepted() throws Exception {
        RdmaCmId id = device.connections.id();
        happens(EventType.RDMA_CM_EVENT_CONNECT_REQUEST, id);
        happens(EventType.RDMA_CM_EVENT_ESTABLISHED, id);
        return listener.accept(TIMEOUT_NS);
    }

    private void happens(EventType type, RdmaCmId id) throws IOException {
        device.connections.events.add(new RdmaCmEvent(type.ordinal(), listening, id) {});
    }

    private void awaitConnections(int left) {
        await().atMost(TIMEOUT_NS, TimeUnit.NANOSECONDS).until(() -> listener.connections() == left);
    }

    private void poll(IbvWC... completions) {
        device.polls.add(() -> List.of(completions));
    }

    private static IbvWC failed(long number) {
        IbvWC completion = new IbvWC();
        completion.setWr_id(workId(number));
        completion.setStatus(FAILED);
        return completion;
    }

    private static IbvWC erroneous(long number) {
        IbvWC completion = new IbvWC() {
            @Override
            public int getStatus() {
                throw new AssertionError("as was wanted");
            }
        };
        completion.setWr_id(workId(number));
        return completion;
    }

    private static long workId(long number) {
        return QueuePair.workId(QueuePair.NUDGE, number, 0);
    }
}
