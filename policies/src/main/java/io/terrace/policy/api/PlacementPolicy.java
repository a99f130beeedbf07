package io.terrace.policy.api;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides which tier each object should be in, from what is read and written. One instance serves one set of tiers,
 * e.g. those of one DataNode.
 *
 * <p>Pure and deterministic: the same calls lead to the same requests. Single-threaded. Time is passed in as milliseconds
 * on any clock; a step backwards is read as no time passed. Objects are blocks or files of any size, named by a
 * {@code long}.
 *
 * <p>Pinned and excluded objects are the caller's: it does not tell the policy of their accesses and takes the bytes
 * they use off the tier's capacity ({@link #resize}).
 *
 * <p>A policy books each request as done when it makes it. The caller answers the latest request for an object with {@link
 * #moved} when it is carried out or {@link #moveFailed} when it is given up; until then answers to earlier requests for
 * the same object are ignored. Without an open request, {@link #moved} tells of a move that somebody else made.
 */
public interface PlacementPolicy {

    /** No object; ids of HDFS blocks are never this. */
    long NO_OBJECT = Long.MIN_VALUE;

    /** No figure. */
    long UNKNOWN = -1;

    /** Name by which the policy is known in {@code PolicyCatalog}. */
    String name();

    /** Tells of a read or write. Does not allocate in steady state. */
    void access(Access access, MoveRequests moveRequests);

    /**
     * Tells the truth about an object's place: it now is in {@code tier}, whether or not that was requested. Also how a
     * policy learns of objects that were in a fast tier before it started.
     */
    void moved(long nowMs, long object, long sizeBytes, int tier, MoveRequests moveRequests);

    /**
     * A requested move did not happen; the object still is in {@code tier}. The policy requests it again only after
     * further accesses, or after the next {@link #tick} where it has to leave a tier that is too full.
     */
    void moveFailed(long nowMs, long object, long sizeBytes, int tier, MoveRequests moveRequests);

    /** The object is gone (deleted) or its content is no longer what was placed (appended to, truncated). */
    void vanished(long nowMs, long object);

    /**
     * Time passes. To be called about once a second; a policy that decides on accesses alone requests only that what no longer
     * fits leaves.
     */
    void tick(long nowMs, MoveRequests moveRequests);

    /**
     * A tier has a new capacity from now on; the policy requests moves down for what no longer fits.
     *
     * @param tier any tier but the last
     */
    void resize(long nowMs, int tier, long capacityBytes, MoveRequests moveRequests);

    /** An object above the base tier belongs to a pool; nothing where the tiers are not divided into pools. */
    default void belongs(long nowMs, long object, int pool, MoveRequests moveRequests) {}

    /**
     * Bytes that further objects of a pool could take of a tier without one leaving, requested moves being booked as done;
     * {@link #UNKNOWN} if the policy does not say.
     *
     * @param tier any tier but the last
     * @param pool 0 where the tiers are not divided into pools
     */
    default long freeBytes(int tier, int pool) {
        return UNKNOWN;
    }

    /**
     * The object of a pool that would leave a tier next if room was needed there, as far as the policy knows without a
     * search; {@link #NO_OBJECT} otherwise. With {@link #freeBytes} it says what room in the tier costs. Takes a few steps,
     * and changes nothing that shows.
     */
    default long nextToLeave(int tier, int pool) {
        return NO_OBJECT;
    }

    /** What each pool uses of each tier, fastest tier first; empty where the tiers are not divided into pools. */
    default List<PoolUsage> pools() {
        return List.of();
    }

    /** Why the object is where it is, in the policy's own figures; null when it has no memory of the object. */
    @Nullable
    Explanation explain(long nowMs, long object);

    /** Objects the policy has an entry for, ghosts included. */
    long trackedObjects();

    /** Bytes of memory held, estimated from the lengths of its arrays. */
    long memoryBytes();
}
