package io.terrace.client.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.client.BlockReadRequest;
import io.terrace.client.StreamGrants;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.ReadOption;
import org.apache.hadoop.hdfs.BlockReader;
import org.apache.hadoop.hdfs.ReplicaAccessor;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.shortcircuit.ClientMmap;
import org.apache.hadoop.util.DataChecksum;
import org.junit.jupiter.api.Test;

final class FallbackBlockReaderTest {
    private static final InetSocketAddress HERE = new InetSocketAddress(InetAddress.getLoopbackAddress(), 9866);

    /** Of the block that RFC 5737 keeps for examples. */
    private static final InetSocketAddress ELSEWHERE = new InetSocketAddress("192.0.2.1", 9866);

    private static final int LENGTH = 10_000;

    private final byte[] block = new byte[LENGTH];
    private final List<Exception> steppedDown = new ArrayList<>();
    private long stockOpenedAt = -1;

    FallbackBlockReaderTest() {
        new Random(8).nextBytes(block);
    }

    private FallbackBlockReader reader(Memory memory, long start, long end) {
        LocatedBlock located = new LocatedBlock(new ExtendedBlock("pool", 1, LENGTH, 1), new DatanodeInfo[0]);
        BlockReadRequest range = new BlockReadRequest(
                located,
                start,
                end,
                HERE,
                false,
                true,
                "user",
                holder -> 0,
                new Configuration(false),
                new StreamGrants());
        return new FallbackBlockReader(
                memory,
                range,
                (offset, length) -> {
                    stockOpenedAt = offset;
                    return new Stock(offset, offset + length);
                },
                steppedDown::add);
    }

    @Test
    void read_fromMemoryToTheEnd_neverOpensStock() throws IOException {
        try (FallbackBlockReader reader = reader(new Memory(LENGTH, new IOException()), 100, 9000)) {
            byte[] bytes = new byte[LENGTH];
            assertThat(reader.available()).isEqualTo(8900);
            assertThat(reader.readAll(bytes, 0, LENGTH)).isEqualTo(8900);
            assertThat(Arrays.copyOf(bytes, 8900)).isEqualTo(Arrays.copyOfRange(block, 100, 9000));
            assertThat(reader.read(bytes, 0, 1)).isEqualTo(-1);
        }
        assertThat(stockOpenedAt).isEqualTo(-1);
    }

    @Test
    void read_whenMemoryFails_goesOnWithStockAtThatByte() throws IOException {
        List<Throwable> failures = List.of(
                new IOException("gone"), new IllegalStateException("bug"), new OutOfMemoryError("of direct memory"));
        for (Throwable failure : failures) {
            for (boolean buffer : new boolean[] {false, true}) {
                Memory memory = new Memory(4321, failure);
                try (FallbackBlockReader reader = reader(memory, 7, LENGTH)) {
                    byte[] bytes = new byte[LENGTH - 7];
                    if (buffer) {
                        ByteBuffer target = ByteBuffer.wrap(bytes);
                        while (target.hasRemaining() && reader.read(target) > 0) {
                            assertThat(target.limit()).isEqualTo(bytes.length);
                        }
                    } else {
                        reader.readFully(bytes, 0, bytes.length);
                    }
                    assertThat(bytes).isEqualTo(Arrays.copyOfRange(block, 7, LENGTH));
                    assertThat(reader.isShortCircuit()).isFalse();
                }
                assertThat(stockOpenedAt).isEqualTo(4321);
                assertThat(memory.closed).isEqualTo(1);
            }
        }
        assertThat(steppedDown).hasSize(6);
    }

    @Test
    void read_whenMemoryEndsEarly_goesOnWithStock() throws IOException {
        try (FallbackBlockReader reader = reader(new Memory(500, null), 0, 1000)) {
            byte[] bytes = new byte[1000];
            reader.readFully(bytes, 0, 1000);
            assertThat(bytes).isEqualTo(Arrays.copyOf(block, 1000));
        }
        assertThat(stockOpenedAt).isEqualTo(500);
    }

    @Test
    void skip_thenRead_isAtTheRightByteBeforeAndAfterTheStep() throws IOException {
        try (FallbackBlockReader reader = reader(new Memory(2000, new IOException("gone")), 0, LENGTH)) {
            assertThat(reader.skip(1500)).isEqualTo(1500);
            byte[] bytes = new byte[1000];
            reader.readFully(bytes, 0, 1000);
            assertThat(bytes).isEqualTo(Arrays.copyOfRange(block, 1500, 2500));
            assertThat(reader.skip(100)).isEqualTo(100);
            reader.readFully(bytes, 0, 10);
            assertThat(Arrays.copyOf(bytes, 10)).isEqualTo(Arrays.copyOfRange(block, 2600, 2610));
        }
    }

    @Test
    void read_byAnInterruptedThread_throwsTheInterrupt() throws IOException {
        try (FallbackBlockReader reader = reader(new Memory(0, new InterruptedIOException("stop")), 0, LENGTH)) {
            Thread.currentThread().interrupt();
            try {
                assertThatThrownBy(() -> reader.read(new byte[10], 0, 10)).isInstanceOf(InterruptedIOException.class);
            } finally {
                assertThat(Thread.interrupted()).isTrue();
            }
        }
        assertThat(stockOpenedAt).isEqualTo(-1);
    }

    @Test
    void getClientMmap_asksStockWhereItWouldReadShortCircuit_andReadsStayWithMemory() throws IOException {
        record Case(boolean shortCircuit, boolean memoryHere, InetSocketAddress stockAddress, boolean mayMap) {}
        for (Case given : List.of(
                new Case(false, true, HERE, false),
                new Case(true, true, HERE, true),
                new Case(true, false, HERE, true),
                new Case(true, false, ELSEWHERE, false),
                new Case(true, false, InetSocketAddress.createUnresolved("unknown", 9866), false))) {
            stockOpenedAt = -1;
            List<Stock> opened = new ArrayList<>();
            LocatedBlock located = new LocatedBlock(new ExtendedBlock("pool", 1, LENGTH, 1), new DatanodeInfo[0]);
            Configuration conf = new Configuration(false);
            conf.setBoolean("dfs.client.read.shortcircuit", given.shortCircuit);
            BlockReadRequest range = new BlockReadRequest(
                    located, 0, LENGTH, given.stockAddress, false, true, "user", holder -> 0, conf, new StreamGrants());
            Memory memory = new Memory(LENGTH, null);
            memory.here = given.memoryHere;
            try (FallbackBlockReader reader = new FallbackBlockReader(
                    memory,
                    range,
                    (offset, length) -> {
                        Stock stock = new Stock(offset, offset + length);
                        stock.shortCircuit = true;
                        opened.add(stock);
                        return stock;
                    },
                    steppedDown::add)) {
                assertThat(reader.getClientMmap(EnumSet.noneOf(ReadOption.class)))
                        .isNull();
                byte[] bytes = new byte[500];
                reader.readFully(bytes, 0, 500);
                assertThat(bytes).isEqualTo(Arrays.copyOf(block, 500));
            }
            assertThat(opened)
                    .as("%s", given)
                    .hasSize(given.mayMap ? 1 : 0)
                    .allMatch(stock -> stock.closed && stock.position == 0);
            assertThat(steppedDown).isEmpty();
        }
    }

    /** As of a block that is not cached: each piece of a reader with a buffer pool asks for a mapping before it is copied. */
    @Test
    void getClientMmap_thatStockRefuses_isAskedForSeldom_unlessNothingWasReadSince() throws IOException {
        int blockBytes = 100 << 20;
        List<Stock> opened = new ArrayList<>();
        Configuration conf = new Configuration(false);
        conf.setBoolean("dfs.client.read.shortcircuit", true);
        LocatedBlock located = new LocatedBlock(new ExtendedBlock("pool", 1, blockBytes, 1), new DatanodeInfo[0]);
        BlockReadRequest range = new BlockReadRequest(
                located, 0, blockBytes, HERE, false, true, "user", holder -> 0, conf, new StreamGrants());
        EnumSet<ReadOption> verified = EnumSet.noneOf(ReadOption.class);
        try (FallbackBlockReader reader = new FallbackBlockReader(
                new Memory(LENGTH, null),
                range,
                (offset, length) -> {
                    Stock stock = new Stock(offset, offset + length);
                    stock.shortCircuit = true;
                    opened.add(stock);
                    return stock;
                },
                steppedDown::add)) {
            for (int tries = 0; tries < 2; tries++) {
                assertThat(reader.getClientMmap(verified)).isNull();
            }
            assertThat(opened).as("a caller without a pool tries again").hasSize(2);
            for (int piece = 1; piece < 100; piece++) {
                assertThat(reader.skip(1 << 20)).isEqualTo(1 << 20);
                assertThat(reader.getClientMmap(verified)).isNull();
            }
            assertThat(opened).hasSize(2 + 6).allMatch(stock -> stock.closed);
            assertThat(reader.getClientMmap(EnumSet.of(ReadOption.SKIP_CHECKSUMS)))
                    .isNull();
            assertThat(opened).as("another question").hasSize(9);
        }
    }

    @Test
    void read_whenStockFailsToo_throwsWhatStockThrows() throws IOException {
        LocatedBlock located = new LocatedBlock(new ExtendedBlock("pool", 1, LENGTH, 1), new DatanodeInfo[0]);
        BlockReadRequest range = new BlockReadRequest(
                located, 0, 10, HERE, false, true, "user", holder -> 0, new Configuration(false), new StreamGrants());
        try (FallbackBlockReader reader = new FallbackBlockReader(
                new Memory(0, new IOException("ours")),
                range,
                (offset, length) -> {
                    throw new IOException("stock's");
                },
                steppedDown::add)) {
            assertThatThrownBy(() -> reader.read(new byte[10], 0, 10)).hasMessage("stock's");
        }
    }

    /** Memory that has the block's first bytes and then fails. */
    private final class Memory extends ReplicaAccessor {
        private boolean here = true;
        private final int goodBytes;
        private final Throwable failure;
        private int closed;

        /** @param failure null for an end instead */
        Memory(int goodBytes, Throwable failure) {
            this.goodBytes = goodBytes;
            this.failure = failure;
        }

        @Override
        public int read(long position, byte[] buffer, int offset, int length) throws IOException {
            return read(position, ByteBuffer.wrap(buffer, offset, length));
        }

        @Override
        public int read(long position, ByteBuffer buffer) throws IOException {
            if (position >= goodBytes) {
                if (failure instanceof IOException io) {
                    buffer.position(buffer.limit());
                    throw io;
                }
                if (failure instanceof RuntimeException runtime) {
                    throw runtime;
                }
                if (failure instanceof Error error) {
                    buffer.position(buffer.limit());
                    throw error;
                }
                return -1;
            }
            int count = (int) Math.min(Math.min(buffer.remaining(), 777), goodBytes - position);
            buffer.put(block, (int) position, count);
            return count;
        }

        @Override
        public void close() {
            closed++;
        }

        @Override
        public boolean isLocal() {
            return true;
        }

        @Override
        public boolean isShortCircuit() {
            return here;
        }

        @Override
        public int getNetworkDistance() {
            return 0;
        }
    }

    private final class Stock implements BlockReader {
        private long position;
        private final long end;
        private boolean shortCircuit;
        private boolean closed;

        Stock(long position, long end) {
            this.position = position;
            this.end = end;
        }

        @Override
        public int read(byte[] buffer, int offset, int length) {
            return read(ByteBuffer.wrap(buffer, offset, length));
        }

        @Override
        public int read(ByteBuffer buffer) {
            if (position >= end) {
                return -1;
            }
            int count = (int) Math.min(buffer.remaining(), end - position);
            buffer.put(block, (int) position, count);
            position += count;
            return count;
        }

        @Override
        public long skip(long count) {
            position += count;
            return count;
        }

        @Override
        public int available() {
            return (int) (end - position);
        }

        @Override
        public void close() {
            closed = true;
        }

        @Override
        public void readFully(byte[] buffer, int offset, int length) {
            throw new UnsupportedOperationException();
        }

        @Override
        public int readAll(byte[] buffer, int offset, int length) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean isShortCircuit() {
            return shortCircuit;
        }

        @Override
        public ClientMmap getClientMmap(EnumSet<ReadOption> options) {
            return null;
        }

        @Override
        public DataChecksum getDataChecksum() {
            return null;
        }

        @Override
        public int getNetworkDistance() {
            return 1;
        }
    }
}
