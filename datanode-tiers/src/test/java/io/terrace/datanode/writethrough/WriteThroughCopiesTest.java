package io.terrace.datanode.writethrough;

import static io.terrace.datanode.writethrough.WriteThroughFixture.BLOCK;
import static io.terrace.datanode.writethrough.WriteThroughFixture.KEY;
import static io.terrace.datanode.writethrough.WriteThroughFixture.MOST;
import static io.terrace.datanode.writethrough.WriteThroughFixture.PIECE;
import static io.terrace.datanode.writethrough.WriteThroughFixture.POOL;
import static io.terrace.datanode.writethrough.WriteThroughFixture.random;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.common.BlockKey;
import io.terrace.common.BlockVersion;
import io.terrace.datanode.extent.Extent;
import io.terrace.datanode.extent.LocalTier;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of copies that are filled while their blocks are written: live and whole, or nothing. */
@Timeout(60)
class WriteThroughCopiesTest {
    @TempDir
    Path scratch;

    private WriteThroughFixture through;

    @BeforeEach
    void start() throws IOException {
        through = new WriteThroughFixture(scratch);
    }

    @AfterEach
    void stop() throws IOException {
        through.close();
    }

    @Test
    void publish_ofAWholeBlock_isLiveWithItsBytesAndUsesNoMore() throws IOException {
        for (int pieceBytes : new int[] {1000, 70_000, PIECE}) {
            byte[] bytes = random(BLOCK - 7);
            try (WriteThroughCopy copy = through.begin()) {
                through.write(copy, 0, bytes, pieceBytes);
                assertThat(through.tier.usage().usedBytes()).isEqualTo(BLOCK);
                through.finish(copy, bytes.length);
                assertThat(through.live()).isEqualTo(bytes);
            }
            assertThat(through.tier.usage().usedBytes()).isEqualTo(bytes.length);
            assertThat(through.metrics.value(Metric.MEMORY_THROUGH_WRITING_BYTES))
                    .isZero();
            through.assertNoDrafts();
            through.tier.changed(POOL, KEY.blockId(), System.nanoTime());
            through.tier.sweep(System.nanoTime());
        }
        assertThat(through.metrics.value(Metric.MEMORY_THROUGH_BLOCKS)).isEqualTo(3);
        assertThat(through.metrics.value(Metric.MEMORY_THROUGH_BYTES)).isEqualTo(3L * (BLOCK - 7));
        assertThat(through.metrics.value(Metric.MEMORY_THROUGH_DROPPED)).isZero();
    }

    @Test
    void write_ofTheLastChunkAgain_hasWhatCameLast() throws IOException {
        byte[] bytes = random(2 * PIECE);
        byte[] early = Arrays.copyOf(bytes, PIECE);
        Arrays.fill(early, PIECE - 100, PIECE, (byte) 1);
        try (WriteThroughCopy copy = through.begin()) {
            through.write(copy, 0, early, PIECE);
            through.write(copy, PIECE - 100, Arrays.copyOfRange(bytes, PIECE - 100, bytes.length), PIECE);
            through.finish(copy, bytes.length);
            assertThat(through.live()).isEqualTo(bytes);
        }
    }

    @Test
    void write_afterAGap_dropsTheCopy() throws IOException {
        try (WriteThroughCopy copy = through.begin()) {
            through.write(copy, 0, random(1000), PIECE);
            through.write(copy, 1001, random(1000), PIECE);
            through.finish(copy, 2001);
        }
        through.assertNothingLeft(Metric.MEMORY_THROUGH_DROPPED);
    }

    @Test
    void close_withinABlock_dropsTheCopy() throws IOException {
        try (WriteThroughCopy copy = through.begin()) {
            through.write(copy, 0, random(2 << 20), PIECE);
        }
        through.assertNothingLeft(Metric.MEMORY_THROUGH_DROPPED);
    }

    @Test
    void publish_ofAnotherLength_dropsTheCopy() throws IOException {
        try (WriteThroughCopy copy = through.begin()) {
            through.write(copy, 0, random(1000), PIECE);
            through.finish(copy, 999);
        }
        through.assertNothingLeft(Metric.MEMORY_THROUGH_DROPPED);
    }

    @Test
    void publish_ofAReplicaThatChanges_dropsTheCopy() throws IOException {
        through.replica.beforeLock = () -> through.tier.changed(POOL, KEY.blockId(), System.nanoTime());
        try (WriteThroughCopy copy = through.begin()) {
            through.write(copy, 0, random(1000), PIECE);
            through.finish(copy, 1000);
        }
        through.assertNothingLeft(Metric.MEMORY_THROUGH_DROPPED);
    }

    /** The block is finalised: its client is told so whatever becomes of the copy. */
    @Test
    void publish_withoutMemory_dropsTheCopy() throws IOException {
        through.replica.beforeOpen = () -> {
            throw new OutOfMemoryError("planted");
        };
        try (WriteThroughCopy copy = through.begin()) {
            through.write(copy, 0, random(BLOCK), PIECE);
            through.finish(copy, BLOCK);
        }
        through.assertNothingLeft(Metric.MEMORY_THROUGH_DROPPED);
    }

    @Test
    void publish_ofANewerStamp_dropsTheCopy() throws IOException {
        BlockVersion newer = new BlockVersion(new BlockKey(POOL, 1, 2), 1000);
        through.replica.beforeLock = () -> through.replica.finalised = newer;
        try (WriteThroughCopy copy = through.begin()) {
            through.write(copy, 0, random(1000), PIECE);
            through.finish(copy, 1000);
        }
        through.assertNothingLeft(Metric.MEMORY_THROUGH_DROPPED);
    }

    @Test
    void publish_whileAnotherWaitsForTheDataset_doesNotWaitForIt() throws Exception {
        BlockVersion quick = new BlockVersion(new BlockKey(POOL, 2, 1), 1000);
        CountDownLatch waits = new CountDownLatch(1);
        Semaphore goesOn = new Semaphore(0);
        try (WriteThroughCopy ofSlowVolume = through.begin();
                WriteThroughCopy copy = through.begin()) {
            through.write(ofSlowVolume, 0, random(1000), PIECE);
            through.write(copy, 0, random(1000), PIECE);
            Thread slow = new Thread(() -> through.finish(ofSlowVolume, 1000));
            through.replica.beforeLock = () -> {
                if (Thread.currentThread() == slow) {
                    waits.countDown();
                    goesOn.acquireUninterruptibly();
                }
            };
            slow.start();
            waits.await();
            through.replica.finalised = quick;
            copy.publish(quick);
            assertThat(through.tier.liveExtents()).extracting(Extent::key).containsExactly(quick.key());
            goesOn.release();
            slow.join();
        }
    }

    @Test
    void write_interrupted_dropsTheCopyAndStaysInterrupted() throws IOException {
        try (WriteThroughCopy copy = through.begin()) {
            through.write(copy, 0, random(PIECE), PIECE);
            Thread.currentThread().interrupt();
            through.write(copy, PIECE, random(100), PIECE);
            assertThat(Thread.interrupted()).isTrue();
            through.write(copy, PIECE + 100, random(100), PIECE);
            through.finish(copy, PIECE + 200);
        }
        through.assertNothingLeft(Metric.MEMORY_THROUGH_DROPPED);
    }

    @Test
    void write_afterTheThreadsAreGone_isWhole() throws IOException {
        byte[] bytes = random(BLOCK);
        try (WriteThroughCopy copy = through.begin()) {
            through.copies.close();
            through.write(copy, 0, bytes, PIECE);
            through.finish(copy, bytes.length);
            assertThat(through.live()).isEqualTo(bytes);
        }
    }

    @Test
    void publish_afterTheTierWasSwitchedOff_dropsTheCopy() throws IOException {
        try (WriteThroughCopy copy = through.begin()) {
            through.write(copy, 0, random(1000), PIECE);
            through.tier.serve(POOL, false, System.nanoTime());
            through.finish(copy, 1000);
        }
        through.assertNothingLeft(Metric.MEMORY_THROUGH_DROPPED);
    }

    @Test
    void publish_ofABlockThatIsPinnedAlready_leavesThatCopy() throws IOException {
        LocalTier.Begun pinned = through.tier.begin(KEY, 1000, true, System.nanoTime());
        through.directory.create(requireNonNull(pinned.extent())).close();
        through.tier.publish(pinned.extent(), System.nanoTime());
        try (WriteThroughCopy copy = through.begin()) {
            through.write(copy, 0, random(1000), PIECE);
            through.finish(copy, 1000);
        }
        assertThat(through.tier.isPinned(KEY)).isTrue();
        assertThat(through.tier.usage().usedBytes()).isEqualTo(1000);
        through.assertNoDrafts();
    }

    @Test
    void drafts_ofAnEarlierProcess_areRemoved() throws IOException {
        WriteThroughCopy copy = through.begin();
        through.write(copy, 0, random(1000), PIECE);
        through.copies.close();
        WriteThroughCopies next = through.copies(MOST);
        through.assertNoDrafts();
        next.close();
    }
}
