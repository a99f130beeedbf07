package io.terrace.datanode.move;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Whose orders count: of each block pool, those of the highest epoch that an active service ever showed. A service that
 * was active before and does not know yet that it is not any more is fenced off by its lower epoch.
 *
 * <p>Off counts whoever says it: a lower epoch may also be that of a namespace restored from a backup, and off is always
 * safe. It holds as long as one active service says so. Thread-safe.
 */
public final class EpochFence {

    private final Map<String, Long> epochs = new HashMap<>();
    private final Map<String, Set<Object>> sayingOff = new HashMap<>();

    /** An active service of this pool showed its epoch; false if another one has a higher one. */
    public synchronized boolean accept(String pool, long epoch) {
        Long highest = epochs.get(pool);
        if (highest != null && epoch < highest) {
            return false;
        }
        epochs.put(pool, epoch);
        return true;
    }

    /** Whether no higher epoch was seen since. */
    public synchronized boolean isCurrent(String pool, long epoch) {
        return highest(pool) <= epoch;
    }

    /** The highest epoch that was seen; {@link Long#MIN_VALUE} before the first. */
    public synchronized long highest(String pool) {
        return epochs.getOrDefault(pool, Long.MIN_VALUE);
    }

    /**
     * An active service says whether the pool is to be served.
     *
     * @return false when it, or another one, says off
     */
    public synchronized boolean says(String pool, Object service, boolean serve) {
        if (serve) {
            silent(pool, service);
        } else {
            sayingOff.computeIfAbsent(pool, any -> new HashSet<>()).add(service);
        }
        return !sayingOff.containsKey(pool);
    }

    /** A service is not active any more, or not heard. */
    public synchronized void silent(String pool, Object service) {
        Set<Object> services = sayingOff.get(pool);
        if (services != null && services.remove(service) && services.isEmpty()) {
            sayingOff.remove(pool);
        }
    }
}
