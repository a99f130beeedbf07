package io.terrace.placement.hdfs.namesystem;

import java.io.IOException;
import java.security.PrivilegedExceptionAction;
import java.util.EnumSet;
import org.apache.hadoop.fs.XAttr;
import org.apache.hadoop.fs.XAttrSetFlag;
import org.apache.hadoop.hdfs.XAttrHelper;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.hdfs.server.namenode.XAttrStorage;
import org.apache.hadoop.hdfs.server.namenode.snapshot.Snapshot;
import org.apache.hadoop.hdfs.util.RwLockMode;
import org.apache.hadoop.security.UserGroupInformation;
import org.jspecify.annotations.Nullable;

/** An extended attribute of the root directory: what is in it outlives restarts and failovers. Thread-safe. */
public final class XAttrStore implements OperatorStateStore.Attribute {

    private static final String ROOT = "/";

    private final NameNode nameNode;
    private final String name;

    /** @param name in {@code trusted.}, which only the superuser sees */
    public XAttrStore(NameNode nameNode, String name) {
        this.nameNode = nameNode;
        this.name = name;
    }

    /**
     * The value; null when there is none. Looked up in the namespace itself, past {@code dfs.namenode.xattrs.enabled}: what
     * was stored before that was set to false still holds.
     */
    @Override
    public byte @Nullable [] load() {
        FSNamesystem namesystem = nameNode.getNamesystem();
        namesystem.readLock(RwLockMode.FS);
        try {
            XAttr found = XAttrStorage.readINodeXAttrByPrefixedName(
                    namesystem.getFSDirectory().getRoot(), Snapshot.CURRENT_STATE_ID, name);
            byte[] value = found == null ? null : found.getValue();
            return found != null && value == null ? new byte[0] : value;
        } finally {
            namesystem.readUnlock(RwLockMode.FS, "terraceAttribute");
        }
    }

    /**
     * Stores a value as the NameNode's own user. Not to be called while an RPC of a user is being answered on this thread,
     * for it would then be done in the user's name.
     */
    @Override
    public void save(byte[] value) throws IOException {
        try {
            UserGroupInformation.getLoginUser().doAs((PrivilegedExceptionAction<Void>) () -> {
                nameNode.getRpcServer()
                        .setXAttr(
                                ROOT,
                                XAttrHelper.buildXAttr(name, value),
                                EnumSet.of(XAttrSetFlag.CREATE, XAttrSetFlag.REPLACE));
                return null;
            });
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while " + name + " was stored", e);
        }
    }
}
