package org.apache.hadoop.hdfs.server.namenode;

import java.io.IOException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.hdfs.server.namenode.FSDirectory.DirOp;
import org.apache.hadoop.hdfs.server.namenode.NameNode.OperationCategory;

/**
 * What {@link FSNamesystem#checkAccess} decides for READ, for many files under one lock, and without a line of HDFS's
 * audit log for each.
 */
public final class TerraceReadCheck {

    private final FSDirectory directory;
    private final FSPermissionChecker caller;

    /** For the caller of the present RPC. */
    public TerraceReadCheck(FSNamesystem namesystem) throws IOException {
        namesystem.checkOperation(OperationCategory.READ);
        this.directory = namesystem.getFSDirectory();
        this.caller = directory.getPermissionChecker();
    }

    /**
     * Whether a file's full name is a path. It is none, and resolving it an AssertionError, of a file that was renamed
     * after a snapshot and then deleted: it has lost its parents.
     */
    public static boolean isPath(String fullName) {
        return fullName.startsWith(Path.SEPARATOR);
    }

    /**
     * Whether the user may read a file at its path; false when it is gone from there, and a snapshot alone still has it,
     * whoever may read what is there now. To be called under the namespace's read lock.
     */
    public boolean mayRead(long inode, String path) {
        if (!isPath(path)) {
            return false;
        }
        FSPermissionChecker.setOperationType("checkAccess");
        try {
            INodesInPath found = directory.resolvePath(caller, path, DirOp.READ);
            INode last = found.getLastINode();
            if (last == null || last.getId() != inode) {
                return false;
            }
            if (directory.isPermissionEnabled()) {
                directory.checkPathAccess(caller, found, FsAction.READ);
            }
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
