package io.terrace.datanode.hdfs.dataset;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.common.BlockKey;
import io.terrace.datanode.extent.AddressSpace;
import io.terrace.datanode.extent.Extent;
import io.terrace.datanode.extent.GrantLedger;
import io.terrace.datanode.extent.LocalTier;
import io.terrace.datanode.extent.SharedSlots;
import io.terrace.datanode.memory.MemoryTierListener;
import io.terrace.datanode.memory.PinRequests;
import io.terrace.metrics.MetricRegistry;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The pins that outlive their directive because a stock client has the block anchored. */
class AnchoredPinsTest {

    private static final long TIMEOUT_NS = 1_000;
    private static final PinRequests.Pin PIN = new PinRequests.Pin("pool", 1);
    private static final BlockKey KEY = new BlockKey("pool", 1, 7);

    private final Set<PinRequests.Pin> anchored = new HashSet<>();
    private final MetricRegistry metricRegistry = new MetricRegistry();
    private final LocalTier tier = new LocalTier(
            new LocalTier.Limits(1_000, 10, 500),
            new AddressSpace(1 << 20, 1 << 20, 10),
            new GrantLedger(new GrantLedger.Limits(1_000, 100, 1_000, 100, 1L << 40, 1 << 20)),
            (extent, truncate) -> true,
            SharedSlots.NONE,
            new MemoryTierListener(metricRegistry, key -> {}, more -> {}),
            key -> false);
    private final AnchoredPins pins = new AnchoredPins(tier, pin -> !anchored.contains(pin), TIMEOUT_NS);

    @BeforeEach
    void pinnedCopy() {
        Extent extent = tier.begin(KEY, 100, true, 0).extent();
        assertThat(extent).isNotNull();
        assertThat(tier.publish(extent, 0)).isTrue();
    }

    @Test
    void unpin_ofWhatNobodyHolds_endsAtOnce() {
        pins.unpin(PIN, 0);
        assertThat(tier.isResident(KEY)).isFalse();
        assertThat(pins.isEnding(PIN)).isFalse();
    }

    @Test
    void unpin_ofAnAnchoredBlock_keepsItUntilTheClientLetsGo() {
        anchored.add(PIN);
        pins.unpin(PIN, 0);
        pins.endReleased(TIMEOUT_NS / 2);
        assertThat(tier.isPinned(KEY)).isTrue();
        assertThat(pins.isEnding(PIN)).as("reported no more").isTrue();

        anchored.clear();
        pins.endReleased(TIMEOUT_NS / 2);
        assertThat(tier.isResident(KEY)).isFalse();
        assertThat(pins.isEnding(PIN)).isFalse();
    }

    @Test
    void unpin_ofABlockAnchoredForTooLong_endsAtTheTimeout() {
        anchored.add(PIN);
        pins.unpin(PIN, 0);
        pins.unpin(PIN, TIMEOUT_NS - 1);
        pins.endReleased(TIMEOUT_NS - 1);
        assertThat(tier.isPinned(KEY)).isTrue();
        pins.endReleased(TIMEOUT_NS);
        assertThat(tier.isResident(KEY)).as("asking again does not lengthen it").isFalse();
    }

    @Test
    void pinAgain_whileTheClientHoldsIt_goesOnWithoutEnd() {
        anchored.add(PIN);
        pins.unpin(PIN, 0);
        pins.pinnedAgain(PIN);
        assertThat(pins.isEnding(PIN)).isFalse();
        anchored.clear();
        pins.endReleased(10 * TIMEOUT_NS);
        assertThat(tier.isPinned(KEY)).isTrue();
    }

    @Test
    void unpin_ofAnotherBlock_leavesThisOne() {
        pins.unpin(new PinRequests.Pin("pool", 2), 0);
        pins.unpin(new PinRequests.Pin("other", 1), 0);
        pins.endReleased(10 * TIMEOUT_NS);
        assertThat(tier.isPinned(KEY)).isTrue();
    }
}
