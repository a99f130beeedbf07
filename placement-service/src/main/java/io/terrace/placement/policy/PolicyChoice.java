package io.terrace.placement.policy;

import io.terrace.placement.policyfile.PolicySpec;

/**
 * A policy and where it comes from.
 *
 * @param number of the applied policy in the history, 0 where it was not applied
 */
public record PolicyChoice(PolicySpec spec, Source source, long number) {

    /** Who wants it. What is applied goes before the policy file, and that before the settings. */
    public enum Source {
        SETTINGS,
        FILE,
        APPLIED,
        /** Nobody: no other one could be made. */
        FALLBACK
    }
}
