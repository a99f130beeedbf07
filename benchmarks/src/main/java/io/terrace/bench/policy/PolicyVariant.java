package io.terrace.bench.policy;

import io.terrace.policy.PolicyCatalog;
import io.terrace.policy.PolicyKind;
import io.terrace.policy.api.PlacementPolicy;
import io.terrace.policy.api.TierHierarchy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A policy with fixed parameters: one line of the table.
 *
 * @param label name in the table and in the figures
 * @param policy name in the catalog
 * @param parameters values other than the defaults
 */
public record PolicyVariant(String label, String policy, Map<String, String> parameters) {

    public static final String OURS = "adaptive";
    /** The adaptive policy with the byte objective, judged by its byte hit ratio. */
    static final String OURS_BYTES = "adaptive-bytes";

    /** The adaptive policy with the objective of jobs, judged by the share of them whose input is all in memory. */
    static final String OURS_JOBS = "adaptive-jobs";

    /** The adaptive policy with the objective of time, judged by the mean time of a read. */
    static final String OURS_TIME = "adaptive-time";

    static final String LRU = "lru";

    /** Every policy of the catalog with its defaults, and those that want more than one setting. */
    static List<PolicyVariant> all() {
        List<PolicyVariant> all = new ArrayList<>();
        for (PolicyKind kind : PolicyCatalog.kinds()) {
            all.add(new PolicyVariant(kind.name(), kind.name(), Map.of()));
            if (kind.name().equals(OURS)) {
                all.add(new PolicyVariant(OURS_BYTES, OURS, Map.of("objective", "bytes")));
                all.add(new PolicyVariant(OURS_JOBS, OURS, Map.of("objective", "jobs")));
                all.add(new PolicyVariant(OURS_TIME, OURS, Map.of("objective", "time")));
            }
            if (kind.name().startsWith("decay-")) {
                all.add(new PolicyVariant(kind.name() + "-10m", kind.name(), Map.of("half-life", "10m")));
                all.add(new PolicyVariant(kind.name() + "-6h", kind.name(), Map.of("half-life", "6h")));
            }
        }
        return all;
    }

    PlacementPolicy make(TierHierarchy hierarchy) {
        return PolicyCatalog.create(policy, parameters, hierarchy);
    }
}
