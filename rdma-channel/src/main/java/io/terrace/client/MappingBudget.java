package io.terrace.client;

import io.terrace.channel.shm.ExtentFile;
import java.io.IOException;
import java.nio.ByteBuffer;
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

    private final AtomicLong mappedBytes = new AtomicLong();

    long mappedBytes() {
        return mappedBytes.get();
    }

    /** Maps a window, or says null: no room within the limit, or it cannot be done here. */
    @Nullable
    ByteBuffer map(ExtentFile file, long offset, long windowBytes, long limitBytes) {
        if (!CleanerUtil.UNMAP_SUPPORTED || !reserve(windowBytes, limitBytes)) {
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
            CleanerUtil.getCleaner().freeBuffer(window);
        } catch (IOException e) {
            LOG.debug("Left to the garbage collector: {} mapped bytes", windowBytes, e);
        }
        mappedBytes.addAndGet(-windowBytes);
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
