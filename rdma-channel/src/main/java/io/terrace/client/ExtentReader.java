package io.terrace.client;

import io.terrace.channel.shm.ExtentFile;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The bytes of an open extent, by positional file reads or out of mapped windows.
 *
 * <p>A window is mapped when the extent is read enough to be worth it and the process has room within its limit; windows
 * stay until the grant ends. Reads that no window covers go through the file: into direct buffers at once, into arrays
 * through a piece that stays in cache.
 */
final class ExtentReader implements LocalGrant.Content {
    private static final Logger LOG = LoggerFactory.getLogger(ExtentReader.class);

    static final int WINDOW_SHIFT = 23;
    static final int WINDOW_BYTES = 1 << WINDOW_SHIFT;

    /** Mapping costs as much as some tens of small reads; a block read less than this is not worth it. */
    private static final int WORTH_MAPPING_BYTES = 1 << 20;

    /** Copied out while still in the first-level cache: a read of 64 KB took 9.7 us, 11.2 us in one piece. */
    private static final int COPIED_AT_ONCE_BYTES = 32 * 1024;

    /** What is left goes at once up to here: HBase's blocks are a little longer than 64 KB, and take two calls so, not three. */
    private static final int LAST_PIECE_BYTES = 48 * 1024;

    private final ExtentFile file;
    private final ReadResources limits;
    private final AtomicReferenceArray<@Nullable ByteBuffer> windows;

    /** Approximate: several threads add without care. */
    private long seenBytes;

    ExtentReader(ExtentFile file, ReadResources limits) {
        this.file = file;
        this.limits = limits;
        this.windows = new AtomicReferenceArray<>((int) ((file.lengthBytes() + WINDOW_BYTES - 1) >>> WINDOW_SHIFT));
    }

    @Override
    public boolean read(long position, byte[] target, int offset, int length) throws IOException {
        int done = 0;
        while (done < length) {
            long at = position + done;
            int within = (int) at & (WINDOW_BYTES - 1);
            int part = Math.min(length - done, WINDOW_BYTES - within);
            ByteBuffer window = window(at, part);
            if (window != null) {
                window.get(within, target, offset + done, part);
                ClientMetrics.metricRegistry().add(Metric.CLIENT_GRANTED_MAPPED_BYTES, part);
            } else if (!readPieces(at, target, offset + done, part)) {
                return false;
            }
            done += part;
        }
        return true;
    }

    @Override
    public boolean read(long position, ByteBuffer target, int length) throws IOException {
        if (target.hasArray()) {
            return read(position, target.array(), target.arrayOffset() + target.position(), length);
        }
        int start = target.position();
        int done = 0;
        while (done < length) {
            long at = position + done;
            int within = (int) at & (WINDOW_BYTES - 1);
            int part = Math.min(length - done, WINDOW_BYTES - within);
            ByteBuffer window = window(at, part);
            if (window != null) {
                target.put(start + done, window, within, part);
                ClientMetrics.metricRegistry().add(Metric.CLIENT_GRANTED_MAPPED_BYTES, part);
            } else if (!readDirect(at, target, start + done, part)) {
                return false;
            }
            done += part;
        }
        return true;
    }

    @Override
    public void close() {
        for (int i = 0; i < windows.length(); i++) {
            ByteBuffer window = windows.getAndSet(i, null);
            if (window != null) {
                limits.mappings().unmap(window);
            }
        }
        try {
            file.close();
        } catch (IOException e) {
            LOG.debug("Closing an extent", e);
        }
    }

    private @Nullable ByteBuffer window(long position, int part) {
        int index = (int) (position >>> WINDOW_SHIFT);
        ByteBuffer window = windows.get(index);
        if (window != null) {
            return window;
        }
        if (limits.mappedMaxBytes() == 0 || (seenBytes += part) < WORTH_MAPPING_BYTES) {
            return null;
        }
        long start = (long) index << WINDOW_SHIFT;
        long windowBytes = Math.min(WINDOW_BYTES, file.lengthBytes() - start);
        ByteBuffer mapped = limits.mappings().map(file, start, windowBytes, limits.mappedMaxBytes());
        if (mapped == null || windows.compareAndSet(index, null, mapped)) {
            return mapped;
        }
        limits.mappings().unmap(mapped);
        return windows.get(index);
    }

    private boolean readPieces(long position, byte[] target, int offset, int length) throws IOException {
        ByteBuffer piece = limits.pieces().take();
        try {
            int done = 0;
            while (done < length) {
                int left = length - done;
                int part = left <= LAST_PIECE_BYTES ? left : COPIED_AT_ONCE_BYTES;
                piece.clear().limit(part);
                if (file.read(position + done, piece) < part) {
                    return false;
                }
                piece.get(0, target, offset + done, part);
                done += part;
            }
            return true;
        } finally {
            limits.pieces().giveBack(piece);
        }
    }

    private boolean readDirect(long position, ByteBuffer target, int start, int length) throws IOException {
        int before = target.position();
        int limit = target.limit();
        try {
            target.limit(start + length).position(start);
            return file.read(position, target) == length;
        } finally {
            target.limit(limit).position(before);
        }
    }
}
