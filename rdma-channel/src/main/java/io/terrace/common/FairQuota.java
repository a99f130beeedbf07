package io.terrace.common;

import java.util.HashMap;
import java.util.Map;

/**
 * How many places each of those who come has. Nobody has more than the limit, and nobody is given one who has as many as
 * are free: however many come together, something is left for whoever comes next. Thread-safe.
 *
 * @param <W> who comes: a user, an address
 */
public final class FairQuota<W> {
    private final int mostOfOne;
    private final Map<W, Integer> taken = new HashMap<>();
    private int free;

    /** All are free. */
    public FairQuota(int most, int mostOfOne) {
        this.free = most;
        this.mostOfOne = mostOfOne;
    }

    /** Takes one more, to be given back by {@link #giveBack}; whether he may. */
    public synchronized boolean take(W who) {
        return taken.getOrDefault(who, 0) < free && takeAny(who);
    }

    /** Likewise for one beside whom nobody can come: any that is free is his, up to the limit. */
    public synchronized boolean takeAny(W who) {
        int his = taken.getOrDefault(who, 0);
        if (his >= mostOfOne || free == 0) {
            return false;
        }
        taken.put(who, his + 1);
        free--;
        return true;
    }

    public synchronized void giveBack(W who) {
        taken.compute(who, (same, his) -> {
            if (his == null) {
                throw new IllegalStateException(who + " has no place");
            }
            return his > 1 ? his - 1 : null;
        });
        free++;
    }
}
