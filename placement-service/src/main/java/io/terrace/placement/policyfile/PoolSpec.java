package io.terrace.placement.policyfile;

import io.terrace.common.StorageTier;
import io.terrace.policy.api.PoolShare;
import java.util.Map;

/**
 * A part of each DataNode's memory, and of its other tiers, for the blocks that rules send there.
 *
 * @param share its part of memory
 * @param tiers its parts of the tiers that replicas are in; its blocks count for the first pool in a tier that is missing
 * @param policy its policy's name
 * @param parameters those of its policy, checked
 */
public record PoolSpec(
        PoolShare share, Map<StorageTier, PoolShare> tiers, String policy, Map<String, String> parameters) {

    /** The pool of blocks that no rule sends elsewhere. */
    public static final String REST = "default";

    public PoolSpec {
        tiers = Map.copyOf(tiers);
        parameters = Map.copyOf(parameters);
    }

    public String name() {
        return share.name();
    }
}
