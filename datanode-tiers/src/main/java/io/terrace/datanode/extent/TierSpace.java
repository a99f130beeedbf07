package io.terrace.datanode.extent;

import java.util.function.Predicate;

/**
 * The room of one tier: how much there is, and who besides the extents takes of it.
 *
 * <p>Sizes in bytes. Thread-safe: under the lock of the {@link LocalTier}.
 */
public final class TierSpace {

    private final Object lock;
    private final SpaceAccount account;
    private final Predicate<String> isOff;

    /**
     * @param lock under which the account is used
     * @param isOff whether a block pool is switched off; asked under the lock
     */
    TierSpace(Object lock, SpaceAccount account, Predicate<String> isOff) {
        this.lock = lock;
        this.account = account;
        this.isOff = isOff;
    }

    /** All copies may hold so many bytes together from now on. If they hold more, none is begun until enough are gone. */
    public void resize(long capacityBytes) {
        synchronized (lock) {
            account.resize(capacityBytes);
        }
    }

    /** Counts bytes in the directory that are not an extent's (yet): leftovers of an earlier process. */
    public void hold(long deltaBytes) {
        synchronized (lock) {
            account.hold(deltaBytes);
        }
    }

    /**
     * Takes room for a copy that is filled before its length is known, and is begun later; {@link #release} must follow.
     *
     * @return false when there is no room, or Terrace is off for this block pool
     */
    public boolean reserve(String pool, long bytes) {
        synchronized (lock) {
            return !isOff.test(pool) && account.reserve(bytes);
        }
    }

    /** Gives back what {@link #reserve} took. */
    public void release(long bytes) {
        synchronized (lock) {
            account.release(bytes);
        }
    }

    /**
     * The file system of the copies holds so many bytes, at least and at most, that none of them accounts for. As far as
     * they can be those of removed copies that stock clients keep open, the tier's capacity is less by them; answers how
     * many.
     */
    public long unaccounted(long leastBytes, long mostBytes) {
        synchronized (lock) {
            return account.unaccounted(leastBytes, mostBytes);
        }
    }
}
