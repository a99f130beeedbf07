package io.terrace.placement.hdfs.admin;

import io.terrace.conf.TerraceSettings;
import io.terrace.placement.hdfs.namesystem.NamesystemLock;
import io.terrace.placement.hdfs.namesystem.NamesystemView;
import io.terrace.placement.state.NamespaceView.Named;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.hdfs.server.namenode.TerraceReadCheck;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.authorize.AccessControlList;

/**
 * What the caller of the present RPC may do. The superuser is who runs the NameNode and whoever is in
 * {@code dfs.permissions.superusergroup}, as for HDFS itself.
 */
final class CallerRights {

    private final NameNode nameNode;
    private final NamesystemView view;
    private final String superuser;
    private final String supergroup;
    private final AccessControlList admins;

    CallerRights(NameNode nameNode, NamesystemView view, Configuration conf) throws IOException {
        this.nameNode = nameNode;
        this.view = view;
        this.superuser = UserGroupInformation.getLoginUser().getShortUserName();
        this.supergroup = conf.get(
                DFSConfigKeys.DFS_PERMISSIONS_SUPERUSERGROUP_KEY, DFSConfigKeys.DFS_PERMISSIONS_SUPERUSERGROUP_DEFAULT);
        // An empty list allows nobody; Hadoop reads a single blank as such.
        String acl = conf.getTrimmed(TerraceSettings.PLACEMENT_ADMIN_ACL.key(), "");
        this.admins = new AccessControlList(acl.isEmpty() ? " " : acl);
    }

    static UserGroupInformation caller() throws IOException {
        return NameNode.getRemoteUser();
    }

    boolean isSuperuser() throws IOException {
        UserGroupInformation caller = caller();
        return caller.getShortUserName().equals(superuser)
                || caller.getGroupsSet().contains(supergroup);
    }

    /** Whether the caller may change placement, as far as the name alone tells: the groups are not looked up. */
    boolean mayChangeByName() throws IOException {
        String name = caller().getShortUserName();
        return name.equals(superuser)
                || admins.isAllAllowed()
                || admins.getUsers().contains(name);
    }

    /** Whether the caller may change placement. */
    boolean mayChange() throws IOException {
        return isSuperuser() || admins.isUserAllowed(caller());
    }

    /**
     * Checks as HDFS does for an open, in the caller's name; HDFS's audit log has it.
     *
     * @throws AccessControlException when the caller may not read the file
     */
    void checkRead(String path) throws IOException {
        nameNode.getRpcServer().checkAccess(path, FsAction.READ);
    }

    /** Whether the caller may read this very file, not only what is at its path. */
    boolean mayRead(Named file) throws IOException {
        if (isSuperuser()) {
            return true;
        }
        if (!TerraceReadCheck.isPath(file.path())) {
            return false;
        }
        try {
            checkRead(file.path());
            return mayRead(List.of(file)).get(0);
        } catch (AccessControlException | FileNotFoundException e) {
            return false;
        }
    }

    /**
     * Whether the caller may read each of these files, at most {@link NamesystemView#lockBlocks} of them: one look
     * under the read lock, of which HDFS's audit log has nothing.
     */
    List<Boolean> mayRead(List<Named> files) throws IOException {
        TerraceReadCheck check = new TerraceReadCheck(nameNode.getNamesystem());
        return view.locked(NamesystemLock.FS, "terraceMayRead", files.size(), () -> files.stream()
                .map(file -> check.mayRead(file.inode(), file.path()))
                .toList());
    }
}
