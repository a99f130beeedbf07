package io.terrace.channel.server;

import io.terrace.channel.transport.ChunkChecksums;
import io.terrace.common.BlockKey;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The checksums of granted blocks, each held once however many clients have a grant; bounded in bytes. They stand on the
 * heap, at 1/128 of their blocks' size, so that a read never waits for a disk.
 *
 * <p>Nobody may come to have more than is left for everybody else: one holder has half of all at most, whoever comes next
 * half of the rest, whatever the files say that they have. Where no holder can be told from another, they have all of it
 * together. What is held anyway is given to whoever asks, and counts as his too. Room is kept before anything is allocated.
 * Thread-safe.
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
    private final Map<Principal, Long> bytesOf = new HashMap<>();
    private long bytes;

    ChecksumCache(ChecksumSource source, long maxBytes, MetricRegistry metricRegistry) {
        this.source = source;
        this.maxBytes = maxBytes;
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
            bytesOf.merge(principal, known.bytes, Long::sum);
        }
        return known.checksums;
    }

    private @Nullable ChunkChecksums read(BlockKey block, long lengthBytes, Principal principal) throws IOException {
        KeptRoom room = new KeptRoom(principal);
        boolean shelved = false;
        try {
            ChunkChecksums read = source.of(block, lengthBytes, room);
            if (read == null) {
                return null;
            }
            synchronized (this) {
                ChunkChecksums known = find(block, principal);
                if (known != null) {
                    return known;
                }
                Held fresh = new Held(read, room.bytes);
                fresh.users.put(principal, 1);
                held.put(block, fresh);
                shelved = true;
                return read;
            }
        } finally {
            if (!shelved) {
                room.giveBack();
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
        uncount(principal, known.bytes);
        if (known.users.isEmpty()) {
            held.remove(block);
            bytes -= known.bytes;
        }
    }

    synchronized long heldBytes() {
        return bytes;
    }

    private void uncount(Principal principal, long freed) {
        bytesOf.computeIfPresent(principal, (his, count) -> count > freed ? count - freed : null);
    }

    /** For what is about to be read. */
    private final class KeptRoom implements ChecksumSource.Room {
        private final Principal principal;
        private long bytes;

        KeptRoom(Principal principal) {
            this.principal = principal;
        }

        @Override
        public boolean take(long wanted) {
            synchronized (ChecksumCache.this) {
                long free = maxBytes - ChecksumCache.this.bytes;
                long his = bytesOf.getOrDefault(principal, 0L);
                if (wanted > (principal.isEverybodyElsewhere() ? free : (free - his) / 2)) {
                    return false;
                }
                bytes = wanted;
                ChecksumCache.this.bytes += wanted;
                bytesOf.merge(principal, wanted, Long::sum);
                return true;
            }
        }

        void giveBack() {
            synchronized (ChecksumCache.this) {
                ChecksumCache.this.bytes -= bytes;
                uncount(principal, bytes);
                bytes = 0;
            }
        }
    }
}
