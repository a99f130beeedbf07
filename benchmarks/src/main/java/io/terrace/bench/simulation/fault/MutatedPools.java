package io.terrace.bench.simulation.fault;

import io.terrace.common.StorageTier;
import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.placement.policyfile.PoolSpec;
import io.terrace.policy.api.PoolShare;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/** A policy file whose pools have other parts of the tiers below memory than were written. */
final class MutatedPools {

    private MutatedPools() {}

    static PolicySpec of(PolicySpec spec, UnaryOperator<PoolShare> change) {
        List<PoolSpec> pools = spec.pools().stream()
                .map(pool ->
                        new PoolSpec(pool.share(), changed(pool.tiers(), change), pool.policy(), pool.parameters()))
                .toList();
        return new PolicySpec(spec.policy(), spec.parameters(), spec.size(), pools, spec.rules(), spec.text());
    }

    private static Map<StorageTier, PoolShare> changed(
            Map<StorageTier, PoolShare> tiers, UnaryOperator<PoolShare> change) {
        Map<StorageTier, PoolShare> changed = new EnumMap<>(StorageTier.class);
        tiers.forEach((tier, share) -> changed.put(tier, change.apply(share)));
        return changed;
    }
}
