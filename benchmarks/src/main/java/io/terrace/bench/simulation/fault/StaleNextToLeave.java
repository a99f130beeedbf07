package io.terrace.bench.simulation.fault;

import io.terrace.policy.ForwardingPolicy;
import io.terrace.policy.api.PlacementPolicy;
import java.util.HashMap;
import java.util.Map;

/** A policy that always names what it named first, for each pool, as what would leave next. */
final class StaleNextToLeave extends ForwardingPolicy {

    private final Map<Integer, Long> first = new HashMap<>();

    StaleNextToLeave(PlacementPolicy policy) {
        super(policy);
    }

    @Override
    public long nextToLeave(int tier, int pool) {
        Long named = first.get(pool);
        if (named != null) {
            return named;
        }
        long next = super.nextToLeave(tier, pool);
        if (next != NO_OBJECT) {
            first.put(pool, next);
        }
        return next;
    }
}
