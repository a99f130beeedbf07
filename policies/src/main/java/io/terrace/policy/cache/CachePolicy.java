package io.terrace.policy.cache;

import io.terrace.policy.api.Access;
import io.terrace.policy.api.Explanation;
import io.terrace.policy.api.PlacementPolicy;
import org.jspecify.annotations.Nullable;

/**
 * One cut through the tiers: which objects deserve a place above it. A classical cache policy is a cache; {@code
 * TieredPolicy} stacks one per boundary between two tiers.
 *
 * <p>A cache never holds more bytes than its capacity. An object larger than the capacity is never taken. Caches are
 * single-threaded and deterministic; time is {@link Access#nowMs()}.
 */
public interface CachePolicy {

    /**
     * Told of every access the policy counts, reads and, when writes allocate, writes. Afterwards {@link #holds} says
     * whether the object is in the cache; what had to leave for it was reported to {@code evictions} before.
     */
    void access(Access access, Evictions evictions);

    /** Whether the object is in the cache. */
    boolean holds(long object);

    /** The object is here already, whatever the cache thinks of it; what then no longer fits is evicted. */
    void adopt(long nowMs, long object, long sizeBytes, Evictions evictions);

    /** An object in the cache has another size now; what no longer fits, itself perhaps, is evicted. */
    void resized(long object, long sizeBytes, Evictions evictions);

    /** The object is not here after all, by no decision of the cache; what was learned of it may be kept. */
    void drop(long object);

    /** The object that was let in has arrived where reads are served from it; tells how long moves take. */
    default void arrived(long nowMs, long object) {}

    /** The object no longer exists, or is another one now; nothing of it is kept. */
    default void forget(long object) {
        drop(object);
    }

    /** Sets the capacity in bytes; what no longer fits is evicted. */
    void resize(long capacityBytes, Evictions evictions);

    long usedBytes();

    /**
     * The object that would leave next if room was needed, as far as that is known without a search; {@link
     * PlacementPolicy#NO_OBJECT} if it is not. Changes nothing that shows.
     */
    default long nextToLeave() {
        return PlacementPolicy.NO_OBJECT;
    }

    /** Objects with an entry, residents and ghosts. */
    long trackedObjects();

    /** Bytes of memory held, from the lengths of the arrays. */
    long memoryBytes();

    /** The cache's figures for one object, {@code tier} being copied into the answer; null when it has no entry. */
    @Nullable
    Explanation explain(long nowMs, long object, int tier);

    /** Takes what a cache evicts. */
    @FunctionalInterface
    interface Evictions {
        void evicted(long object, long sizeBytes);
    }

    /** Makes a cache of a capacity; a policy kind with its parameters read is a maker. */
    @FunctionalInterface
    interface Maker {
        CachePolicy make(long capacityBytes);
    }
}
