package io.terrace.bench.simulation.check;

import io.terrace.common.StorageTier;
import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.policy.api.PoolShare;
import io.terrace.policy.api.PoolUsage;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Bytes that each pool has of the tiers of one DataNode, beside what the policy file lets it have. */
final class TierUsages {

    private final PolicySpec spec;
    /** What is divided, to a byte for each pool less. */
    private final Map<StorageTier, Long> divided = new EnumMap<>(StorageTier.class);

    private final Map<StorageTier, Map<String, Long>> used = new EnumMap<>(StorageTier.class);

    /** @param usages as the service counts, memory among them */
    TierUsages(PolicySpec spec, List<PoolUsage> usages) {
        this.spec = spec;
        for (PoolUsage usage : usages) {
            StorageTier tier = StorageTier.valueOf(usage.tier().toUpperCase(Locale.ROOT));
            if (tier != StorageTier.MEMORY) {
                divided.merge(tier, usage.ownBytes(), Long::sum);
                used.computeIfAbsent(tier, any -> new TreeMap<>()).put(usage.name(), usage.usedBytes());
            }
        }
    }

    /** The same pools, with nothing. */
    TierUsages emptied() {
        TierUsages emptied = new TierUsages(spec, List.of());
        emptied.divided.putAll(divided);
        used.forEach((tier, pools) -> {
            Map<String, Long> none = new TreeMap<>();
            pools.keySet().forEach(pool -> none.put(pool, 0L));
            emptied.used.put(tier, none);
        });
        return emptied;
    }

    /** A pool has so many bytes more; nothing where the tier is not divided. */
    void take(StorageTier tier, int pool, long bytes) {
        Map<String, Long> pools = used.get(tier);
        if (pools != null) {
            pools.merge(share(tier, pool).name(), bytes, Long::sum);
        }
    }

    /** A pool without a share of a tier counts for the first one. */
    private PoolShare share(StorageTier tier, int pool) {
        PoolShare own = spec.pools().get(pool).tiers().get(tier);
        PoolShare first = spec.pools().get(0).tiers().get(tier);
        if (first == null) {
            throw new IllegalArgumentException(tier + " is not divided");
        }
        return own == null ? first : own;
    }

    private List<PoolShare> shares(StorageTier tier) {
        List<PoolShare> shares = new ArrayList<>();
        spec.pools().forEach(pool -> {
            PoolShare share = pool.tiers().get(tier);
            if (share != null) {
                shares.add(share);
            }
        });
        return shares;
    }

    /** Why a pool has more of a tier than it may; null if it has not, or if the tier is not divided. */
    @Nullable
    String excess(StorageTier tier, int pool) {
        Map<String, Long> pools = used.get(tier);
        if (pools == null) {
            return null;
        }
        PoolShare share = share(tier, pool);
        long dividedBytes = divided.getOrDefault(tier, 0L);
        long atMostDivided = dividedBytes + spec.pools().size();
        long left = atMostDivided;
        for (PoolShare other : shares(tier)) {
            if (!other.name().equals(share.name())) {
                long usedBytes = pools.getOrDefault(other.name(), 0L);
                left -= other.lends() ? usedBytes : Math.max(usedBytes, (long) (other.share() * dividedBytes));
            }
        }
        long has = pools.getOrDefault(share.name(), 0L);
        long most = (long) (share.most() * atMostDivided);
        long may = Math.max((long) (share.share() * atMostDivided), left);
        return has <= most && has <= may
                ? null
                : "pool " + share.name() + " has " + has + " bytes of " + tier + " and may have " + Math.min(most, may)
                        + ": " + this;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TierUsages that && used.equals(that.used);
    }

    @Override
    public int hashCode() {
        return used.hashCode();
    }

    @Override
    public String toString() {
        return used + " of " + divided;
    }
}
