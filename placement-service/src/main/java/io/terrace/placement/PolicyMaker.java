package io.terrace.placement;

import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.policy.Hierarchy;
import io.terrace.policy.Policy;

/** Makes instances of policies; tests have one that fails. May throw anything, a {@link LinkageError} included. */
@FunctionalInterface
public interface PolicyMaker {

    Policy make(PolicySpec spec, Hierarchy tiers);
}
