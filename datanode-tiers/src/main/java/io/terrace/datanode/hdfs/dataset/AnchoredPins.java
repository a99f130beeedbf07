package io.terrace.datanode.hdfs.dataset;

import io.terrace.datanode.extent.LocalTier;
import io.terrace.datanode.memory.PinRequests;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Pinned blocks whose directive ended while a stock client had them anchored, that is, reads a mapping of them without
 * checksums. As in stock's cache they stay pinned, and are not reported any more, until the client lets go or {@code
 * dfs.datanode.cache.revocation.timeout.ms} has passed (HDFS-5182, HDFS-7491).
 *
 * <p>Nothing tells when a client lets go, so {@link #endReleased} asks; the DataNode's heartbeat, which reports the bytes in
 * use, does it often enough. As many as there are pinned extents at the most. Thread-safe.
 */
public final class AnchoredPins {
    private final LocalTier tier;
    private final Predicate<PinRequests.Pin> releases;
    private final long timeoutNs;
    private final Map<PinRequests.Pin, Long> endsNs = new LinkedHashMap<>();

    /**
     * @param releases forbids new anchors of the block and answers whether there is none left
     * @param timeoutNs how long a client may keep one
     */
    public AnchoredPins(LocalTier tier, Predicate<PinRequests.Pin> releases, long timeoutNs) {
        this.tier = tier;
        this.releases = releases;
        this.timeoutNs = timeoutNs;
    }

    /** No directive asks for it any more. */
    synchronized void unpin(PinRequests.Pin pin, long nowNs) {
        if (tier.isPinned(pin.pool(), pin.blockId()) && !releases.test(pin)) {
            endsNs.putIfAbsent(pin, nowNs + timeoutNs);
        } else {
            endsNs.remove(pin);
            tier.unpin(pin.pool(), pin.blockId(), nowNs);
        }
    }

    /** A directive asks for it again. */
    synchronized void pinnedAgain(PinRequests.Pin pin) {
        endsNs.remove(pin);
    }

    /** Whether only clients hold it. */
    synchronized boolean isEnding(PinRequests.Pin pin) {
        return endsNs.containsKey(pin);
    }

    /** Ends the pins that nobody holds any more, and those that were held for too long. */
    synchronized void endReleased(long nowNs) {
        endsNs.entrySet().removeIf(entry -> {
            PinRequests.Pin pin = entry.getKey();
            boolean over = entry.getValue() - nowNs <= 0 || releases.test(pin);
            if (over) {
                tier.unpin(pin.pool(), pin.blockId(), nowNs);
            }
            return over;
        });
    }
}
