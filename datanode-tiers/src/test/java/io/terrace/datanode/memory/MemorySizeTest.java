package io.terrace.datanode.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.common.BlockKey;
import io.terrace.datanode.extent.AddressSpace;
import io.terrace.datanode.extent.Extent;
import io.terrace.datanode.extent.GrantLedger;
import io.terrace.datanode.extent.LocalTier;
import io.terrace.datanode.extent.LocalTier.Admission;
import io.terrace.datanode.extent.SharedSlots;
import io.terrace.metrics.MetricRegistry;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class MemorySizeTest {

    private static final long KB = 1024;

    private long usableBytes = 100 * KB;
    private boolean fails;
    private final LocalTier tier = new LocalTier(
            new LocalTier.Limits(100 * KB, 1_000, 0),
            new AddressSpace(1 << 20, 1L << 30, 0),
            new GrantLedger(new GrantLedger.Limits(10, 10, 1, 1, 1, 1)),
            (extent, truncate) -> true,
            SharedSlots.NONE,
            new MemoryTierListener(new MetricRegistry(), key -> {}, more -> {}),
            key -> false);
    private final MemorySize size = new MemorySize(tier, new MemorySize.Bounds(100 * KB, 400 * KB, 600 * KB), () -> {
        if (fails) {
            throw new IOException("no such mount");
        }
        return usableBytes;
    });

    private Admission copy(long id, long bytes, boolean pinned) {
        LocalTier.Begun begun = tier.begin(new BlockKey("pool", id, 1), bytes, pinned, 0);
        Extent extent = begun.extent();
        if (extent != null) {
            tier.publish(extent, 0);
        }
        return begun.admission();
    }

    @Test
    void larger_lets_more_in() {
        assertThat(copy(1, 150 * KB, false)).isEqualTo(Admission.NO_ROOM);
        usableBytes = 200 * KB;
        assertThat(size.change(200 * KB)).isNull();
        assertThat(tier.usage().capacityBytes()).isEqualTo(200 * KB);
        assertThat(copy(1, 150 * KB, false)).isEqualTo(Admission.BEGUN);
        assertThat(size.configuredBytes()).isEqualTo(100 * KB);
    }

    @Test
    void smaller_thanWhatIsThere_letsNothingInUntilEnoughIsGone() {
        assertThat(copy(1, 40 * KB, false)).isEqualTo(Admission.BEGUN);
        assertThat(copy(2, 40 * KB, false)).isEqualTo(Admission.BEGUN);
        assertThat(size.change(50 * KB)).isNull();
        assertThat(copy(3, 4 * KB, false)).isEqualTo(Admission.NO_ROOM);
        assertThat(tier.usage().usedBytes()).as("what is there is served on").isEqualTo(80 * KB);
        tier.changed("pool", 1, 1);
        tier.sweep(1);
        assertThat(copy(3, 4 * KB, false)).isEqualTo(Admission.BEGUN);
    }

    @Test
    void aboveTheBound_isRefused_withTheSetting() {
        usableBytes = 1 << 30;
        assertThat(size.change(401 * KB)).contains("terrace.datanode.memory.capacity.max");
        assertThat(size.change(400 * KB)).contains("terrace.datanode.region.size");
        assertThat(size.change(300 * KB)).isNull();
        assertThat(size.change(1)).contains("the least");
        assertThat(tier.usage().capacityBytes()).isEqualTo(300 * KB);
    }

    @Test
    void beyondTheRoomOfTheFileSystem_isRefused() {
        assertThat(copy(1, 40 * KB, false)).isEqualTo(Admission.BEGUN);
        assertThat(size.change(141 * KB)).contains("102400 bytes left").contains("remount");
        assertThat(size.change(140 * KB)).as("40 KB are there already").isNull();
        fails = true;
        assertThat(size.change(120 * KB)).contains("no such mount");
        assertThat(tier.usage().capacityBytes()).isEqualTo(140 * KB);
    }

    @Test
    void belowWhatIsPinned_isRefused() {
        assertThat(copy(1, 40 * KB, true)).isEqualTo(Admission.BEGUN);
        assertThat(size.change(39 * KB)).contains("pin 40960 bytes");
        assertThat(size.change(40 * KB)).isNull();
    }
}
