package io.terrace.client;

import io.terrace.channel.shm.ExtentFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.util.CleanerUtil;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The bytes of extents that this process has mapped, and the most it may: mapped pages count against the memory of a YARN
 * container. Mappings are unmapped when they are given back, not when a garbage collection finds them. Thread-safe.
 */
final class MappingBudget {
    private static final Logger LOG = LoggerFactory.getLogger(MappingBudget.class);

    private final CleanerUtil.@Nullable BufferCleaner cleaner;
    private final AtomicLong mappedBytes = new AtomicLong();

    /** Set once. What cannot be unmapped would stay beyond the limit until a garbage collection. */
    private volatile boolean cannotUnmap;

    MappingBudget() {
        this(CleanerUtil.UNMAP_SUPPORTED ? CleanerUtil.getCleaner() : null);
    }

    /** @param cleaner unmaps; null where nothing can */
    MappingBudget(CleanerUtil.@Nullable BufferCleaner cleaner) {
        this.cleaner = cleaner;
    }

    long mappedBytes() {
        return mappedBytes.get();
    }

    /** Maps a window, or says null: no room within the limit, or it cannot be done here. */
    @Nullable
    ByteBuffer map(ExtentFile file, long offset, long windowBytes, long limitBytes) {
        if (cleaner == null || cannotUnmap || !reserve(windowBytes, limitBytes)) {
            return null;
        }
        try {
            return file.map(offset, windowBytes);
        } catch (IOException | OutOfMemoryError e) {
            // map() throws OutOfMemoryError when the process has as many mappings as the kernel allows.
            LOG.debug("Cannot map {} bytes", windowBytes, e);
            mappedBytes.addAndGet(-windowBytes);
            return null;
        }
    }

    /** Unmaps a window that nobody reads any more. */
    void unmap(ByteBuffer window) {
        long windowBytes = window.capacity();
        try {
            Objects.requireNonNull(cleaner).freeBuffer(window);
            mappedBytes.addAndGet(-windowBytes);
        } catch (IOException e) {
            if (!cannotUnmap) {
                cannotUnmap = true;
                LOG.info(
                        "Nothing more is mapped, as this JVM cannot unmap (--sun-misc-unsafe-memory-access=allow lets it): {}",
                        e.toString());
            }
        }
    }

    private boolean reserve(long windowBytes, long limitBytes) {
        long now = mappedBytes.get();
        while (now + windowBytes <= limitBytes) {
            if (mappedBytes.compareAndSet(now, now + windowBytes)) {
                return true;
            }
            now = mappedBytes.get();
        }
        return false;
    }
}
