package io.terrace.policy.api;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The tiers a policy places objects in, fastest first. The last one is the base: whatever is in no other tier is there,
 * and nothing is ever refused by it.
 *
 * @param tiers {@value #MIN_TIERS} to {@value #MAX_TIERS} tiers with distinct names
 */
public record TierHierarchy(List<TierSpec> tiers) {

    public static final int MIN_TIERS = 2;
    public static final int MAX_TIERS = 8;

    public TierHierarchy {
        tiers = List.copyOf(tiers);
        if (tiers.size() < MIN_TIERS || tiers.size() > MAX_TIERS) {
            throw new IllegalArgumentException(
                    "a hierarchy has " + MIN_TIERS + " to " + MAX_TIERS + " tiers, not " + tiers.size());
        }
        Set<String> names = new HashSet<>();
        for (TierSpec tier : tiers) {
            if (!names.add(tier.name())) {
                throw new IllegalArgumentException("two tiers are called " + tier.name());
            }
        }
    }

    public static TierHierarchy of(TierSpec... tiers) {
        return new TierHierarchy(List.of(tiers));
    }

    public int size() {
        return tiers.size();
    }

    public TierSpec tier(int index) {
        return tiers.get(index);
    }

    /** Index of the base, the slowest tier: where objects are that no policy moved. */
    public int base() {
        return tiers.size() - 1;
    }
}
