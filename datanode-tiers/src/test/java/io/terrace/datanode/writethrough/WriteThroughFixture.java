package io.terrace.datanode.writethrough;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.common.BlockKey;
import io.terrace.common.BlockVersion;
import io.terrace.datanode.extent.AddressSpace;
import io.terrace.datanode.extent.Extent;
import io.terrace.datanode.extent.GrantLedger;
import io.terrace.datanode.extent.LocalTier;
import io.terrace.datanode.extent.SharedSlots;
import io.terrace.datanode.memory.MemoryDirectory;
import io.terrace.datanode.memory.MemoryTierListener;
import io.terrace.datanode.replica.ReplicaSource;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A memory tier on a directory, copies that are filled in it, and a writer of one block. */
final class WriteThroughFixture implements AutoCloseable {
    static final String POOL = "pool";
    static final BlockKey KEY = new BlockKey(POOL, 1, 1);
    static final int CAPACITY = 8 << 20;
    static final int MOST = 4 << 20;
    static final int BLOCK = 3 << 20;
    static final int PIECE = 256 << 10;

    final MetricRegistry metrics = new MetricRegistry();
    final OneReplica replica = new OneReplica();
    final MemoryDirectory directory;
    final LocalTier tier;
    final WriteThroughCopies copies;
    private final Path scratch;
    private final ByteBuffer own = ByteBuffer.allocateDirect(PIECE);

    /** The finalised replica of the block, if there is one. */
    static final class OneReplica implements ReplicaSource {
        @Nullable
        BlockVersion finalised;

        Runnable beforeLock = () -> {};
        Runnable beforeOpen = () -> {};

        @Override
        public @Nullable BlockVersion find(String pool, long blockId) {
            return finalised;
        }

        @Override
        public OpenReplica open(BlockVersion block) {
            beforeOpen.run();
            return new OpenReplica() {
                @Override
                public FileChannel data() {
                    throw new UnsupportedOperationException();
                }

                @Override
                public ReadableByteChannel meta() {
                    throw new UnsupportedOperationException();
                }

                @Override
                public void dropPages() {
                    throw new UnsupportedOperationException();
                }

                @Override
                public void close() {}
            };
        }

        @Override
        public boolean ifUnchanged(BlockVersion block, BooleanSupplier action) {
            beforeLock.run();
            return has(block) && action.getAsBoolean();
        }

        @Override
        public void reportCorrupt(BlockVersion block) {
            throw new UnsupportedOperationException();
        }
    }

    WriteThroughFixture(Path scratch) throws IOException {
        this.scratch = scratch;
        this.directory = MemoryDirectory.open(scratch, false);
        this.tier = new LocalTier(
                new LocalTier.Limits(CAPACITY, 10, 0),
                new AddressSpace(1 << 20, 1L << 30, 0),
                new GrantLedger(new GrantLedger.Limits(10, 10, 1, 1, 1, 1)),
                directory,
                SharedSlots.NONE,
                new MemoryTierListener(metrics, key -> {}, more -> {}),
                key -> false);
        this.copies = copies(MOST);
    }

    WriteThroughCopies copies(long mostBytes) throws IOException {
        return new WriteThroughCopies(tier, replica, directory.drafts(), mostBytes, metrics, System::nanoTime, "test");
    }

    @Override
    public void close() throws IOException {
        copies.close();
        directory.close();
    }

    WriteThroughCopy begin() {
        return requireNonNull(copies.begin(POOL, KEY, BLOCK, true));
    }

    /** As a writer: in pieces of this size at most, each received into the buffer that the copy names. */
    void write(WriteThroughCopy copy, int offset, byte[] bytes, int pieceBytes) {
        for (int at = 0; at < bytes.length; at += pieceBytes) {
            int length = Math.min(pieceBytes, bytes.length - at);
            ByteBuffer piece = copy.pieceBuffer(own, length).clear();
            piece.put(bytes, at, length).flip();
            copy.write(offset + at, piece);
            assertThat(piece.remaining()).isEqualTo(length);
        }
    }

    static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    void finish(WriteThroughCopy copy, long length) {
        replica.finalised = new BlockVersion(KEY, length);
        copy.publish(replica.finalised);
    }

    byte[] live() throws IOException {
        Extent extent = tier.liveExtents().get(0);
        return Files.readAllBytes(directory.file(extent));
    }

    void assertNothingLeft(Metric why) throws IOException {
        assertThat(metrics.value(why)).isEqualTo(1);
        assertThat(metrics.value(Metric.MEMORY_THROUGH_BLOCKS)).isZero();
        assertThat(tier.liveExtents()).isEmpty();
        tier.sweep(System.nanoTime());
        assertThat(tier.usage().usedBytes()).isZero();
        assertThat(tier.usage().changingBytes()).isZero();
        assertThat(metrics.value(Metric.MEMORY_THROUGH_WRITING_BYTES)).isZero();
        assertNoDrafts();
    }

    void assertNoDrafts() throws IOException {
        try (Stream<Path> drafts = Files.list(scratch.resolve("drafts"))) {
            assertThat(drafts).isEmpty();
        }
    }
}
