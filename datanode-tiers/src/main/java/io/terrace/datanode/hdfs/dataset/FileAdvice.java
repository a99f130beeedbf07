package io.terrace.datanode.hdfs.dataset;

import com.sun.jna.LastErrorException;
import com.sun.jna.Library;
import com.sun.jna.Native;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the kernel what becomes of a file's pages, by calls of the C library through JNA. Its first use throws a
 * {@link LinkageError} where there is no JNA or no such library. Thread-safe.
 */
final class FileAdvice {

    /** What is needed of the C library. */
    public interface C extends Library {
        int open(String path, int flags) throws LastErrorException;

        int close(int fd) throws LastErrorException;

        int posix_fadvise(int fd, long offset, long length, int advice);

        int sync_file_range(int fd, long offset, long length, int flags);
    }

    private static final Logger LOG = LoggerFactory.getLogger(FileAdvice.class);
    private static final int READ_ONLY_CLOSE_ON_EXEC = 0x80000;
    private static final int DONT_NEED = 4;
    /** Wait for writes in progress, write what is dirty, wait for that. */
    private static final int WRITE_AND_WAIT = 7;

    private static final C LIBC = Native.load("c", C.class);

    private FileAdvice() {}

    /** The file's pages are not needed again. Dirty pages cannot be forgotten, so they are written first. */
    static void forget(String file, long lengthBytes) {
        try {
            int fd = LIBC.open(file, READ_ONLY_CLOSE_ON_EXEC);
            try {
                LIBC.sync_file_range(fd, 0, lengthBytes, WRITE_AND_WAIT);
                LIBC.posix_fadvise(fd, 0, 0, DONT_NEED);
            } finally {
                LIBC.close(fd);
            }
        } catch (LastErrorException e) {
            LOG.debug("Pages of {} stay", file, e);
        }
    }
}
