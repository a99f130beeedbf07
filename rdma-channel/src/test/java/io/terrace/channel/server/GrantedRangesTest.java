package io.terrace.channel.server;

import static io.terrace.channel.server.TcpGrantFixture.TIMEOUT_NS;
import static io.terrace.channel.server.TcpGrantFixture.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.channel.ExtentDescriptor;
import io.terrace.channel.Grant;
import io.terrace.channel.GrantAnswer;
import io.terrace.channel.GrantRequest;
import io.terrace.channel.ReadReport;
import io.terrace.channel.shm.LinkDirectory;
import io.terrace.channel.tcp.ChecksummedReadTest;
import io.terrace.channel.tcp.TcpExtent;
import io.terrace.channel.tcp.TcpLimits;
import io.terrace.channel.tcp.TcpLink;
import io.terrace.channel.tcp.server.ReceivedMessages;
import io.terrace.channel.tcp.server.TcpListener;
import io.terrace.channel.tcp.server.TcpRange;
import io.terrace.channel.tcp.server.TcpSession;
import io.terrace.channel.transport.ChannelException;
import io.terrace.channel.transport.ChunkChecksums;
import io.terrace.channel.transport.ExtentPiece;
import io.terrace.common.BlockKey;
import io.terrace.common.StorageTier;
import io.terrace.metrics.MetricRegistry;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the owner is told of grants whose ranges are read over several connections. */
final class GrantedRangesTest {
    /** More than a socket's buffers take. */
    private static final int LENGTH = 32 << 20;

    private static final int PIECE = 1 << 20;
    private static final BlockKey BLOCK = new BlockKey("pool", 1, 1);
    private static final BlockKey OTHER = new BlockKey("pool", 2, 1);

    @TempDir
    Path dir;

    private final List<String> told = new CopyOnWriteArrayList<>();
    private final ScheduledExecutorService later = Executors.newSingleThreadScheduledExecutor();
    private final ReceivedMessages received = new ReceivedMessages();
    private TcpListener listener;
    private ChecksumCache cache;
    private TcpRange range;
    private GrantedRanges ranges;
    private TcpGrantSession client;
    private TcpLink link;
    private TcpExtent region;
    private volatile WeakReference<byte[]> lastSums = new WeakReference<>(null);
    private long heldBytes;
    private volatile boolean ownerFails;
    private volatile boolean checksumsFail;

    @BeforeEach
    void start() throws Exception {
        byte[] content = new byte[LENGTH];
        new Random(3).nextBytes(content);
        Path file = Files.write(dir.resolve("extent"), content);
        TcpLimits limits = new TcpLimits(8, 8, 1, 256, 2L * LENGTH, 10_000, 300_000);
        listener = TcpListener.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), limits, received);
        cache = new ChecksumCache(
                (block, length, room) -> {
                    if (checksumsFail) {
                        throw new InternalError("as was wanted");
                    }
                    ChunkChecksums checksums = Objects.requireNonNull(ChecksummedReadTest.checksums(content, room));
                    lastSums = new WeakReference<>(checksums.sums());
                    return checksums;
                },
                LENGTH,
                new MetricRegistry());
        ranges = new GrantedRanges(
                listener,
                LinkDirectory.create(dir.resolve("links")),
                new Owner(file),
                cache,
                OneSidedRanges.NONE,
                later);
        link = TcpLink.connect(listener.address(), limits, TIMEOUT_NS);
        link.send(ByteBuffer.allocate(1), TIMEOUT_NS);
        TcpSession session = Objects.requireNonNull(received.nextSession(TIMEOUT_NS));
        client = new TcpGrantSession(new Peer(1, "user", "", false, "user/test"), session, Runnable::run);
        assertThat(ranges.grant(client, asking(BLOCK), Principal.UNKNOWN)).isInstanceOf(Grant.class);
        heldBytes = cache.heldBytes();
        range = client.held.get(7L).range;
        region = link.attach(range.key, TIMEOUT_NS);
    }

    @AfterEach
    void stop() throws IOException {
        link.close();
        listener.close();
        later.shutdown();
    }

    @Test
    void disconnected_withoutReads_isToldAtOnce() {
        client.calls.runSoon(() -> ranges.ended(client, true));
        eventually(() -> told.equals(List.of("released 7", "disconnected")));
        eventually(() -> cache.heldBytes() == 0);
    }

    @Test
    void disconnected_waitsForReadsOverOtherConnections_andTheirBytesCount() throws Exception {
        List<ExtentPiece> pieces = unfinishedReads();
        client.calls.runSoon(() -> ranges.ended(client, true));
        Thread.sleep(100);
        assertThat(told).isEmpty();
        assertThat(cache.heldBytes()).isPositive();
        link.close();
        eventually(() -> told.size() == 3);
        assertThat(told).endsWith("released 7", "disconnected");
        assertThat(told.get(0)).startsWith("reported").isNotEqualTo("reported 0");
        pieces.forEach(ExtentPiece::close);
    }

    @Test
    void end_isToldWhenTheReadsHaveEnded() throws Exception {
        List<ExtentPiece> pieces = unfinishedReads();
        client.calls.runSoon(() -> ranges.released(client, 7));
        Thread.sleep(100);
        assertThat(told).isEmpty();
        link.close();
        eventually(() -> told.size() == 2);
        assertThat(told.get(1)).isEqualTo("released 7");
        pieces.forEach(ExtentPiece::close);
    }

    @Test
    void disconnected_waitsForGrantsThatAreEnding() throws Exception {
        List<ExtentPiece> pieces = unfinishedReads();
        client.calls.runSoon(() -> ranges.released(client, 7));
        client.calls.runSoon(() -> ranges.ended(client, true));
        Thread.sleep(100);
        assertThat(told).isEmpty();
        link.close();
        eventually(() -> told.size() == 3);
        assertThat(told).endsWith("released 7", "disconnected");
        pieces.forEach(ExtentPiece::close);
    }

    @Test
    void disconnected_whileTheServerCloses_isToldTheSame() throws Exception {
        later.shutdown();
        client.calls.runSoon(() -> ranges.ended(client, true));
        assertThat(told).containsExactly("released 7", "disconnected");
    }

    @Test
    void checksums_ofAGrantThatIsOver_areForgotten_thoughItsRangeStaysAttached() {
        client.calls.runSoon(() -> ranges.released(client, 7));
        eventually(() -> told.contains("released 7"));
        eventually(() -> {
            System.gc();
            return lastSums.get() == null;
        });
        assertThat(client.session.attachedCount()).isEqualTo(1);
        assertThatThrownBy(() -> region.read(0, ByteBuffer.allocate(10), TIMEOUT_NS))
                .isInstanceOf(ChannelException.class);
        assertThat(client.session.attachedCount()).isZero();
    }

    @Test
    void disconnected_whereTheOwnerFailsWithAnError_givesAllElseBack() {
        ownerFails = true;
        client.calls.runSoon(() -> ranges.ended(client, true));
        eventually(() -> told.equals(List.of("disconnected")));
        assertThat(cache.heldBytes()).isZero();
    }

    @Test
    void grant_whoseChecksumsCannotBeHadForAnError_isReleased() {
        checksumsFail = true;
        assertThatThrownBy(() -> ranges.grant(client, asking(OTHER), Principal.UNKNOWN))
                .isInstanceOf(InternalError.class);
        assertThat(told).containsExactly("released 7");
        assertThat(cache.heldBytes()).isEqualTo(heldBytes);
    }

    /** Reads whose answers nobody takes: some are stuck in the socket. */
    private List<ExtentPiece> unfinishedReads() throws IOException {
        List<ExtentPiece> pieces = new ArrayList<>();
        for (int at = 0; at < LENGTH; at += PIECE) {
            pieces.add(region.begin(at, Math.min(PIECE, region.maxPieceBytes()), TIMEOUT_NS));
        }
        long asked = pieces.stream().mapToLong(ExtentPiece::lengthBytes).sum();
        eventually(() -> range.served.bytes() == asked);
        return pieces;
    }

    private static GrantRequest asking(BlockKey block) {
        return new GrantRequest(block, new byte[0], false);
    }

    private final class Owner implements GrantService {
        private final Path file;

        Owner(Path file) {
            this.file = file;
        }

        @Override
        public GrantAnswer grant(Peer peer, GrantRequest request) {
            ExtentDescriptor descriptor = new ExtentDescriptor(request.block(), StorageTier.MEMORY, 0, LENGTH, 0, 1);
            return new Grant(7, descriptor, file.toString(), 60_000);
        }

        @Override
        public Principal holder(Peer peer, GrantRequest request) {
            return Principal.UNKNOWN;
        }

        @Override
        public long renew(Peer peer, long grantId) {
            return 0;
        }

        @Override
        public void released(Peer peer, long grantId) {
            if (ownerFails) {
                throw new InternalError("as was wanted");
            }
            told.add("released " + grantId);
        }

        @Override
        public void reported(Peer peer, List<ReadReport> reports) {
            if (ownerFails) {
                throw new InternalError("as was wanted");
            }
            if (!reports.isEmpty()) {
                told.add("reported "
                        + reports.stream().mapToLong(ReadReport::bytes).sum());
            }
        }

        @Override
        public void disconnected(Peer peer, boolean orderly) {
            told.add("disconnected");
        }
    }
}
