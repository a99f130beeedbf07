package io.terrace.datanode.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.terrace.common.BlockKey;
import io.terrace.datanode.extent.AddressSpace;
import io.terrace.datanode.extent.Extent;
import io.terrace.datanode.extent.GrantLedger;
import io.terrace.datanode.extent.LocalTier;
import io.terrace.datanode.extent.LocalTier.Admission;
import io.terrace.datanode.extent.RetireCause;
import io.terrace.datanode.extent.SharedSlots;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Copies that stock clients were passed the descriptors of, and keep open after they were removed. */
class UnlinkedBytesTest {

    private static final long OTHERS = 50_000;
    private static final long PAGE = 4096;
    private static final long CAPACITY = 100 * PAGE;
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final MetricRegistry metricRegistry = new MetricRegistry();
    /** Happens when a file is gone that the tier still counts. */
    private Runnable whileRemoving = () -> {};

    private final LocalTier tier = new LocalTier(
            new LocalTier.Limits(CAPACITY, 1_000, 0),
            new AddressSpace(1 << 20, 1L << 30, 0),
            new GrantLedger(new GrantLedger.Limits(10, 10, 1, 1, 1, 1)),
            (extent, truncate) -> {
                whileRemoving.run();
                return true;
            },
            SharedSlots.NONE,
            new MemoryTierListener(metricRegistry, key -> {}, more -> {}),
            key -> false);
    private long fileSystemBytes = OTHERS;
    private final UnlinkedBytes unlinkedBytes = new UnlinkedBytes(tier, () -> fileSystemBytes, () -> OTHERS);
    private long nowNs;

    private static BlockKey key(long id) {
        return new BlockKey("pool", id, 1);
    }

    private Admission live(long id, long pages) {
        LocalTier.Begun begun = tier.begin(key(id), pages * PAGE, false, nowNs);
        if (begun.extent() != null) {
            tier.publish(begun.extent(), nowNs);
            fileSystemBytes += pages * PAGE;
        }
        return begun.admission();
    }

    private void pass(long id) {
        tier.giveBack(tier.lend(key(id), true, nowNs), nowNs);
    }

    /** Its file goes; what it takes stays if somebody has it open. */
    private void drop(long id, boolean open) {
        Extent extent = tier.drop(key(id), RetireCause.ORDERED, nowNs);
        tier.sweep(nowNs);
        fileSystemBytes -= open ? 0 : extent.lengthBytes();
    }

    private void look() {
        nowNs += SECOND;
        unlinkedBytes.turn(nowNs);
    }

    @Test
    void removedCopies_thatAreKeptOpen_takeTheirRoom_untilTheyAreClosed() {
        live(1, 60);
        pass(1);
        drop(1, true);
        look();
        assertThat(unlinkedBytes.bytes()).isEqualTo(60 * PAGE);
        assertThat(tier.usage().capacityBytes()).isEqualTo(40 * PAGE);
        assertThat(live(2, 41)).as("it would exceed the capacity").isEqualTo(Admission.NO_ROOM);
        assertThat(live(3, 40)).isEqualTo(Admission.BEGUN);
        look();
        assertThat(unlinkedBytes.bytes())
                .as("a page of each copy may not be told")
                .isEqualTo(59 * PAGE);
        fileSystemBytes -= 60 * PAGE;
        look();
        assertThat(unlinkedBytes.bytes()).isZero();
        assertThat(tier.usage().capacityBytes()).isEqualTo(CAPACITY);
        assertThat(live(2, 41)).isEqualTo(Admission.BEGUN);
    }

    @Test
    void moreDescriptors_areNotPassed_whileAnEighthIsKeptOpen() {
        live(1, 14);
        live(2, 20);
        pass(1);
        drop(1, true);
        look();
        assertThat(tier.lend(key(2), true, nowNs))
                .as("its reader gets the replica")
                .isNull();
        assertThat(metricRegistry.value(Metric.MEMORY_KEPT_OPEN_REFUSED)).isEqualTo(1);
        assertThat(tier.lend(key(2), false, nowNs)).as("over the socket").isNotNull();
        assertThat(tier.begin(key(2), 20 * PAGE, true, nowNs).admission()).isEqualTo(Admission.RESIDENT);
        assertThat(tier.lend(key(2), true, nowNs)).as("pinned").isNotNull();
        assertThat(tier.lend(key(3), true, nowNs)).as("not in memory").isNull();
        assertThat(metricRegistry.value(Metric.MEMORY_KEPT_OPEN_REFUSED)).isEqualTo(1);
        tier.unpin("pool", 2, nowNs);
        assertThat(tier.lend(key(2), true, nowNs)).isNull();
        fileSystemBytes -= 14 * PAGE;
        look();
        assertThat(tier.lend(key(2), true, nowNs)).isNotNull();
    }

    @Test
    void removedCopies_areFound_thoughTheFirstLookFellIntoTheMakingOfAnother() {
        live(1, 60);
        pass(1);
        drop(1, true);
        Extent copy = tier.begin(key(2), 60 * PAGE, false, nowNs).extent();
        look();
        assertThat(unlinkedBytes.bytes())
                .as("the copy is counted as a whole, and nothing is there yet")
                .isZero();
        tier.publish(copy, nowNs);
        fileSystemBytes += 60 * PAGE;
        look();
        assertThat(unlinkedBytes.bytes()).isEqualTo(59 * PAGE);
    }

    @Test
    void removedCopies_thatWereFound_takeTheirRoomWhileAnotherIsMade() {
        live(1, 60);
        pass(1);
        drop(1, true);
        look();
        Extent copy = tier.begin(key(2), 40 * PAGE, false, nowNs).extent();
        look();
        assertThat(unlinkedBytes.bytes())
                .as("but for the last page of the copy")
                .isEqualTo(59 * PAGE);
        assertThat(live(3, 2)).as("it would exceed the capacity").isEqualTo(Admission.NO_ROOM);
        fileSystemBytes -= 60 * PAGE;
        look();
        assertThat(unlinkedBytes.bytes())
                .as("what may be hidden behind the copy")
                .isEqualTo(40 * PAGE);
        tier.abandon(copy, nowNs);
        tier.sweep(nowNs);
        look();
        assertThat(unlinkedBytes.bytes()).isZero();
        assertThat(live(4, 100)).isEqualTo(Admission.BEGUN);
    }

    @Test
    void removedCopies_areFound_thoughTheFirstLookFellIntoTheRemovalOfAnother() {
        live(1, 60);
        pass(1);
        drop(1, true);
        live(2, 30);
        whileRemoving = () -> {
            fileSystemBytes -= 30 * PAGE;
            look();
        };
        tier.drop(key(2), RetireCause.ORDERED, nowNs);
        tier.sweep(nowNs);
        look();
        assertThat(unlinkedBytes.bytes()).isEqualTo(60 * PAGE);
    }

    @Test
    void whatElseTakesRoom_isNotHeldAgainstTheTier() {
        live(1, 10);
        pass(1);
        live(2, 10);
        drop(1, false);
        drop(2, false);
        fileSystemBytes += 5 * PAGE;
        look();
        assertThat(unlinkedBytes.bytes())
                .as("no more than was passed, and cannot be told apart")
                .isEqualTo(5 * PAGE);
        fileSystemBytes += 50 * PAGE;
        look();
        assertThat(unlinkedBytes.bytes()).isEqualTo(5 * PAGE);
        live(3, 10);
        drop(3, true);
        look();
        assertThat(unlinkedBytes.bytes()).as("it was never passed").isEqualTo(5 * PAGE);
    }

    @Test
    void fileSystem_thatTellsNothing_isNotHeldAgainstTheTier() {
        live(1, 60);
        pass(1);
        drop(1, true);
        fileSystemBytes = -1;
        look();
        assertThat(unlinkedBytes.bytes()).isZero();
        assertThat(tier.usage().capacityBytes()).isEqualTo(CAPACITY);
    }

    @Test
    void usedBytes_areToldOnlyOfAMountOfItsOwn(@TempDir Path root) throws Exception {
        Path memory = Files.createDirectory(root.resolve("memory"));
        try (MemoryDirectory directory = MemoryDirectory.open(memory, false)) {
            assertThat(directory.usedBytes()).isEqualTo(-1);
        }
        assumeTrue(run("mount", "-t", "tmpfs", "-o", "size=8m,mode=0711", "tmpfs", memory.toString()), "cannot mount");
        try (MemoryDirectory directory = MemoryDirectory.open(memory, true)) {
            assertThat(directory.usedBytes()).isBetween(0L, 100_000L);
            Extent extent = new Extent(key(1), 1 << 20, 4096, 1, 0);
            try (FileChannel file = directory.create(extent)) {
                file.write(ByteBuffer.allocate(1 << 20));
                assertThat(directory.remove(extent, false)).isTrue();
                assertThat(directory.usedBytes()).as("kept open").isBetween(1L << 20, (1L << 20) + 100_000);
            }
            assertThat(directory.usedBytes()).isBetween(0L, 100_000L);
        } finally {
            assertThat(run("umount", memory.toString())).isTrue();
        }
    }

    private static boolean run(String... command) throws IOException, InterruptedException {
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return process.waitFor(60, TimeUnit.SECONDS) && process.exitValue() == 0;
        } catch (IOException e) {
            return false;
        }
    }
}
