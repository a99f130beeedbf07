package io.terrace.bench.simulation.fault;

import io.terrace.policy.ForwardingPolicy;
import io.terrace.policy.api.PlacementPolicy;

/** A policy that does not hear of blocks that are gone, and goes on counting them. */
final class BookedForEver extends ForwardingPolicy {

    BookedForEver(PlacementPolicy policy) {
        super(policy);
    }

    @Override
    public void vanished(long nowMs, long object) {
        // Kept from it.
    }
}
