package io.terrace.channel.tcp;

import io.terrace.channel.BlockKey;
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
 * <p>No block may have more than half of what is free: what is allocated for one whose file says that it has many, even for
 * two at once, never goes beyond the bound. Thread-safe.
 */
final class ChecksumShelf {
    private static final class Held {
        final Checksums checksums;
        int users;

        Held(Checksums checksums) {
            this.checksums = checksums;
        }
    }

    private final ChecksumSource source;
    private final long maxBytes;
    private final Figures figures;
    private final Map<BlockKey, Held> held = new HashMap<>();
    private long bytes;

    ChecksumShelf(ChecksumSource source, long maxBytes, Figures figures) {
        this.source = source;
        this.maxBytes = maxBytes;
        this.figures = figures;
    }

    /** The block's checksums, to be given back by {@link #giveBack}; null when there is no room for them. */
    @Nullable
    Checksums take(BlockKey block, long lengthBytes) throws IOException {
        Checksums taken = find(block, lengthBytes);
        if (taken == null) {
            figures.increment(Figure.CHANNEL_TCP_CHECKSUMS_REFUSED);
        }
        return taken;
    }

    private @Nullable Checksums find(BlockKey block, long lengthBytes) throws IOException {
        long mostBytes;
        synchronized (this) {
            Held known = held.get(block);
            if (known != null) {
                known.users++;
                return known.checksums;
            }
            mostBytes = (maxBytes - bytes) / 2;
        }
        Checksums read = source.of(block, lengthBytes, mostBytes);
        if (read == null) {
            return null;
        }
        synchronized (this) {
            Held known = held.get(block);
            if (known == null) {
                if (bytes + read.sums().length > maxBytes) {
                    return null;
                }
                known = new Held(read);
                held.put(block, known);
                bytes += read.sums().length;
            }
            known.users++;
            return known.checksums;
        }
    }

    synchronized void giveBack(BlockKey block) {
        Held known = held.get(block);
        if (known != null && --known.users == 0) {
            held.remove(block);
            bytes -= known.checksums.sums().length;
        }
    }

    synchronized long heldBytes() {
        return bytes;
    }
}
