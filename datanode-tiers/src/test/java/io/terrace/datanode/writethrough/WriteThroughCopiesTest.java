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
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of copies that are filled while their blocks are written: live and whole, or nothing. */
@Timeout(60)
class WriteThroughCopiesTest {
    private static final String POOL = "pool";
    private static final BlockKey KEY = new BlockKey(POOL, 1, 1);
    private static final int CAPACITY = 8 << 20;
    private static final int MOST = 4 << 20;
    private static final int BLOCK = 3 << 20;
    private static final int PIECE = 256 << 10;

    @TempDir
    Path scratch;

    private final MetricRegistry metrics = new MetricRegistry();
    private final ByteBuffer own = ByteBuffer.allocateDirect(PIECE);
    private final OneReplica replica = new OneReplica();
    private MemoryDirectory directory;
    private LocalTier tier;
    private WriteThroughCopies copies;

    /** The finalised replica of the block, if there is one. */
    private static final class OneReplica implements ReplicaSource {
        private @Nullable BlockVersion finalised;
        private Runnable beforeLock = () -> {};
        private Runnable beforeOpen = () -> {};

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

    @BeforeEach
    void start() throws IOException {
        directory = MemoryDirectory.open(scratch, false);
        tier = new LocalTier(
                new LocalTier.Limits(CAPACITY, 10, 0),
                new AddressSpace(1 << 20, 1L << 30, 0),
                new GrantLedger(new GrantLedger.Limits(10, 10, 1, 1, 1, 1)),
                directory,
                SharedSlots.NONE,
                new MemoryTierListener(metrics, key -> {}, more -> {}),
                key -> false);
        copies = copies(MOST);
    }

    private WriteThroughCopies copies(long mostBytes) throws IOException {
        return new WriteThroughCopies(tier, replica, directory.drafts(), mostBytes, metrics, System::nanoTime, "test");
    }

    @AfterEach
    void stop() throws IOException {
        copies.close();
        directory.close();
    }

    private WriteThroughCopy begin() {
        return requireNonNull(copies.begin(POOL, KEY, BLOCK, true));
    }

    /** As a writer: in pieces of this size at most, each received into the buffer that the copy names. */
    private void write(WriteThroughCopy copy, int offset, byte[] bytes, int pieceBytes) {
        for (int at = 0; at < bytes.length; at += pieceBytes) {
            int length = Math.min(pieceBytes, bytes.length - at);
            ByteBuffer piece = copy.pieceBuffer(own, length).clear();
            piece.put(bytes, at, length).flip();
            copy.write(offset + at, piece);
            assertThat(piece.remaining()).isEqualTo(length);
        }
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private void finish(WriteThroughCopy copy, long length) {
        replica.finalised = new BlockVersion(KEY, length);
        copy.publish(replica.finalised);
    }

    private byte[] live() throws IOException {
        Extent extent = tier.liveExtents().get(0);
        return Files.readAllBytes(directory.file(extent));
    }

    private void assertNothingLeft(Metric why) throws IOException {
        assertThat(metrics.value(why)).isEqualTo(1);
        assertThat(metrics.value(Metric.MEMORY_THROUGH_BLOCKS)).isZero();
        assertThat(tier.liveExtents()).isEmpty();
        tier.sweep(System.nanoTime());
        assertThat(tier.usage().usedBytes()).isZero();
        assertThat(tier.usage().changingBytes()).isZero();
        assertThat(metrics.value(Metric.MEMORY_THROUGH_WRITING_BYTES)).isZero();
        assertNoDrafts();
    }

    private void assertNoDrafts() throws IOException {
        try (Stream<Path> drafts = Files.list(scratch.resolve("drafts"))) {
            assertThat(drafts).isEmpty();
        }
    }

    @Test
    void publish_ofAWholeBlock_isLiveWithItsBytesAndUsesNoMore() throws IOException {
        for (int pieceBytes : new int[] {1000, 70_000, PIECE}) {
            byte[] bytes = random(BLOCK - 7);
            try (WriteThroughCopy copy = begin()) {
                write(copy, 0, bytes, pieceBytes);
                assertThat(tier.usage().usedBytes()).isEqualTo(BLOCK);
                finish(copy, bytes.length);
                assertThat(live()).isEqualTo(bytes);
            }
            assertThat(tier.usage().usedBytes()).isEqualTo(bytes.length);
            assertThat(metrics.value(Metric.MEMORY_THROUGH_WRITING_BYTES)).isZero();
            assertNoDrafts();
            tier.changed(POOL, KEY.blockId(), System.nanoTime());
            tier.sweep(System.nanoTime());
        }
        assertThat(metrics.value(Metric.MEMORY_THROUGH_BLOCKS)).isEqualTo(3);
        assertThat(metrics.value(Metric.MEMORY_THROUGH_BYTES)).isEqualTo(3L * (BLOCK - 7));
        assertThat(metrics.value(Metric.MEMORY_THROUGH_DROPPED)).isZero();
    }

    @Test
    void write_ofTheLastChunkAgain_hasWhatCameLast() throws IOException {
        byte[] bytes = random(2 * PIECE);
        byte[] early = Arrays.copyOf(bytes, PIECE);
        Arrays.fill(early, PIECE - 100, PIECE, (byte) 1);
        try (WriteThroughCopy copy = begin()) {
            write(copy, 0, early, PIECE);
            write(copy, PIECE - 100, Arrays.copyOfRange(bytes, PIECE - 100, bytes.length), PIECE);
            finish(copy, bytes.length);
            assertThat(live()).isEqualTo(bytes);
        }
    }

    @Test
    void write_afterAGap_dropsTheCopy() throws IOException {
        try (WriteThroughCopy copy = begin()) {
            write(copy, 0, random(1000), PIECE);
            write(copy, 1001, random(1000), PIECE);
            finish(copy, 2001);
        }
        assertNothingLeft(Metric.MEMORY_THROUGH_DROPPED);
    }

    @Test
    void close_withinABlock_dropsTheCopy() throws IOException {
        try (WriteThroughCopy copy = begin()) {
            write(copy, 0, random(2 << 20), PIECE);
        }
        assertNothingLeft(Metric.MEMORY_THROUGH_DROPPED);
    }

    @Test
    void publish_ofAnotherLength_dropsTheCopy() throws IOException {
        try (WriteThroughCopy copy = begin()) {
            write(copy, 0, random(1000), PIECE);
            finish(copy, 999);
        }
        assertNothingLeft(Metric.MEMORY_THROUGH_DROPPED);
    }

    @Test
    void publish_ofAReplicaThatChanges_dropsTheCopy() throws IOException {
        replica.beforeLock = () -> tier.changed(POOL, KEY.blockId(), System.nanoTime());
        try (WriteThroughCopy copy = begin()) {
            write(copy, 0, random(1000), PIECE);
            finish(copy, 1000);
        }
        assertNothingLeft(Metric.MEMORY_THROUGH_DROPPED);
    }

    /** The block is finalised: its client is told so whatever becomes of the copy. */
    @Test
    void publish_withoutMemory_dropsTheCopy() throws IOException {
        replica.beforeOpen = () -> {
            throw new OutOfMemoryError("planted");
        };
        try (WriteThroughCopy copy = begin()) {
            write(copy, 0, random(BLOCK), PIECE);
            finish(copy, BLOCK);
        }
        assertNothingLeft(Metric.MEMORY_THROUGH_DROPPED);
    }

    @Test
    void publish_ofANewerStamp_dropsTheCopy() throws IOException {
        BlockVersion newer = new BlockVersion(new BlockKey(POOL, 1, 2), 1000);
        replica.beforeLock = () -> replica.finalised = newer;
        try (WriteThroughCopy copy = begin()) {
            write(copy, 0, random(1000), PIECE);
            finish(copy, 1000);
        }
        assertNothingLeft(Metric.MEMORY_THROUGH_DROPPED);
    }

    @Test
    void publish_whileAnotherWaitsForTheDataset_doesNotWaitForIt() throws Exception {
        BlockVersion quick = new BlockVersion(new BlockKey(POOL, 2, 1), 1000);
        CountDownLatch waits = new CountDownLatch(1);
        Semaphore goesOn = new Semaphore(0);
        try (WriteThroughCopy ofSlowVolume = begin();
                WriteThroughCopy copy = begin()) {
            write(ofSlowVolume, 0, random(1000), PIECE);
            write(copy, 0, random(1000), PIECE);
            Thread slow = new Thread(() -> finish(ofSlowVolume, 1000));
            replica.beforeLock = () -> {
                if (Thread.currentThread() == slow) {
                    waits.countDown();
                    goesOn.acquireUninterruptibly();
                }
            };
            slow.start();
            waits.await();
            replica.finalised = quick;
            copy.publish(quick);
            assertThat(tier.liveExtents()).extracting(Extent::key).containsExactly(quick.key());
            goesOn.release();
            slow.join();
        }
    }

    @Test
    void write_interrupted_dropsTheCopyAndStaysInterrupted() throws IOException {
        try (WriteThroughCopy copy = begin()) {
            write(copy, 0, random(PIECE), PIECE);
            Thread.currentThread().interrupt();
            write(copy, PIECE, random(100), PIECE);
            assertThat(Thread.interrupted()).isTrue();
            write(copy, PIECE + 100, random(100), PIECE);
            finish(copy, PIECE + 200);
        }
        assertNothingLeft(Metric.MEMORY_THROUGH_DROPPED);
    }

    @Test
    void write_afterTheThreadsAreGone_isWhole() throws IOException {
        byte[] bytes = random(BLOCK);
        try (WriteThroughCopy copy = begin()) {
            copies.close();
            write(copy, 0, bytes, PIECE);
            finish(copy, bytes.length);
            assertThat(live()).isEqualTo(bytes);
        }
    }

    @Test
    void begin_inATierWithoutRoomForABlock_isRefusedAndEvictsNothing() throws IOException {
        assertThat(tier.space().reserve(POOL, CAPACITY - BLOCK + 1)).isTrue();
        assertThat(copies.begin(POOL, KEY, BLOCK, true)).isNull();
        tier.space().release(CAPACITY - BLOCK + 1);
        assertNothingLeft(Metric.MEMORY_THROUGH_NO_ROOM);
    }

    @Test
    void write_asRoomEnds_dropsTheCopyAndFreesWhatItHad() throws IOException {
        try (WriteThroughCopy copy = begin()) {
            write(copy, 0, random(1 << 20), PIECE);
            assertThat(tier.space().reserve(POOL, CAPACITY - (1 << 20))).isTrue();
            write(copy, 1 << 20, random(PIECE), PIECE);
            assertThat(tier.usage().usedBytes()).isEqualTo(CAPACITY - (1 << 20));
            tier.space().release(CAPACITY - (1 << 20));
            write(copy, (1 << 20) + PIECE, random(PIECE), PIECE);
            finish(copy, (1 << 20) + 2 * PIECE);
        }
        assertNothingLeft(Metric.MEMORY_THROUGH_NO_ROOM);
    }

    @Test
    void write_beyondTheBound_dropsOneCopyAndTheOtherGoesOn() throws IOException {
        byte[] bytes = random(BLOCK);
        try (WriteThroughCopy first = begin();
                WriteThroughCopy second = begin()) {
            write(first, 0, Arrays.copyOf(bytes, 2 << 20), PIECE);
            write(second, 0, bytes, PIECE);
            assertThat(metrics.value(Metric.MEMORY_THROUGH_WRITING_BYTES)).isEqualTo(2 << 20);
            write(first, 2 << 20, Arrays.copyOfRange(bytes, 2 << 20, BLOCK), PIECE);
            finish(first, BLOCK);
            assertThat(live()).isEqualTo(bytes);
        }
        assertThat(metrics.value(Metric.MEMORY_THROUGH_BUSY)).isEqualTo(1);
        assertThat(metrics.value(Metric.MEMORY_THROUGH_BLOCKS)).isEqualTo(1);
        assertNoDrafts();
    }

    @Test
    void begin_whereItIsOffOrDoesNotFit_isRefused() throws IOException {
        assertThat(copies.begin(POOL, KEY, BLOCK, false)).isNull();
        assertThat(metrics.value(Metric.MEMORY_THROUGH_STORAGE)).isEqualTo(1);
        try (WriteThroughCopies none = copies(0)) {
            assertThat(none.begin(POOL, KEY, BLOCK, true)).isNull();
        }
        assertThat(metrics.value(Metric.MEMORY_THROUGH_OFF)).isEqualTo(1);
        tier.serve(POOL, false, System.nanoTime());
        assertThat(copies.begin(POOL, KEY, BLOCK, true)).isNull();
        assertThat(metrics.value(Metric.MEMORY_THROUGH_OFF)).isEqualTo(2);
    }

    @Test
    void publish_afterTheTierWasSwitchedOff_dropsTheCopy() throws IOException {
        try (WriteThroughCopy copy = begin()) {
            write(copy, 0, random(1000), PIECE);
            tier.serve(POOL, false, System.nanoTime());
            finish(copy, 1000);
        }
        assertNothingLeft(Metric.MEMORY_THROUGH_DROPPED);
    }

    @Test
    void publish_ofABlockThatIsPinnedAlready_leavesThatCopy() throws IOException {
        LocalTier.Begun pinned = tier.begin(KEY, 1000, true, System.nanoTime());
        directory.create(requireNonNull(pinned.extent())).close();
        tier.publish(pinned.extent(), System.nanoTime());
        try (WriteThroughCopy copy = begin()) {
            write(copy, 0, random(1000), PIECE);
            finish(copy, 1000);
        }
        assertThat(tier.isPinned(KEY)).isTrue();
        assertThat(tier.usage().usedBytes()).isEqualTo(1000);
        assertNoDrafts();
    }

    @Test
    void drafts_ofAnEarlierProcess_areRemoved() throws IOException {
        WriteThroughCopy copy = begin();
        write(copy, 0, random(1000), PIECE);
        copies.close();
        copies = copies(MOST);
        assertNoDrafts();
    }
}
