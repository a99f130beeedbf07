package io.terrace.datanode.hdfs.dataset;

import java.net.URI;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the kernel forget pages of a file. A hint: where it cannot be given, pages only stay longer. Thread-safe.
 *
 * <p>HDFS leaves dirty pages to the kernel for half a minute; here they are written first.
 */
final class PageCache {
    private static final Logger LOG = LoggerFactory.getLogger(PageCache.class);

    private static volatile boolean available = true;

    private PageCache() {}

    static void drop(URI file, long lengthBytes) {
        if (!available) {
            return;
        }
        try {
            FileAdvice.forget(Path.of(file).toString(), lengthBytes);
        } catch (LinkageError e) {
            // This class names nothing of JNA, so that the thread goes on where a Hadoop comes without it.
            available = false;
            LOG.warn(
                    "The page cache keeps what is copied to memory, because JNA does not load:"
                            + " add jna.jar to the DataNode's class path",
                    e);
        }
    }
}
