package io.terrace.datanode.hdfs.dataset;

import com.sun.jna.LastErrorException;
import com.sun.jna.Library;
import com.sun.jna.Native;
import java.net.URI;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the kernel forget pages of a file. A hint: where it cannot be given, pages only stay longer. Thread-safe.
 *
 * <p>Dirty pages cannot be forgotten, so they are written first; HDFS leaves them to the kernel for half a minute.
 */
final class PageCache {

    /** What is needed of the C library. */
    public interface C extends Library {
        int open(String path, int flags) throws LastErrorException;

        int close(int fd) throws LastErrorException;

        int posix_fadvise(int fd, long offset, long length, int advice);

        int sync_file_range(int fd, long offset, long length, int flags);
    }

    private static final Logger LOG = LoggerFactory.getLogger(PageCache.class);
    private static final int READ_ONLY_CLOSE_ON_EXEC = 0x80000;
    private static final int DONT_NEED = 4;
    /** Wait for writes in progress, write what is dirty, wait for that. */
    private static final int WRITE_AND_WAIT = 7;

    private static final @Nullable C LIBC = load();

    private PageCache() {}

    static void drop(URI file, long lengthBytes) {
        C libc = LIBC;
        if (libc == null) {
            return;
        }
        try {
            int fd = libc.open(Path.of(file).toString(), READ_ONLY_CLOSE_ON_EXEC);
            try {
                libc.sync_file_range(fd, 0, lengthBytes, WRITE_AND_WAIT);
                libc.posix_fadvise(fd, 0, 0, DONT_NEED);
            } finally {
                libc.close(fd);
            }
        } catch (LastErrorException e) {
            LOG.debug("Pages of {} stay", file, e);
        }
    }

    private static @Nullable C load() {
        try {
            return Native.load("c", C.class);
        } catch (LinkageError e) {
            LOG.warn("No C library through JNA: the page cache keeps what was copied to memory", e);
            return null;
        }
    }
}
