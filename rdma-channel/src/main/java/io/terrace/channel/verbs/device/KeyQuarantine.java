package io.terrace.channel.verbs.device;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;

/**
 * Keys of registrations that are no more, which a late operation may still carry: a new registration that is given one of
 * them is not used until they have rested. Bounded; the oldest gives way. Not thread-safe.
 */
public final class KeyQuarantine {
    private static final int MOST = 65_536;

    private record Resting(int key, long untilNs) {}

    private final Deque<Resting> order = new ArrayDeque<>();
    private final Set<Integer> keys = new HashSet<>();
    private final long restNs;

    public KeyQuarantine(long restNs) {
        this.restNs = restNs;
    }

    public void add(int key, long nowNs) {
        if (order.size() >= MOST) {
            keys.remove(order.remove().key);
        }
        if (keys.add(key)) {
            order.add(new Resting(key, nowNs + restNs));
        }
    }

    public boolean rests(int key, long nowNs) {
        for (Resting first = order.peek(); first != null && first.untilNs - nowNs <= 0; first = order.peek()) {
            order.remove();
            keys.remove(first.key);
        }
        return keys.contains(key);
    }
}
