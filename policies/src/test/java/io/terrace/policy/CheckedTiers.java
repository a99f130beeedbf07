package io.terrace.policy;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;

/** Carries out every wish at once and fails the test when one makes no sense or overfills a tier. */
public final class CheckedTiers implements Wishes {

    private final Hierarchy hierarchy;
    private final long[] capacities;
    private final long[] used;
    private final Map<Long, Integer> tiers = new HashMap<>();
    private final Map<Long, Long> sizes = new HashMap<>();
    private final StringBuilder log = new StringBuilder();

    public CheckedTiers(Hierarchy hierarchy) {
        this.hierarchy = hierarchy;
        capacities = hierarchy.tiers().stream().mapToLong(Tier::capacityBytes).toArray();
        used = new long[hierarchy.size()];
    }

    public int tier(long object) {
        return tiers.getOrDefault(object, hierarchy.home());
    }

    public long used(int tier) {
        return used[tier];
    }

    /** All wishes so far, for comparing two runs. */
    public String log() {
        return log.toString();
    }

    public void read(Policy policy, long nowMs, long object, long sizeBytes) {
        int tier = tier(object);
        Long before = sizes.put(object, sizeBytes);
        if (before != null) {
            used[tier] += sizeBytes - before;
        } else {
            used[tier] += sizeBytes;
        }
        policy.access(new Access().read(nowMs, object, sizeBytes, sizeBytes, tier), this);
        check();
    }

    public void vanish(Policy policy, long nowMs, long object) {
        policy.vanished(nowMs, object);
        Long size = sizes.remove(object);
        if (size != null) {
            used[tier(object)] -= size;
        }
        tiers.remove(object);
    }

    public void resize(Policy policy, long nowMs, int tier, long bytes) {
        capacities[tier] = bytes;
        policy.resize(nowMs, tier, bytes, this);
        check();
    }

    @Override
    public void place(long object, long sizeBytes, int fromTier, int toTier) {
        assertThat(fromTier)
                .as("from tier of %d", object)
                .isEqualTo(tier(object))
                .isNotEqualTo(toTier);
        assertThat(toTier).isBetween(0, hierarchy.home());
        assertThat(sizeBytes).isEqualTo(sizes.get(object));
        used[fromTier] -= sizeBytes;
        used[toTier] += sizeBytes;
        tiers.put(object, toTier);
        log.append(object).append('>').append(toTier).append(' ');
    }

    private void check() {
        for (int tier = 0; tier < hierarchy.home(); tier++) {
            assertThat(used[tier]).as("bytes in tier %d", tier).isBetween(0L, capacities[tier]);
        }
    }
}
