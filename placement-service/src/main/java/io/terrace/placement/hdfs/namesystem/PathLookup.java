package io.terrace.placement.hdfs.namesystem;

import java.io.FileNotFoundException;
import org.apache.hadoop.hdfs.server.namenode.FSDirectory;
import org.apache.hadoop.hdfs.server.namenode.INode;
import org.jspecify.annotations.Nullable;

/** What is at a path, whoever named it. The caller holds the read lock. */
final class PathLookup {

    private PathLookup() {}

    /** Null where nothing is. A path may name an inode that was deleted and that only a snapshot still has. */
    static @Nullable INode at(FSDirectory directory, String path) {
        try {
            return directory.unprotectedResolvePath(path).getLastINode();
        } catch (FileNotFoundException | IllegalArgumentException notThere) {
            // The second: /.reserved/.inodes/ID finds an inode that a snapshot keeps, and whose parent is gone.
            return null;
        }
    }
}
