package io.terrace.policy.api;

import java.util.Objects;

/**
 * A pool's part of one tier of a DataNode.
 *
 * @param name what operators call it
 * @param share part that is the pool's whenever it needs it, 0 to 1
 * @param most part it may take in all, with what other pools leave unused; {@code share} to 1
 * @param lends whether other pools may use what it leaves unused until it needs that itself
 */
public record PoolShare(String name, double share, double most, boolean lends) {

    public PoolShare {
        Objects.requireNonNull(name, "name");
        if (!(share >= 0 && share <= most && most <= 1)) {
            throw new IllegalArgumentException(
                    "pool " + name + ": share " + share + " and most " + most + " must be 0 <= share <= most <= 1");
        }
    }
}
