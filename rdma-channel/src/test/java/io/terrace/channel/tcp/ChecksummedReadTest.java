package io.terrace.channel.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.terrace.channel.server.ChecksumSource;
import io.terrace.channel.tcp.server.ReceivedMessages;
import io.terrace.channel.tcp.server.TcpListener;
import io.terrace.channel.tcp.server.TcpRange;
import io.terrace.channel.transport.ChannelException;
import io.terrace.channel.transport.ChecksumMismatchException;
import io.terrace.channel.transport.ChecksumType;
import io.terrace.channel.transport.ChunkChecksums;
import io.terrace.channel.transport.ExtentPiece;
import io.terrace.channel.transport.ExtentRange;
import io.terrace.channel.transport.TransferStatus;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What tcp does beyond the contract: checksums, revocation, many readers, peers that go silent. */
public final class ChecksummedReadTest {
    private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);
    private static final int CHUNK_BYTES = 512;
    private static final int LENGTH = 5 * (1 << 20) + 77;

    @TempDir
    Path dir;

    private TcpListener listener;
    private TcpLink link;
    private Path file;
    private byte[] content;
    private TcpRange range;

    @BeforeEach
    void start() throws IOException {
        content = new byte[LENGTH];
        new Random(4).nextBytes(content);
        file = Files.write(dir.resolve("extent"), content);
        listener = TcpListener.open(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), TcpLimits.DEFAULT, new ReceivedMessages());
        range = listener.register(new ExtentRange(file, 0, LENGTH), checksums(content));
        link = TcpLink.connect(listener.address(), TcpLimits.DEFAULT, SECOND_NS);
    }

    @AfterEach
    void stop() throws IOException {
        link.close();
        listener.close();
    }

    public static ChunkChecksums checksums(byte[] data) {
        ByteBuffer sums = ByteBuffer.allocate((data.length + CHUNK_BYTES - 1) / CHUNK_BYTES * 4);
        for (int at = 0; at < data.length; at += CHUNK_BYTES) {
            CRC32C crc = new CRC32C();
            crc.update(data, at, Math.min(CHUNK_BYTES, data.length - at));
            sums.putInt((int) crc.getValue());
        }
        return new ChunkChecksums(ChecksumType.CRC32C, CHUNK_BYTES, sums.array());
    }

    /** As a source says them. */
    public static @Nullable ChunkChecksums checksums(byte[] data, ChecksumSource.Room room) {
        ChunkChecksums all = checksums(data);
        return room.take(all.sums().length) ? all : null;
    }

    /** As dfs.bytes-per-checksum of hundreds of KB makes them: no piece would ever be long enough, so nobody may begin. */
    @Test
    void chunks_thatDoNotFitABuffer_areNotUsable() throws Exception {
        for (int chunkBytes : new int[] {64 << 10, 400 << 10, 1 << 20}) {
            byte[] sums = new byte[(LENGTH + chunkBytes - 1) / chunkBytes * ChunkChecksums.SUM_BYTES];
            TcpRange large = listener.register(
                    new ExtentRange(file, 0, LENGTH), new ChunkChecksums(ChecksumType.CRC32C, chunkBytes, sums));
            try (TcpExtent region = link.attach(large.key, SECOND_NS)) {
                assertThat(region.isUsable()).as("%s bytes", chunkBytes).isEqualTo(region.maxPieceBytes() > 0);
                assertThat(region.isUsable()).as("%s bytes", chunkBytes).isEqualTo(chunkBytes == 64 << 10);
            }
        }
    }

    @Test
    void read_anyRange_givesItsBytes() throws IOException {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        try (TcpExtent region = link.attach(range.key, SECOND_NS)) {
            for (int round = 0; round < 100; round++) {
                int offset = random.nextInt(LENGTH);
                int length = random.nextInt(Math.min(LENGTH - offset, 1 << (1 + random.nextInt(22))) + 1);
                ByteBuffer target = ByteBuffer.allocate(length);
                region.read(offset, target, 5 * SECOND_NS);
                assertThat(target.flip())
                        .as("seed %d round %d", seed, round)
                        .isEqualTo(ByteBuffer.wrap(content, offset, length));
            }
        }
    }

    @Test
    void read_ofBytesThatChanged_isCorrupt_andOthersAreNot() throws IOException {
        try (RandomAccessFile change = new RandomAccessFile(file.toFile(), "rw")) {
            change.seek(10_000);
            change.write(content[10_000] ^ 1);
        }
        try (TcpExtent region = link.attach(range.key, SECOND_NS)) {
            region.read(0, ByteBuffer.allocate(9_000), SECOND_NS);
            assertThatThrownBy(() -> region.read(10_100, ByteBuffer.allocate(10), SECOND_NS))
                    .isInstanceOf(ChecksumMismatchException.class);
            assertThatThrownBy(() -> region.read(0, ByteBuffer.allocate(LENGTH), SECOND_NS))
                    .isInstanceOf(ChecksumMismatchException.class);
            region.read(20_000, ByteBuffer.allocate(9_000), SECOND_NS);
        }
    }

    @Test
    void read_afterRevoke_isNoAccess_andTheOwnerIsTold() throws Exception {
        CountDownLatch told = new CountDownLatch(1);
        try (TcpExtent region = link.attach(range.key, SECOND_NS)) {
            region.read(0, ByteBuffer.allocate(100), SECOND_NS);
            listener.revoke(range.key, told::countDown);
            assertThat(told.await(5, TimeUnit.SECONDS)).isTrue();
            assertThatThrownBy(() -> region.read(0, ByteBuffer.allocate(100), SECOND_NS))
                    .asInstanceOf(type(ChannelException.class))
                    .extracting(ChannelException::status)
                    .isEqualTo(TransferStatus.NO_ACCESS);
        }
    }

    @Test
    void read_throughARegionThatWasClosed_neverReachesAnother() throws IOException {
        byte[] others = new byte[LENGTH];
        Path otherFile = Files.write(dir.resolve("other"), others);
        TcpRange other = listener.register(new ExtentRange(otherFile, 0, LENGTH), checksums(others));
        TcpExtent closed = link.attach(range.key, SECOND_NS);
        closed.close();
        try (TcpExtent fresh = link.attach(other.key, SECOND_NS)) {
            assertThatThrownBy(() -> closed.read(0, ByteBuffer.allocate(100), SECOND_NS))
                    .asInstanceOf(type(ChannelException.class))
                    .extracting(ChannelException::status)
                    .isEqualTo(TransferStatus.NO_ACCESS);
            fresh.read(0, ByteBuffer.allocate(100), SECOND_NS);
        }
    }

    @Test
    void close_ofAPieceThatNobodyWaitedFor_leavesTheLinkAlone() throws Exception {
        try (TcpExtent region = link.attach(range.key, SECOND_NS)) {
            ExtentPiece unused = region.begin(0, 1000, SECOND_NS / 100);
            Thread.sleep(20);
            unused.close();
            ByteBuffer target = ByteBuffer.allocate(1000);
            region.read(3000, target, SECOND_NS);
            assertThat(target.flip()).isEqualTo(ByteBuffer.wrap(content, 3000, 1000));
        }
    }

    @Test
    void read_byManyThreadsOverOneLink_givesEachItsBytes() throws Exception {
        AtomicReference<Throwable> wrong = new AtomicReference<>();
        List<Thread> readers = new ArrayList<>();
        try (TcpExtent region = link.attach(range.key, SECOND_NS)) {
            for (int reader = 0; reader < 8; reader++) {
                long seed = reader;
                readers.add(new Thread(() -> {
                    try {
                        Random random = new Random(seed);
                        for (int i = 0; i < 300; i++) {
                            int length = 1 + random.nextInt(i % 10 == 0 ? 1 << 20 : 8192);
                            int offset = random.nextInt(LENGTH - length);
                            ByteBuffer target = ByteBuffer.allocate(length);
                            region.read(offset, target, 20 * SECOND_NS);
                            assertThat(target.flip()).isEqualTo(ByteBuffer.wrap(content, offset, length));
                        }
                    } catch (Throwable e) {
                        wrong.set(e);
                    }
                }));
            }
            readers.forEach(Thread::start);
            for (Thread reader : readers) {
                reader.join(60_000);
                assertThat(reader.isAlive()).isFalse();
            }
        }
        assertThat(wrong.get()).isNull();
    }

    @Test
    void read_whenTheOwnerEnds_isDisconnected() throws IOException {
        try (TcpExtent region = link.attach(range.key, SECOND_NS)) {
            listener.close();
            assertThatThrownBy(() -> region.read(0, ByteBuffer.allocate(100), 5 * SECOND_NS))
                    .asInstanceOf(type(ChannelException.class))
                    .extracting(ChannelException::status)
                    .isEqualTo(TransferStatus.DISCONNECTED);
        }
        assertThat(link.hasEnded()).isTrue();
    }

    @Test
    void read_ofASilentOwner_endsAtItsDeadlineAndEndsTheLink() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                TcpLink toSilent = TcpLink.connect(silent.getLocalSocketAddress(), TcpLimits.DEFAULT, SECOND_NS);
                Socket accepted = silent.accept()) {
            assertThatThrownBy(() -> toSilent.attach(range.key, SECOND_NS / 20))
                    .asInstanceOf(type(ChannelException.class))
                    .extracting(ChannelException::status)
                    .isEqualTo(TransferStatus.DEADLINE);
            assertThat(toSilent.hasEnded()).isTrue();
            assertThat(accepted.isClosed()).isFalse();
        }
    }

    @Test
    void request_ofGarbage_endsOnlyThatConnection() throws IOException {
        InetSocketAddress where = (InetSocketAddress) listener.address();
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 50; round++) {
            try (Socket hostile = new Socket(where.getAddress(), where.getPort())) {
                byte[] garbage = new byte[1 + random.nextInt(200)];
                random.nextBytes(garbage);
                if (round % 2 == 0 && garbage.length > 20) {
                    // A believable length and type, so that the body is looked at.
                    ByteBuffer.wrap(garbage)
                            .putInt(garbage.length - TcpFrame.HEADER_BYTES)
                            .put((byte) (1 + round % 9));
                }
                hostile.getOutputStream().write(garbage);
            }
        }
        try (TcpExtent region = link.attach(range.key, SECOND_NS)) {
            ByteBuffer target = ByteBuffer.allocate(1000);
            region.read(5, target, SECOND_NS);
            assertThat(target.flip()).as("seed %d", seed).isEqualTo(ByteBuffer.wrap(content, 5, 1000));
        }
    }
}
