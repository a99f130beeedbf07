package io.terrace.datanode.extent;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.common.BlockKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A tier with room for 1,000 bytes and 100 copies, and what it told. */
final class TierFixture {

    static final String POOL = "pool";

    final Set<BlockKey> heldDescriptors = new HashSet<>();
    final FakeSlots slots = new FakeSlots();
    final Set<Extent> removed = new HashSet<>();
    final Set<Extent> truncated = new HashSet<>();
    final List<Boolean> pins = new ArrayList<>();
    final Map<BlockKey, RetireCause> gone = new HashMap<>();
    final LocalTier tier = tier(1_000, 100);

    LocalTier tier(long capacityBytes, int extents) {
        return new LocalTier(
                new LocalTier.Limits(capacityBytes, extents, 500),
                new AddressSpace(1 << 20, 1 << 20, 10),
                new GrantLedger(new GrantLedger.Limits(1_000, 500, 1_000, 100, 1L << 40, 1 << 20)),
                (extent, truncate) -> {
                    removed.add(extent);
                    if (truncate) {
                        truncated.add(extent);
                    }
                    return true;
                },
                slots,
                new ExtentListener() {
                    @Override
                    public void resident(Extent extent, boolean pinned) {}

                    @Override
                    public void gone(Extent extent, RetireCause cause) {
                        gone.put(extent.key(), cause);
                    }

                    @Override
                    public void pinned(boolean more) {
                        pins.add(more);
                    }

                    @Override
                    public void housekeepingWanted() {}
                },
                heldDescriptors::contains);
    }

    /** Slots that notice a use out of order. */
    static final class FakeSlots implements SlotAllocator {
        final Map<Integer, String> states = new HashMap<>();
        int next;

        @Override
        public int claim(BlockKey key) {
            states.put(next, "claimed");
            return next++;
        }

        @Override
        public long publish(int slot) {
            assertThat(states.put(slot, "live")).isEqualTo("claimed");
            return slot + 1000L;
        }

        @Override
        public void retire(int slot) {
            assertThat(states.put(slot, "retiring")).isEqualTo("live");
        }

        @Override
        public void free(int slot) {
            assertThat(states.remove(slot)).isEqualTo("retiring");
        }
    }

    static BlockKey key(long id) {
        return new BlockKey(POOL, id, 1);
    }

    Extent live(long id, long lengthBytes, long nowNs) {
        Extent extent = tier.begin(key(id), lengthBytes, false, nowNs).extent();
        assertThat(extent).isNotNull();
        assertThat(tier.publish(extent, nowNs)).isTrue();
        return extent;
    }
}
