package io.terrace.datanode.extent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.common.BlockKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Files that cannot be removed: their bytes stay counted, and are given back once they can be. */
class ExtentReaperTest {

    private static final long LENGTH = 100;

    private final Set<Long> stuck = new LinkedHashSet<>();
    private final Map<Long, Throwable> faults = new HashMap<>();
    private final List<Long> asked = new ArrayList<>();
    private final List<Boolean> truncated = new ArrayList<>();
    private final LocalTier tier = new LocalTier(
            new LocalTier.Limits(100_000, 1_000, 0),
            new AddressSpace(1 << 20, 1L << 30, 0),
            new GrantLedger(new GrantLedger.Limits(1_000, 500, 1_000, 100, 1L << 40, 1 << 20)),
            this::remove,
            SharedSlots.NONE,
            new ExtentListener() {
                @Override
                public void resident(Extent extent, boolean pinned) {}

                @Override
                public void gone(Extent extent, RetireCause cause) {}

                @Override
                public void pinned(boolean more) {}

                @Override
                public void housekeepingWanted() {}
            },
            key -> false);

    private boolean remove(Extent extent, boolean truncate) {
        long id = extent.key().blockId();
        asked.add(id);
        truncated.add(truncate);
        Throwable fault = faults.get(id);
        if (fault instanceof Error error) {
            throw error;
        }
        if (fault instanceof RuntimeException unchecked) {
            throw unchecked;
        }
        return !stuck.contains(id);
    }

    private static BlockKey key(long id) {
        return new BlockKey("pool", id, 1);
    }

    private void live(int copies) {
        for (long id = 1; id <= copies; id++) {
            tier.publish(tier.begin(key(id), LENGTH, false, 0).extent(), 0);
        }
    }

    private void dropAll() {
        tier.liveExtents().forEach(extent -> tier.drop(extent.key(), RetireCause.ORDERED, 1));
    }

    @Test
    void files_thatAreMany_areRemovedInSeveralTurns() {
        int inOneTurn = (int) (ExtentReaper.MOST_BYTES / ExtentReaper.FILE_BYTES);
        live(inOneTurn + 10);
        dropAll();
        assertThat(tier.sweep(2)).isEqualTo(inOneTurn);
        assertThat(tier.sweep(2)).isEqualTo(10);
        assertThat(tier.usage().usedBytes()).isZero();
    }

    @Test
    void file_thatCannotBeRemoved_countsUntilItIs() {
        live(2);
        stuck.add(1L);
        dropAll();
        assertThat(tier.sweep(2)).isEqualTo(1);
        assertThat(tier.usage().usedBytes()).isEqualTo(LENGTH);
        assertThat(tier.usage().extents()).isEqualTo(1);
        assertThat(tier.usage().regionBytes()).isPositive();
        assertThat(tier.sweep(1 + RemovalQueue.AGAIN_NS)).as("not in each turn").isZero();
        assertThat(asked).hasSize(2);
        assertThat(tier.sweep(2 + RemovalQueue.AGAIN_NS)).isZero();
        assertThat(asked).hasSize(3);
        stuck.clear();
        assertThat(tier.sweep(2 + 2 * RemovalQueue.AGAIN_NS)).isEqualTo(1);
        assertThat(tier.usage().usedBytes()).isZero();
        assertThat(tier.usage().regionBytes()).isZero();
        assertThat(truncated).as("cut at last, and from the first").containsOnly(true);
    }

    @Test
    void removal_thatThrows_costsNoOtherAnything_andIsTriedAgain() {
        for (Throwable fault : new Throwable[] {new IllegalStateException("broken"), new OutOfMemoryError("none")}) {
            live(5);
            faults.put(2L, fault);
            dropAll();
            asked.clear();
            assertThatThrownBy(() -> tier.sweep(2)).isSameAs(fault);
            assertThat(asked).containsExactlyInAnyOrder(1L, 2L, 3L, 4L, 5L);
            assertThat(tier.usage().usedBytes()).isEqualTo(LENGTH);
            faults.clear();
            assertThat(tier.sweep(2 + RemovalQueue.AGAIN_NS)).isEqualTo(1);
            assertThat(tier.usage().usedBytes()).isZero();
        }
    }

    @Test
    void files_onADeviceThatRemovesNothing_areTriedSomeAtATime() {
        live(700);
        for (long id = 1; id <= 700; id++) {
            stuck.add(id);
        }
        dropAll();
        tier.sweep(2);
        tier.sweep(2);
        assertThat(asked).hasSize(700);
        Set<Long> again = new LinkedHashSet<>();
        for (int second = 1; second <= 3; second++) {
            asked.clear();
            tier.sweep(2 + second * RemovalQueue.AGAIN_NS);
            assertThat(asked).hasSize(RemovalQueue.MOST_AGAIN);
            again.addAll(asked);
        }
        assertThat(again).as("each had its turn").hasSize(700);
    }

    @Test
    void breakOff_givesTheMemoryBack_onceNobodyReadsIt() {
        live(2);
        Extent lent = tier.lend(key(1), false, 0);
        tier.breakOff(1);
        assertThat(tier.begin(key(3), LENGTH, false, 1).admission()).isEqualTo(LocalTier.Admission.OFF);
        tier.sweep(2);
        assertThat(asked).containsExactly(2L);
        tier.giveBack(lent, 3);
        tier.close(4);
        tier.sweep(5);
        assertThat(asked).containsExactly(2L, 1L);
        assertThat(tier.usage().usedBytes()).isZero();
    }
}
