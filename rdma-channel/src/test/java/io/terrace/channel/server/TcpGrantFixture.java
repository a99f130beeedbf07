package io.terrace.channel.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.channel.ExtentDescriptor;
import io.terrace.channel.Grant;
import io.terrace.channel.GrantAnswer;
import io.terrace.channel.GrantRequest;
import io.terrace.channel.Message;
import io.terrace.channel.MessageCodec;
import io.terrace.channel.ReadReport;
import io.terrace.channel.Refusal;
import io.terrace.channel.RefusalReason;
import io.terrace.channel.shm.LinkDirectory;
import io.terrace.channel.shm.SlotTable;
import io.terrace.channel.tcp.ChecksummedReadTest;
import io.terrace.channel.tcp.TcpExtent;
import io.terrace.channel.tcp.TcpLimits;
import io.terrace.channel.tcp.TcpLink;
import io.terrace.channel.transport.Access;
import io.terrace.channel.transport.ChunkChecksums;
import io.terrace.channel.transport.RegionKey;
import io.terrace.common.BlockKey;
import io.terrace.common.StorageTier;
import io.terrace.metrics.MetricRegistry;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
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

/**
 * A {@link TcpGrantServer} with one extent, whose owner is told to be slow or to fail, and what a well-behaved client says to
 * it.
 */
public final class TcpGrantFixture implements Closeable {
    public static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(20);
    static final int LENGTH = 1 << 20;
    public static final BlockKey BLOCK = new BlockKey("pool", 1, 1);

    /** Asking for it takes until {@link #slowBlock}. */
    public static final BlockKey SLOW = new BlockKey("pool", 2, 1);

    /** Asking for it ends in an Error. */
    public static final BlockKey BROKEN = new BlockKey("pool", 3, 1);

    public static final TcpLimits PATIENT = limits(64, 60_000);

    final MetricRegistry metricRegistry = new MetricRegistry();
    public final CountDownLatch slowBlock = new CountDownLatch(1);
    public final AtomicInteger slowCalls = new AtomicInteger();
    public final AtomicReference<Peer> lastPeer = new AtomicReference<>();
    public final TcpGrantServer server;

    /** What the owner was told of: grants, and sessions that are gone. */
    public final Set<Long> released = ConcurrentHashMap.newKeySet();

    public final Set<Long> gone = ConcurrentHashMap.newKeySet();

    /** What became of keys on the other way. */
    public final List<String> oneSided = new CopyOnWriteArrayList<>();

    public final AtomicInteger failingReports = new AtomicInteger();

    /** Whether the DataNode fails to tell what it announces, and how often it did. */
    public volatile boolean broadcastFails;

    public final AtomicInteger failedBroadcasts = new AtomicInteger();

    public volatile long leaseMs = 60_000;

    /** Whether the owner grants nothing. */
    public volatile boolean refuses;

    private final byte[] content = new byte[LENGTH];
    private final SlotTable table;
    private final Blocks blocks;

    public TcpGrantFixture(Path dir, TcpLimits limits) throws IOException {
        new Random(5).nextBytes(content);
        Path extent = Files.write(dir.resolve("extent"), content);
        table = SlotTable.create(dir.resolve("slots"), 16, new Random(7));
        blocks = new Blocks(table);
        LinkDirectory links = LinkDirectory.create(dir.resolve("links"));
        server = new TcpGrantServer(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                "datanode",
                blocks,
                links,
                new Owner(links, extent),
                (block, length, room) -> ChecksummedReadTest.checksums(content, room),
                LENGTH,
                new Recorded(),
                limits,
                metricRegistry);
    }

    @Override
    public void close() throws IOException {
        slowBlock.countDown();
        server.close();
        table.close();
    }

    /** Clients that connect from now on are told that the block is there. */
    public void announce(BlockKey block) {
        blocks.add(block);
    }

    static TcpLimits limits(int addressConnections, int patienceMs) {
        return new TcpLimits(64, addressConnections, 1, 256, 8 << 20, patienceMs, 300_000);
    }

    void assertRead(TcpLink link) throws IOException {
        try (TcpExtent region = link.attach(key(ask(link, BLOCK)), TIMEOUT_NS)) {
            assertBytes(region);
        }
    }

    void assertBytes(TcpExtent region) throws IOException {
        ByteBuffer target = ByteBuffer.allocate(1000);
        region.read(5, target, TIMEOUT_NS);
        assertThat(target.flip()).isEqualTo(ByteBuffer.wrap(content, 5, 1000));
    }

    /** Says hello and asks. */
    public static Grant ask(TcpLink link, BlockKey block) throws IOException {
        askAs("somebody", link, block);
        return granted(link);
    }

    /** The owner believes who he is. */
    public static void askAs(String user, TcpLink link, BlockKey block) throws IOException {
        say(link, new Message.Hello(user + "/test"));
        say(link, asking(1, block));
    }

    public static void say(TcpLink link, Message message) throws IOException {
        link.send(MessageCodec.encode(message).position(Integer.BYTES), TIMEOUT_NS);
    }

    public static Grant granted(TcpLink link) throws IOException {
        long deadlineNs = System.nanoTime() + TIMEOUT_NS;
        while (System.nanoTime() - deadlineNs < 0) {
            ByteBuffer answer = link.receive(TIMEOUT_NS);
            if (answer != null && MessageCodec.decode(answer) instanceof Message.Granted granted) {
                return granted.grant();
            }
        }
        throw new AssertionError("no grant in time");
    }

    public static Message.Ask asking(long number, BlockKey block) {
        return new Message.Ask(number, new GrantRequest(block, new byte[0], false));
    }

    static RegionKey key(Grant grant) {
        return RegionKey.of(grant.linkName(), 0, LENGTH, Access.READ);
    }

    public static void eventually(BooleanSupplier holds) {
        long deadlineNs = System.nanoTime() + TIMEOUT_NS;
        while (!holds.getAsBoolean()) {
            assertThat(System.nanoTime() - deadlineNs).isNegative();
            LockSupport.parkNanos(10_000_000);
        }
    }

    private final class Blocks extends AnnouncedBlocks {
        Blocks(SlotTable table) {
            super(table);
        }

        @Override
        long[] sortedFingerprints() {
            if (broadcastFails) {
                failedBroadcasts.incrementAndGet();
                throw new InternalError("as was wanted");
            }
            return super.sortedFingerprints();
        }
    }

    /** No other way, but it is known what became of it. */
    private final class Recorded implements OneSidedRanges {
        @Override
        public String where() {
            return "";
        }

        @Override
        public void granted(Grant grant, RegionKey key, Path file, ChunkChecksums checksums) {}

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

    private final class Owner implements GrantService {
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
                if (refuses) {
                    return new Refusal(RefusalReason.NOT_RESIDENT, "as was wanted");
                }
                ExtentDescriptor descriptor = new ExtentDescriptor(BLOCK, StorageTier.MEMORY, 0, LENGTH, 0, 1);
                return new Grant(lastGrant.incrementAndGet(), descriptor, links.link(extent), leaseMs);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public Principal holder(Peer peer, GrantRequest request) {
            return Principal.onAnotherHost(peer.user());
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
