package io.terrace.placement.state;

import io.terrace.common.StorageTier;
import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.policy.api.TierHierarchy;
import java.util.List;

/**
 * The tiers that the policy of a DataNode places blocks in, fastest first: those that the service fills with copies, and last
 * the base, which stands for every tier that HDFS places replicas in. Policies, requests and moves name tiers by their index
 * here.
 *
 * @param filled the tiers above the base
 */
public record TierLayout(List<StorageTier> filled, TierHierarchy hierarchy) {

    private static final TierLayout MEMORY_OVER_BASE = new TierLayout(List.of(StorageTier.MEMORY), PolicySpec.TIERS);

    public TierLayout {
        filled = List.copyOf(filled);
        if (filled.size() != hierarchy.base()) {
            throw new IllegalArgumentException(filled + " and a base are not the tiers of " + hierarchy);
        }
    }

    /** The layout of every DataNode today. */
    public static TierLayout memoryOverBase() {
        return MEMORY_OVER_BASE;
    }

    public int base() {
        return hierarchy.base();
    }

    /** The index of a tier: the base for one that the service does not fill. */
    public int indexOf(StorageTier tier) {
        int index = filled.indexOf(tier);
        return index < 0 ? base() : index;
    }
}
