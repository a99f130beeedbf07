package io.terrace.bench.tiers;

/**
 * How much the walk moves.
 *
 * @param files each of one block and one replica
 * @param fileBytes length of each
 * @param pinned files that are in memory, so that they are read through grants
 */
public record WalkPlan(int files, int fileBytes, int pinned) {

    /** 1,000 small replicas. */
    public static WalkPlan full() {
        return new WalkPlan(1_000, 96 << 10, 100);
    }

    /** To see that it works. */
    public static WalkPlan quick() {
        return new WalkPlan(60, 96 << 10, 10);
    }
}
