package io.terrace.bench.tiers;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A directory that stands for an SSD of a set size: HDFS leaves the rest of its file system free. The room that a DataNode
 * sees is this size less what the file system keeps from users, so both must be about the same.
 */
final class SmallSsd {

    static final String RESERVED = "dfs.datanode.du.reserved.ssd";
    private static final long PARTS_THAT_MAY_LACK = 20;

    private SmallSsd() {}

    /** Value of {@link #RESERVED} for SSDs of so many bytes below the directory, which is made. */
    static String reserved(Path dir, long ssdBytes) throws IOException {
        Files.createDirectories(dir);
        FileStore store = Files.getFileStore(dir);
        requireRoom(dir, ssdBytes, store.getUnallocatedSpace() - store.getUsableSpace());
        return Long.toString(store.getTotalSpace() - ssdBytes);
    }

    /** @param keptBytes free bytes of the file system that users may not write */
    static void requireRoom(Path dir, long ssdBytes, long keptBytes) throws IOException {
        if (keptBytes > ssdBytes / PARTS_THAT_MAY_LACK) {
            throw new IOException("the file system of " + dir + " keeps " + (keptBytes >> 20)
                    + " MB of its free space from users, so no directory on it can stand for an SSD of "
                    + (ssdBytes >> 20) + " MB: choose another with --dir, for instance one below /dev/shm");
        }
    }
}
