package io.terrace.common;

import java.util.HashMap;
import java.util.Map;

/**
 * Divides a number of places, or bytes, among those who ask. One may take an amount while {@code held + 2 * amount <=
 * free + 1}: nobody comes to hold more than is left for all others, so one alone may take half, two may take a third each,
 * and something is left for whoever comes next. Thread-safe.
 *
 * @param <W> who asks: a user, an address
 */
public final class FairQuota<W> {
    private final long mostOfOne;
    private final Map<W, Long> heldBy = new HashMap<>();
    private long free;

    /** Everything is free, and one may have all that the rule allows. */
    public FairQuota(long most) {
        this(most, most);
    }

    /**
     * Everything is free.
     *
     * @param mostOfOne nobody may hold more, whatever is free
     */
    public FairQuota(long most, long mostOfOne) {
        this.free = most;
        this.mostOfOne = mostOfOne;
    }

    /** Takes an amount, to be given back by {@link #release}; false when the share of {@code who} does not allow it now. */
    public synchronized boolean take(W who, long amount) {
        return mayTake(who, amount) && takeAny(who, amount);
    }

    /** Takes an amount for one beside whom nobody else can come: it may have all that is free, up to the limit. */
    public synchronized boolean takeAny(W who, long amount) {
        if (amount > free || amount > mostOfOne - heldBy(who)) {
            return false;
        }
        free -= amount;
        share(who, amount);
        return true;
    }

    /** Whether the rule allows so much now. */
    public synchronized boolean mayTake(W who, long amount) {
        return amount <= (free + 1 - heldBy(who)) / 2;
    }

    /** Counts also for {@code who} what another has taken. */
    public synchronized void share(W who, long amount) {
        heldBy.merge(who, amount, Long::sum);
    }

    /** Counts no more for {@code who} what others still hold. */
    public synchronized void unshare(W who, long amount) {
        long left = heldBy(who) - amount;
        if (left < 0) {
            throw new IllegalStateException(who + " does not hold " + amount);
        }
        if (left == 0) {
            heldBy.remove(who);
        } else {
            heldBy.put(who, left);
        }
    }

    /** Gives back what {@code who} holds: it is free again. */
    public synchronized void release(W who, long amount) {
        unshare(who, amount);
        free += amount;
    }

    public synchronized boolean holdsAny(W who) {
        return heldBy.containsKey(who);
    }

    public synchronized long free() {
        return free;
    }

    private long heldBy(W who) {
        return heldBy.getOrDefault(who, 0L);
    }
}
