package io.terrace.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.policy.api.Access;
import io.terrace.policy.api.MoveRequests;
import io.terrace.policy.api.PlacementPolicy;
import io.terrace.policy.api.TierHierarchy;
import io.terrace.policy.api.TierSpec;
import java.util.HashMap;
import java.util.Map;

/** Carries out every request at once and fails the test when one makes no sense or overfills a tier. */
public final class CheckedTiers implements MoveRequests {

    private final TierHierarchy hierarchy;
    private final long[] capacities;
    private final long[] used;
    private final Map<Long, Integer> tiers = new HashMap<>();
    private final Map<Long, Long> sizes = new HashMap<>();
    private final StringBuilder log = new StringBuilder();

    public CheckedTiers(TierHierarchy hierarchy) {
        this.hierarchy = hierarchy;
        capacities =
                hierarchy.tiers().stream().mapToLong(TierSpec::capacityBytes).toArray();
        used = new long[hierarchy.size()];
    }

    public int tier(long object) {
        return tiers.getOrDefault(object, hierarchy.base());
    }

    public long used(int tier) {
        return used[tier];
    }

    /** All requests so far, for comparing two runs. */
    public String log() {
        return log.toString();
    }

    public void read(PlacementPolicy policy, long nowMs, long object, long sizeBytes) {
        int tier = tier(object);
        Access access = new Access().read(nowMs, object, sizeBytes, sizeBytes, tier);
        policy.access(access.of(3 * sizeBytes).saving(8_000_000 + 10 * sizeBytes), sized(object, sizeBytes));
        checkRoom();
    }

    public void write(PlacementPolicy policy, long nowMs, long object, long sizeBytes) {
        int tier = tier(object);
        policy.access(new Access().write(nowMs, object, sizeBytes, sizeBytes, tier), sized(object, sizeBytes));
        checkRoom();
    }

    /** The object has that size from now on, where it stands. */
    public CheckedTiers sized(long object, long sizeBytes) {
        Long before = sizes.put(object, sizeBytes);
        used[tier(object)] += sizeBytes - (before == null ? 0 : before);
        return this;
    }

    /** Puts an object somewhere without a request of the policy. */
    public void put(long object, long sizeBytes, int tier) {
        sized(object, sizeBytes).place(object, sizeBytes, tier(object), tier);
    }

    public void vanish(PlacementPolicy policy, long nowMs, long object) {
        policy.vanished(nowMs, object);
        Long size = sizes.remove(object);
        if (size != null) {
            used[tier(object)] -= size;
        }
        tiers.remove(object);
    }

    public void resize(PlacementPolicy policy, long nowMs, int tier, long bytes) {
        capacities[tier] = bytes;
        policy.resize(nowMs, tier, bytes, this);
        checkRoom();
    }

    @Override
    public void place(long object, long sizeBytes, int fromTier, int toTier) {
        assertThat(fromTier)
                .as("from tier of %d", object)
                .isEqualTo(tier(object))
                .isNotEqualTo(toTier);
        assertThat(toTier).isBetween(0, hierarchy.base());
        assertThat(sizeBytes).isEqualTo(sizes.get(object));
        used[fromTier] -= sizeBytes;
        used[toTier] += sizeBytes;
        tiers.put(object, toTier);
        log.append(object).append('>').append(toTier).append(' ');
    }

    public void checkRoom() {
        for (int tier = 0; tier < hierarchy.base(); tier++) {
            assertThat(used[tier]).as("bytes in tier %d", tier).isBetween(0L, capacities[tier]);
        }
    }
}
