package io.terrace.policy.adaptive;

import java.util.Objects;

/**
 * The few settings of the adaptive policy. One set serves all workloads; they bound cost, not behaviour.
 *
 * @param objective what counts
 * @param tracked objects with a record, at most {@value #MOST_TRACKED}
 * @param sampled objects that take part in the tournament of rules
 * @param moveCost what letting an object in costs, as a share of a hit
 * @param margin share of all that was read by which another rule must be ahead
 * @param readsPerHalving reads after which all evidence on returns counts half
 */
public record Tuning(
        Objective objective, int tracked, int sampled, double moveCost, double margin, long readsPerHalving) {

    /** Most objects that can have a record. */
    public static final int MOST_TRACKED = ObjectRecords.MOST_OBJECTS;

    public Tuning {
        Objects.requireNonNull(objective, "objective");
        if (tracked < 16 || tracked > ObjectRecords.MOST_OBJECTS) {
            throw new IllegalArgumentException(
                    "tracked is " + tracked + " but must be 16.." + ObjectRecords.MOST_OBJECTS);
        }
        if (sampled < 16 || moveCost < 0 || moveCost >= 1 || margin < 0 || readsPerHalving < 1) {
            throw new IllegalArgumentException("sampled " + sampled + " must be at least 16, move cost " + moveCost
                    + " in 0..1, margin " + margin + " at least 0, reads per halving " + readsPerHalving
                    + " at least 1");
        }
    }
}
