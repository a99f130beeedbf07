package io.terrace.channel.server;

import io.terrace.channel.transport.ChunkChecksums;
import io.terrace.common.BlockKey;
import io.terrace.common.FairQuota;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Holds the checksums of granted blocks on the heap, at 1/128 of the blocks' size, so that a read never waits for a disk.
 * A block's checksums are held once, however many clients have a grant of it.
 *
 * <p>Bounded in bytes, and divided among users by a {@link FairQuota}. Checksums that are held already are given to whoever
 * asks, and count for that user too. Room is taken before anything is allocated. Thread-safe.
 */
final class ChecksumCache {
    private static final class Held {
        final ChunkChecksums checksums;
        final long bytes;
        final Map<Principal, Integer> users = new HashMap<>();

        Held(ChunkChecksums checksums, long bytes) {
            this.checksums = checksums;
            this.bytes = bytes;
        }
    }

    private final ChecksumSource source;
    private final long maxBytes;
    private final MetricRegistry metricRegistry;
    private final Map<BlockKey, Held> held = new HashMap<>();
    private final FairQuota<Principal> room;

    ChecksumCache(ChecksumSource source, long maxBytes, MetricRegistry metricRegistry) {
        this.source = source;
        this.maxBytes = maxBytes;
        this.room = new FairQuota<>(maxBytes);
        this.metricRegistry = metricRegistry;
    }

    /** The block's checksums, to be given back by {@link #giveBack}; null when there is no room for them. */
    @Nullable
    ChunkChecksums take(BlockKey block, long lengthBytes, Principal principal) throws IOException {
        ChunkChecksums taken = find(block, principal);
        if (taken == null) {
            taken = read(block, lengthBytes, principal);
        }
        if (taken == null) {
            metricRegistry.increment(Metric.CHANNEL_TCP_CHECKSUMS_REFUSED);
        }
        return taken;
    }

    private synchronized @Nullable ChunkChecksums find(BlockKey block, Principal principal) {
        Held known = held.get(block);
        if (known == null) {
            return null;
        }
        if (known.users.merge(principal, 1, Integer::sum) == 1) {
            room.share(principal, known.bytes);
        }
        return known.checksums;
    }

    private @Nullable ChunkChecksums read(BlockKey block, long lengthBytes, Principal principal) throws IOException {
        long[] taken = new long[1];
        boolean kept = false;
        try {
            ChunkChecksums read = source.of(block, lengthBytes, wanted -> {
                boolean fits = principal.takeOf(room, wanted);
                taken[0] = fits ? wanted : 0;
                return fits;
            });
            if (read == null) {
                return null;
            }
            synchronized (this) {
                ChunkChecksums known = find(block, principal);
                if (known != null) {
                    return known;
                }
                Held fresh = new Held(read, taken[0]);
                fresh.users.put(principal, 1);
                held.put(block, fresh);
                kept = true;
                return read;
            }
        } finally {
            if (!kept) {
                room.release(principal, taken[0]);
            }
        }
    }

    /** Once for each time that the holder took them. */
    synchronized void giveBack(BlockKey block, Principal principal) {
        Held known = held.get(block);
        Integer times = known == null ? null : known.users.get(principal);
        if (known == null || times == null) {
            return;
        }
        if (times > 1) {
            known.users.put(principal, times - 1);
            return;
        }
        known.users.remove(principal);
        if (known.users.isEmpty()) {
            held.remove(block);
            room.release(principal, known.bytes);
        } else {
            room.unshare(principal, known.bytes);
        }
    }

    long heldBytes() {
        return maxBytes - room.free();
    }
}
