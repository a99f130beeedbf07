package io.terrace.datanode;

import java.util.HashMap;
import java.util.Map;

/**
 * Whose orders count: of each block pool, those of the highest epoch that an active service ever showed. A service that
 * was active before and does not know yet that it is not any more is fenced off by its lower epoch. Thread-safe.
 */
public final class Authority {

    private final Map<String, Long> epochs = new HashMap<>();

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
        Long highest = epochs.get(pool);
        return highest == null || highest <= epoch;
    }
}
