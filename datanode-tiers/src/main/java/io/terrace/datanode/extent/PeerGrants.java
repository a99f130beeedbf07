package io.terrace.datanode.extent;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The grants of one connection.
 *
 * <p>A client asks with each token that it is given, and the NameNode makes one for each open. So a process that opens a file
 * again and again holds many grants of one block, until they are idle for long enough: beyond {@link #SOFT_LIMIT} it is told to
 * give the oldest back, which it does at once, or asks again if it still reads. Beyond {@link #HARD_LIMIT} it is refused.
 *
 * <p>Not thread-safe: owned by {@link GrantLedger}.
 */
final class PeerGrants {

    static final int SOFT_LIMIT = 64;
    static final int HARD_LIMIT = 2 * SOFT_LIMIT;

    /** The oldest of an extent first. */
    private final Map<Extent, ArrayDeque<GrantRecord>> byExtent = new HashMap<>();

    private int size;
    long lastReportNs;

    PeerGrants(long nowNs) {
        lastReportNs = nowNs;
    }

    int size() {
        return size;
    }

    boolean hasMostOf(Extent extent) {
        ArrayDeque<GrantRecord> ofExtent = byExtent.get(extent);
        return ofExtent != null && ofExtent.size() >= HARD_LIMIT;
    }

    void add(GrantRecord grant) {
        byExtent.computeIfAbsent(grant.extent(), extent -> new ArrayDeque<>(1)).addLast(grant);
        size++;
    }

    void remove(GrantRecord grant) {
        ArrayDeque<GrantRecord> ofExtent = byExtent.get(grant.extent());
        if (ofExtent != null && ofExtent.remove(grant)) {
            size--;
            if (ofExtent.isEmpty()) {
                byExtent.remove(grant.extent());
            }
        }
    }

    /** The oldest grant of an extent that has more than {@link #SOFT_LIMIT}, once; null when there is none. */
    @Nullable
    GrantRecord surplus(Extent extent) {
        ArrayDeque<GrantRecord> ofExtent = byExtent.get(extent);
        if (ofExtent == null || ofExtent.size() <= SOFT_LIMIT) {
            return null;
        }
        for (GrantRecord grant : ofExtent) {
            if (!grant.surplus) {
                grant.surplus = true;
                return grant;
            }
        }
        return null;
    }

    List<GrantRecord> all() {
        return byExtent.values().stream().flatMap(Collection::stream).toList();
    }
}
