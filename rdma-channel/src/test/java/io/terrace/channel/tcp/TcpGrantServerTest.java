package io.terrace.channel.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.terrace.channel.Access;
import io.terrace.channel.BlockKey;
import io.terrace.channel.Descriptor;
import io.terrace.channel.ExtentOwner;
import io.terrace.channel.Grant;
import io.terrace.channel.GrantAnswer;
import io.terrace.channel.GrantRequest;
import io.terrace.channel.LinkDirectory;
import io.terrace.channel.Message;
import io.terrace.channel.MessageCodec;
import io.terrace.channel.Peer;
import io.terrace.channel.ReadReport;
import io.terrace.channel.Refusal;
import io.terrace.channel.RefusalReason;
import io.terrace.channel.RegionKey;
import io.terrace.channel.SlotTable;
import io.terrace.channel.Tier;
import io.terrace.metrics.Figure;
import io.terrace.metrics.Figures;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients of other hosts that keep to no rule, and what others notice of them: nothing. */
final class TcpGrantServerTest {
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(20);
    private static final int TIMEOUT_MS = 20_000;
    private static final int PATIENCE_MS = 500;
    private static final int LENGTH = 1 << 20;
    private static final BlockKey BLOCK = new BlockKey("pool", 1, 1);

    /** Asking for it takes until {@link #slowBlock}. */
    private static final BlockKey SLOW = new BlockKey("pool", 2, 1);

    private static final BlockKey BROKEN = new BlockKey("pool", 3, 1);

    private static final TcpLimits PATIENT = limits(64, 60_000);

    @TempDir
    Path dir;

    private final byte[] content = new byte[LENGTH];
    private final Figures figures = new Figures();
    private final CountDownLatch slowBlock = new CountDownLatch(1);
    private final AtomicInteger slowCalls = new AtomicInteger();
    private final AtomicReference<Peer> lastPeer = new AtomicReference<>();
    private final AtomicInteger failingReports = new AtomicInteger();
    private final List<String> oneSided = new CopyOnWriteArrayList<>();
    private final Set<Long> released = ConcurrentHashMap.newKeySet();
    private final Set<Long> gone = ConcurrentHashMap.newKeySet();
    private volatile long leaseMs = 60_000;
    private SlotTable table;
    private TcpGrantServer server;

    private static TcpLimits limits(int addressConnections, int patienceMs) {
        return new TcpLimits(64, addressConnections, 1, 256, 8 << 20, patienceMs, 300_000);
    }

    private void serve(TcpLimits limits) throws IOException {
        new Random(5).nextBytes(content);
        Path extent = Files.write(dir.resolve("extent"), content);
        table = SlotTable.create(dir.resolve("slots"), 16, new Random(7));
        LinkDirectory links = LinkDirectory.create(dir.resolve("links"));
        server = TcpGrantServer.start(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                "datanode",
                new AnnouncedBlocks(table),
                links,
                new Owner(links, extent),
                (block, length, most) -> ChecksummedReadTest.checksums(content),
                LENGTH,
                new Recorded(),
                limits,
                figures);
    }

    @AfterEach
    void stop() throws IOException {
        slowBlock.countDown();
        server.close();
        table.close();
    }

    @Test
    void asks_inAFlood_haveOneWorker_andOthersAreServed() throws Exception {
        serve(PATIENT);
        try (SocketChannel hostile = SocketChannel.open(server.address())) {
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
            assertThat(slowCalls.get()).isEqualTo(1);
            try (TcpLink honest = TcpLink.connect(server.address(), PATIENT, TIMEOUT_NS)) {
                assertRead(honest);
            }
            slowBlock.countDown();
            // It was not cut: its calls go on as it takes the answers.
            hostile.configureBlocking(true);
            hostile.socket().setSoTimeout(TIMEOUT_MS);
            assertThat(hostile.socket().getInputStream().readNBytes(100_000)).hasSize(100_000);
            assertThat(slowCalls.get()).isGreaterThan(Calls.MOST_WAITING);
        }
        assertThat(figures.value(Figure.CHANNEL_PEERS_CUT)).isZero();
    }

    @Test
    void connection_thatAsksForNothing_isCut_andOneThatReachedForARangeIsNot() throws Exception {
        serve(limits(64, PATIENCE_MS));
        try (TcpLink first = TcpLink.connect(server.address(), PATIENT, TIMEOUT_NS);
                Socket silent = socket()) {
            Grant grant = ask(first, BLOCK);
            TcpLink beside = first.beside(TIMEOUT_NS);
            try (TcpRegion region = beside.attach(key(grant), TIMEOUT_NS)) {
                assertEnds(silent);
                assertBytes(region);
            } finally {
                beside.close();
            }
        }
    }

    @Test
    void client_thatTakesNoAnswers_isCut_howeverMuchItSays() throws Exception {
        serve(limits(64, PATIENCE_MS));
        try (TcpLink honest = TcpLink.connect(server.address(), PATIENT, TIMEOUT_NS);
                SocketChannel deaf = SocketChannel.open(server.address())) {
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
            try (TcpRegion region = honest.attach(key(grant), TIMEOUT_NS)) {
                assertBytes(region);
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
            eventually(() -> figures.value(Figure.CHANNEL_TCP_CONNECTIONS) == 3);
            try (Socket tooMany = socket()) {
                assertEnds(tooMany);
            }
            assertThat(figures.value(Figure.CHANNEL_CONNECTIONS_REFUSED)).isEqualTo(1);
            taken.remove(0).close();
            eventually(() -> figures.value(Figure.CHANNEL_TCP_CONNECTIONS) == 2);
            try (TcpLink next = TcpLink.connect(server.address(), PATIENT, TIMEOUT_NS)) {
                assertRead(next);
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
        try (TcpLink honest = TcpLink.connect(server.address(), PATIENT, TIMEOUT_NS)) {
            Grant grant = ask(honest, BLOCK);
            for (int round = 0; round < 30; round++) {
                try (Socket hostile = socket()) {
                    byte[] garbage = new byte[Wire.HEADER_BYTES + random.nextInt(200)];
                    random.nextBytes(garbage);
                    if (round % 2 == 0) {
                        // A believable length and type, so that the body is looked at.
                        ByteBuffer.wrap(garbage)
                                .putInt(garbage.length - Wire.HEADER_BYTES)
                                .put((byte) (1 + round % 9));
                    }
                    hostile.getOutputStream().write(garbage);
                    assertThat(ends(hostile))
                            .as("seed %d, round %d", seed, round)
                            .isTrue();
                }
            }
            assertThat(figures.value(Figure.CHANNEL_PEERS_CUT)).isEqualTo(30);
            try (TcpRegion region = honest.attach(key(grant), TIMEOUT_NS)) {
                assertBytes(region);
            }
        }
    }

    @Test
    void request_thatComesByteByByte_hasTheTimeOfOne() throws Exception {
        serve(limits(64, PATIENCE_MS));
        try (SocketChannel dripping = SocketChannel.open(server.address())) {
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
        try (SocketChannel patient = SocketChannel.open(server.address())) {
            patient.write(frame(new Message.Hello("somebody/patient")));
            ByteBuffer asks = asks(SLOW, Calls.MOST_WAITING + 2);
            ByteBuffer head = asks.duplicate().limit(asks.limit() - 20);
            patient.write(head);
            eventually(() -> slowCalls.get() == 1);
            // Longer than the rest of a request may take.
            Thread.sleep(3 * PATIENCE_MS);
            patient.write(asks.position(head.position()));
            slowBlock.countDown();
            eventually(() -> slowCalls.get() == Calls.MOST_WAITING + 2);
        }
        assertThat(figures.value(Figure.CHANNEL_PEERS_CUT)).isZero();
    }

    private void assertRead(TcpLink link) throws IOException {
        try (TcpRegion region = link.attach(key(ask(link, BLOCK)), TIMEOUT_NS)) {
            assertBytes(region);
        }
    }

    private void assertBytes(TcpRegion region) throws IOException {
        ByteBuffer target = ByteBuffer.allocate(1000);
        region.read(5, target, TIMEOUT_NS);
        assertThat(target.flip()).isEqualTo(ByteBuffer.wrap(content, 5, 1000));
    }

    @Test
    void owner_thatFailsWithAnError_costsTheCallAndNotThoseAfterIt() throws Exception {
        serve(PATIENT);
        try (TcpLink client = TcpLink.connect(server.address(), PATIENT, TIMEOUT_NS)) {
            ask(client, BLOCK);
            say(client, asking(2, BROKEN));
            say(client, asking(3, BLOCK));
            granted(client);
        }
    }

    @Test
    void revoke_whileItsHolderIsGrantedSomethingElse_doesNotWaitForThat() throws Exception {
        serve(PATIENT);
        try (TcpLink holder = TcpLink.connect(server.address(), PATIENT, TIMEOUT_NS)) {
            Grant grant = ask(holder, BLOCK);
            say(holder, asking(2, SLOW));
            eventually(() -> slowCalls.get() == 1);
            assertTimeoutPreemptively(
                    Duration.ofNanos(TIMEOUT_NS), () -> server.revoke(lastPeer.get(), grant.grantId(), true));
        }
    }

    @Test
    void revoke_whileGrantsOfOthersHang_isCarriedOut_andTheirOwnFollow() throws Exception {
        serve(PATIENT);
        try (TcpLink honest = TcpLink.connect(server.address(), PATIENT, TIMEOUT_NS);
                TcpLink hanging = TcpLink.connect(server.address(), PATIENT, TIMEOUT_NS);
                TcpLink another = TcpLink.connect(server.address(), PATIENT, TIMEOUT_NS)) {
            Grant grant = ask(honest, BLOCK);
            Peer holder = lastPeer.get();
            Grant late = ask(hanging, BLOCK);
            Peer latePeer = lastPeer.get();
            ask(another, BLOCK);
            say(hanging, asking(2, SLOW));
            say(another, asking(2, SLOW));
            eventually(() -> slowCalls.get() == 2);
            server.revoke(latePeer, late.grantId(), true);
            server.revoke(holder, grant.grantId(), true);
            eventually(() -> released.contains(grant.grantId()));
            assertThat(released).doesNotContain(late.grantId());
            slowBlock.countDown();
            eventually(() -> released.contains(late.grantId()));
        }
    }

    @Test
    void disconnect_whileAGrantHangs_isToldWhenThatIsOver_andOthersAreServed() throws Exception {
        serve(PATIENT);
        try (TcpLink honest = TcpLink.connect(server.address(), PATIENT, TIMEOUT_NS)) {
            TcpLink hanging = TcpLink.connect(server.address(), PATIENT, TIMEOUT_NS);
            ask(hanging, BLOCK);
            long leaving = lastPeer.get().session();
            say(hanging, asking(2, SLOW));
            eventually(() -> slowCalls.get() == 1);
            hanging.close();
            Grant grant = ask(honest, BLOCK);
            server.revoke(lastPeer.get(), grant.grantId(), true);
            eventually(() -> released.contains(grant.grantId()));
            assertThat(gone).isEmpty();
            slowBlock.countDown();
            eventually(() -> gone.contains(leaving));
        }
    }

    @Test
    void tick_thatFailsOnce_isFollowedByOthers() throws Exception {
        leaseMs = 3_000;
        serve(PATIENT);
        try (TcpLink link = TcpLink.connect(server.address(), PATIENT, TIMEOUT_NS)) {
            failingReports.set(1);
            Grant grant = ask(link, BLOCK);
            eventually(() -> failingReports.get() <= 0);
            eventually(() -> released.contains(grant.grantId()));
        }
    }

    @Test
    void revoke_ofOneGrantTooMany_leavesTheExtentToTheOthers() throws Exception {
        serve(PATIENT);
        try (TcpLink link = TcpLink.connect(server.address(), PATIENT, TIMEOUT_NS)) {
            Grant one = ask(link, BLOCK);
            say(link, asking(2, BLOCK));
            Grant two = granted(link);
            server.revoke(lastPeer.get(), one.grantId(), false);
            eventually(() -> released.contains(one.grantId()));
            assertThat(oneSided).containsExactly("ended " + one.linkName());
            server.revoke(lastPeer.get(), two.grantId(), true);
            eventually(() -> released.contains(two.grantId()));
            assertThat(oneSided)
                    .containsExactly("ended " + one.linkName(), "retired " + two.linkName(), "ended " + two.linkName());
        }
    }

    /** Says hello and asks. */
    private static Grant ask(TcpLink link, BlockKey block) throws IOException {
        say(link, new Message.Hello("somebody/test"));
        say(link, asking(1, block));
        return granted(link);
    }

    private static void say(TcpLink link, Message message) throws IOException {
        link.send(MessageCodec.encode(message).position(Integer.BYTES), TIMEOUT_NS);
    }

    private static Grant granted(TcpLink link) throws IOException {
        long deadlineNs = System.nanoTime() + TIMEOUT_NS;
        while (System.nanoTime() - deadlineNs < 0) {
            ByteBuffer answer = link.receive(TIMEOUT_NS);
            if (answer != null && MessageCodec.decode(answer) instanceof Message.Granted granted) {
                return granted.grant();
            }
        }
        throw new AssertionError("no grant in time");
    }

    private static Message.Ask asking(long number, BlockKey block) {
        return new Message.Ask(number, new GrantRequest(block, new byte[0], false));
    }

    private static RegionKey key(Grant grant) {
        return RegionKey.of(grant.linkName(), 0, LENGTH, Access.READ);
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
        return request(Wire.MESSAGE, MessageCodec.encode(message).position(Integer.BYTES));
    }

    private static ByteBuffer attach(RegionKey key) {
        return request(
                Wire.ATTACH,
                ByteBuffer.allocate(Wire.ATTACH_BYTES)
                        .putLong(key.high())
                        .putLong(key.low())
                        .putLong(0)
                        .putLong(LENGTH)
                        .flip()
                        .limit(Wire.ATTACH_BYTES));
    }

    /** Of the first range that the connection reached for. */
    private static ByteBuffer read(int bytes) {
        return request(
                Wire.READ,
                ByteBuffer.allocate(Wire.READ_BYTES)
                        .putInt(1)
                        .putLong(0)
                        .putInt(bytes)
                        .flip());
    }

    private static ByteBuffer detachOfNothing() {
        return request(Wire.DETACH, ByteBuffer.allocate(Wire.DETACH_BYTES).putInt(0, 9_999));
    }

    private static ByteBuffer request(byte type, ByteBuffer body) {
        return ByteBuffer.allocate(Wire.HEADER_BYTES + body.remaining())
                .putInt(body.remaining())
                .put(type)
                .position(Wire.HEADER_BYTES)
                .put(body)
                .flip();
    }

    private Socket socket() throws IOException {
        InetSocketAddress where = (InetSocketAddress) server.address();
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

    private static void eventually(BooleanSupplier holds) {
        long deadlineNs = System.nanoTime() + TIMEOUT_NS;
        while (!holds.getAsBoolean()) {
            assertThat(System.nanoTime() - deadlineNs).isNegative();
            LockSupport.parkNanos(10_000_000);
        }
    }

    /** No other way, but it is known what became of it. */
    private final class Recorded implements OneSidedRanges {
        @Override
        public String where() {
            return "";
        }

        @Override
        public void granted(Grant grant, RegionKey key, Path file, Checksums checksums) {}

        @Override
        public void retired(RegionKey key) {
            oneSided.add("retired " + key.digits());
        }

        @Override
        public long ended(RegionKey key) {
            oneSided.add("ended " + key.digits());
            return 0;
        }
    }

    private final class Owner implements ExtentOwner {
        private final LinkDirectory links;
        private final Path extent;
        private final AtomicLong lastGrant = new AtomicLong();

        Owner(LinkDirectory links, Path extent) {
            this.links = links;
            this.extent = extent;
        }

        @Override
        public GrantAnswer grant(Peer peer, GrantRequest request) {
            lastPeer.set(peer);
            try {
                if (request.block().equals(SLOW)) {
                    slowCalls.incrementAndGet();
                    slowBlock.await();
                    return new Refusal(RefusalReason.NOT_RESIDENT, "slow");
                }
                if (request.block().equals(BROKEN)) {
                    throw new AssertionError("as was wanted");
                }
                Descriptor descriptor = new Descriptor(BLOCK, Tier.MEMORY, 0, LENGTH, 0, 1);
                return new Grant(lastGrant.incrementAndGet(), descriptor, links.link(extent), leaseMs);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public long renew(Peer peer, long grantId) {
            return 0;
        }

        @Override
        public void released(Peer peer, long grantId) {
            released.add(grantId);
        }

        @Override
        public void reported(Peer peer, List<ReadReport> reports) {
            if (failingReports.getAndDecrement() > 0) {
                throw new OutOfMemoryError("as was wanted");
            }
        }

        @Override
        public void disconnected(Peer peer, boolean orderly) {
            gone.add(peer.session());
        }
    }
}
