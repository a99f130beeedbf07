package io.terrace.placement.hdfs;

import java.io.IOException;
import java.security.PrivilegedExceptionAction;
import java.util.EnumSet;
import java.util.List;
import org.apache.hadoop.fs.XAttr;
import org.apache.hadoop.fs.XAttrSetFlag;
import org.apache.hadoop.hdfs.XAttrHelper;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.security.UserGroupInformation;
import org.jspecify.annotations.Nullable;

/** An extended attribute of the root directory: what is in it outlives restarts and failovers. Thread-safe. */
final class RootAttribute {

    private static final String ROOT = "/";

    private final NameNode nameNode;
    private final String name;

    /** @param name in {@code trusted.}, which only the superuser sees */
    RootAttribute(NameNode nameNode, String name) {
        this.nameNode = nameNode;
        this.name = name;
    }

    /** The value; null when there is none. */
    byte @Nullable [] load() throws IOException {
        XAttr wanted = XAttrHelper.buildXAttr(name);
        List<XAttr> present = nameNode.getRpcServer().listXAttrs(ROOT);
        if (present == null || present.stream().noneMatch(wanted::equalsIgnoreValue)) {
            return null;
        }
        return nameNode.getRpcServer().getXAttrs(ROOT, List.of(wanted)).get(0).getValue();
    }

    /**
     * Stores a value as the NameNode's own user. Not to be called while an RPC of a user is being answered on this thread,
     * for it would then be done in the user's name.
     */
    void save(byte[] value) throws IOException {
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
