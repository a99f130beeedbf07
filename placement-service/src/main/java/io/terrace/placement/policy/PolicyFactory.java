package io.terrace.placement.policy;

import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.policy.api.PlacementPolicy;
import io.terrace.policy.api.TierHierarchy;

/** Makes instances of policies; tests have one that fails. May throw anything, a {@link LinkageError} included. */
@FunctionalInterface
public interface PolicyFactory {

    PlacementPolicy make(PolicySpec spec, TierHierarchy tiers);
}
