package io.terrace.channel.tcp.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.channel.tcp.ChecksummedReadTest;
import io.terrace.channel.tcp.TcpExtent;
import io.terrace.channel.tcp.TcpLimits;
import io.terrace.channel.tcp.TcpLink;
import io.terrace.channel.transport.ChecksumMismatchException;
import io.terrace.channel.transport.ChunkChecksums;
import io.terrace.channel.transport.ExtentPiece;
import io.terrace.channel.transport.ExtentRange;
import java.io.EOFException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
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

/** Large pieces, which are sent from the file and used while they come. */
final class StreamedReadTest {
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(20);
    private static final int LENGTH = 6 * (1 << 20) + 77;
    private static final int PIECE_BYTES = 1_000_000;

    @TempDir
    Path dir;

    private TcpListener listener;
    private TcpLink link;
    private TcpExtent region;
    private Path file;
    private byte[] content;
    private TcpRange range;

    @BeforeEach
    void start() throws IOException {
        content = new byte[LENGTH];
        new Random(5).nextBytes(content);
        file = Files.write(dir.resolve("extent"), content);
        listener = TcpListener.open(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), TcpLimits.DEFAULT, new ReceivedMessages());
        range = listener.register(new ExtentRange(file, 0, LENGTH), ChecksummedReadTest.checksums(content));
        link = TcpLink.connect(listener.address(), TcpLimits.DEFAULT, TIMEOUT_NS);
        region = link.attach(range.key, TIMEOUT_NS);
    }

    @AfterEach
    void stop() throws IOException {
        region.close();
        link.close();
        listener.close();
    }

    @Test
    void next_givesAPieceInSeveralParts_fromAnyOffset() throws IOException {
        try (ExtentPiece piece = region.begin(1_001, PIECE_BYTES, TIMEOUT_NS)) {
            ByteBuffer first = piece.next(TIMEOUT_NS);
            assertThat(first.remaining()).isPositive().isLessThan(PIECE_BYTES / 2);
            ByteBuffer all = ByteBuffer.allocate(PIECE_BYTES).put(first);
            while (all.hasRemaining()) {
                all.put(piece.next(TIMEOUT_NS));
            }
            assertThat(all.flip()).isEqualTo(ByteBuffer.wrap(content, 1_001, PIECE_BYTES));
            assertThatThrownBy(() -> piece.next(TIMEOUT_NS)).isInstanceOf(IOException.class);
        }
    }

    @Test
    void next_ofACorruptPart_failsAfterThePartsBeforeIt() throws IOException {
        try (RandomAccessFile change = new RandomAccessFile(file.toFile(), "rw")) {
            change.seek(500_000);
            change.write(content[500_000] ^ 1);
        }
        try (ExtentPiece piece = region.begin(0, PIECE_BYTES, TIMEOUT_NS)) {
            ByteBuffer good = ByteBuffer.allocate(PIECE_BYTES);
            assertThatThrownBy(() -> {
                        while (true) {
                            good.put(piece.next(TIMEOUT_NS));
                        }
                    })
                    .isInstanceOf(ChecksumMismatchException.class);
            good.flip();
            assertThat(good.remaining()).isBetween(300_000, 500_000);
            assertThat(good).isEqualTo(ByteBuffer.wrap(content, 0, good.remaining()));
        }
    }

    @Test
    void close_inTheMiddle_leavesTheConnectionInOrder() throws IOException {
        for (int round = 0; round < 20; round++) {
            try (ExtentPiece used = region.begin(round, PIECE_BYTES, TIMEOUT_NS);
                    ExtentPiece unused = region.begin(2_000_000 + round, PIECE_BYTES, TIMEOUT_NS)) {
                assertThat(unused.lengthBytes()).isEqualTo(PIECE_BYTES);
                ByteBuffer part = used.next(TIMEOUT_NS);
                assertThat(part).isEqualTo(ByteBuffer.wrap(content, round, part.remaining()));
            }
            ByteBuffer after = ByteBuffer.allocate(5_000);
            region.read(300_000, after, TIMEOUT_NS);
            assertThat(after.flip()).isEqualTo(ByteBuffer.wrap(content, 300_000, 5_000));
        }
    }

    @Test
    void streamsAndSmallReads_ofManyThreads_shareAConnection() throws Exception {
        long seed = System.nanoTime();
        List<Callable<Void>> readers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Random random = new Random(seed + i);
            boolean streams = i % 2 == 0;
            readers.add(() -> {
                for (int round = 0; round < 30; round++) {
                    int bytes = streams ? PIECE_BYTES : 1 + random.nextInt(20_000);
                    read(random.nextInt(LENGTH - bytes), bytes, "seed " + seed);
                }
                return null;
            });
        }
        ExecutorService threads = Executors.newFixedThreadPool(readers.size());
        try {
            for (Future<Void> reader : threads.invokeAll(readers)) {
                reader.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private void read(int offset, int bytes, String seed) throws IOException {
        ByteBuffer all = ByteBuffer.allocate(bytes);
        try (ExtentPiece piece = region.begin(offset, bytes, TIMEOUT_NS)) {
            while (all.hasRemaining()) {
                all.put(piece.next(TIMEOUT_NS));
                Thread.yield();
            }
        }
        assertThat(all.flip()).as(seed).isEqualTo(ByteBuffer.wrap(content, offset, bytes));
    }

    @Test
    void next_whenTheOtherSideEnds_failsAtOnce() throws IOException {
        try (ExtentPiece piece = region.begin(0, PIECE_BYTES, TIMEOUT_NS)) {
            assertThat(piece.next(TIMEOUT_NS).hasRemaining()).isTrue();
            listener.close();
            assertThatThrownBy(() -> {
                        try (ExtentPiece later = region.begin(3_000_000, PIECE_BYTES, TIMEOUT_NS)) {
                            later.next(TIMEOUT_NS);
                        }
                    })
                    .isInstanceOf(IOException.class);
        }
    }

    /** What is promised in the header cannot come, so the connection must end. */
    @Test
    void sendFile_ofAFileThatWasCut_isTheEndOfTheConnection() throws IOException {
        ChunkChecksums checksums = range.begin();
        assertThat(checksums).isNotNull();
        TcpResponse.Data answer = new TcpResponse.Data(1, range, checksums, 0, PIECE_BYTES);
        ByteBuffer staging = ByteBuffer.allocate(1 << 20);
        assertThat(answer.fill(staging)).isFalse();
        answer.sent(staging.position());
        assertThat(answer.isFile()).isTrue();
        try (RandomAccessFile cut = new RandomAccessFile(file.toFile(), "rw");
                WritableByteChannel nowhere = Channels.newChannel(java.io.OutputStream.nullOutputStream())) {
            cut.setLength(10_000);
            answer.sent(answer.sendFile(nowhere));
            assertThat(answer.leftBytes()).isEqualTo(PIECE_BYTES - 10_000);
            assertThatThrownBy(() -> answer.sendFile(nowhere)).isInstanceOf(EOFException.class);
        } finally {
            answer.end();
        }
    }
}
