package io.terrace.policy.api;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides which tier each object should stand in, from what is read and written. One instance serves one set of tiers,
 * e.g. those of one DataNode.
 *
 * <p>Pure and deterministic: the same calls lead to the same wishes. Single-threaded. Time is passed in as milliseconds
 * on any clock; a step backwards is read as no time passed. Objects are blocks or files of any size, named by a
 * {@code long}.
 *
 * <p>Pinned and excluded objects are the caller's: it does not tell the policy of their accesses and takes the bytes
 * they use off the tier's capacity ({@link #resize}).
 *
 * <p>A policy books each wish as done when it makes it. The caller answers the latest wish for an object with {@link
 * #moved} when it is carried out or {@link #moveFailed} when it is given up; until then news of earlier wishes for the
 * same object are ignored. Without a wish outstanding, {@link #moved} tells of a move that somebody else made.
 */
public interface PlacementPolicy {

    /** Name by which the policy is known in {@code PolicyCatalog}. */
    String name();

    /** Tells of a read or write. Does not allocate in steady state. */
    void access(Access access, MoveRequests moveRequests);

    /**
     * Tells the truth about an object's place: it now stands in {@code tier}, whether or not that was wished. Also how a
     * policy learns of objects that stood in a fast tier before it started.
     */
    void moved(long nowMs, long object, long sizeBytes, int tier, MoveRequests moveRequests);

    /**
     * A wished move did not happen; the object still stands in {@code tier}. The policy wishes again only on fresh
     * evidence.
     */
    void moveFailed(long nowMs, long object, long sizeBytes, int tier, MoveRequests moveRequests);

    /** The object is gone (deleted) or its content is no longer what was placed (appended to, truncated). */
    void vanished(long nowMs, long object);

    /** Time passes. To be called about once a second; a policy that decides on accesses alone does nothing. */
    void tick(long nowMs, MoveRequests moveRequests);

    /**
     * A tier has a new capacity from now on; what no longer fits is wished away.
     *
     * @param tier any tier but the last
     */
    void resize(long nowMs, int tier, long capacityBytes, MoveRequests moveRequests);

    /** An object above the base tier belongs to a pool; nothing where the tiers are not divided into pools. */
    default void belongs(long nowMs, long object, int pool, MoveRequests moveRequests) {}

    /** What each pool uses of each tier, fastest tier first; empty where the tiers are not divided into pools. */
    default List<PoolUsage> pools() {
        return List.of();
    }

    /** Why the object stands where it does, in the policy's own figures; null when it has no memory of the object. */
    @Nullable
    Explanation explain(long nowMs, long object);

    /** Objects the policy has an entry for, ghosts included. */
    long trackedObjects();

    /** Bytes of memory held, estimated from the lengths of its arrays. */
    long memoryBytes();
}
