package io.terrace.channel.tcp;

import io.terrace.channel.BlockKey;
import io.terrace.channel.Holder;
import io.terrace.metrics.Figure;
import io.terrace.metrics.Figures;
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
final class ChecksumShelf {
    private static final class Held {
        final Checksums checksums;
        final long bytes;
        final Map<Holder, Integer> users = new HashMap<>();

        Held(Checksums checksums, long bytes) {
            this.checksums = checksums;
            this.bytes = bytes;
        }
    }

    private final ChecksumSource source;
    private final long maxBytes;
    private final Figures figures;
    private final Map<BlockKey, Held> held = new HashMap<>();
    private final Map<Holder, Long> bytesOf = new HashMap<>();
    private long bytes;

    ChecksumShelf(ChecksumSource source, long maxBytes, Figures figures) {
        this.source = source;
        this.maxBytes = maxBytes;
        this.figures = figures;
    }

    /** The block's checksums, to be given back by {@link #giveBack}; null when there is no room for them. */
    @Nullable
    Checksums take(BlockKey block, long lengthBytes, Holder holder) throws IOException {
        Checksums taken = find(block, holder);
        if (taken == null) {
            taken = read(block, lengthBytes, holder);
        }
        if (taken == null) {
            figures.increment(Figure.CHANNEL_TCP_CHECKSUMS_REFUSED);
        }
        return taken;
    }

    private synchronized @Nullable Checksums find(BlockKey block, Holder holder) {
        Held known = held.get(block);
        if (known == null) {
            return null;
        }
        if (known.users.merge(holder, 1, Integer::sum) == 1) {
            bytesOf.merge(holder, known.bytes, Long::sum);
        }
        return known.checksums;
    }

    private @Nullable Checksums read(BlockKey block, long lengthBytes, Holder holder) throws IOException {
        KeptRoom room = new KeptRoom(holder);
        boolean shelved = false;
        try {
            Checksums read = source.of(block, lengthBytes, room);
            if (read == null) {
                return null;
            }
            synchronized (this) {
                Checksums known = find(block, holder);
                if (known != null) {
                    return known;
                }
                Held fresh = new Held(read, room.bytes);
                fresh.users.put(holder, 1);
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
    synchronized void giveBack(BlockKey block, Holder holder) {
        Held known = held.get(block);
        Integer times = known == null ? null : known.users.get(holder);
        if (known == null || times == null) {
            return;
        }
        if (times > 1) {
            known.users.put(holder, times - 1);
            return;
        }
        known.users.remove(holder);
        uncount(holder, known.bytes);
        if (known.users.isEmpty()) {
            held.remove(block);
            bytes -= known.bytes;
        }
    }

    synchronized long heldBytes() {
        return bytes;
    }

    private void uncount(Holder holder, long freed) {
        bytesOf.computeIfPresent(holder, (his, count) -> count > freed ? count - freed : null);
    }

    /** For what is about to be read. */
    private final class KeptRoom implements ChecksumSource.Room {
        private final Holder holder;
        private long bytes;

        KeptRoom(Holder holder) {
            this.holder = holder;
        }

        @Override
        public boolean take(long wanted) {
            synchronized (ChecksumShelf.this) {
                long free = maxBytes - ChecksumShelf.this.bytes;
                long his = bytesOf.getOrDefault(holder, 0L);
                if (wanted > (holder.isEverybodyElsewhere() ? free : (free - his) / 2)) {
                    return false;
                }
                bytes = wanted;
                ChecksumShelf.this.bytes += wanted;
                bytesOf.merge(holder, wanted, Long::sum);
                return true;
            }
        }

        void giveBack() {
            synchronized (ChecksumShelf.this) {
                ChecksumShelf.this.bytes -= bytes;
                uncount(holder, bytes);
                bytes = 0;
            }
        }
    }
}
