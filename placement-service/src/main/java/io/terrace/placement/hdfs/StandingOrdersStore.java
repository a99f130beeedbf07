package io.terrace.placement.hdfs;

import io.terrace.placement.StandingOrders;
import java.io.IOException;
import java.security.PrivilegedExceptionAction;
import java.util.EnumSet;
import java.util.List;
import org.apache.hadoop.fs.XAttr;
import org.apache.hadoop.fs.XAttrSetFlag;
import org.apache.hadoop.hdfs.XAttrHelper;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.security.UserGroupInformation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the {@link StandingOrders} in the namespace, as the extended attribute {@value #NAME} of the root directory: one
 * edit-log entry per change, so they outlive restarts and are on the other NameNode before it becomes active, and
 * finding them needs no scan. Cache directives were the alternative for pins; each of them makes the NameNode rescan
 * under its write lock and takes seconds to act (HDFS-16209).
 */
final class StandingOrdersStore {

    static final String NAME = "trusted.terrace.placement";

    private static final Logger LOG = LoggerFactory.getLogger(StandingOrdersStore.class);
    private static final String ROOT = "/";

    private final NameNode nameNode;

    StandingOrdersStore(NameNode nameNode) {
        this.nameNode = nameNode;
    }

    /** As last stored; the initial ones when nothing is, or when it cannot be read, which is logged. */
    StandingOrders load() {
        try {
            XAttr wanted = XAttrHelper.buildXAttr(NAME);
            List<XAttr> present = nameNode.getRpcServer().listXAttrs(ROOT);
            if (present == null || present.stream().noneMatch(wanted::equalsIgnoreValue)) {
                return StandingOrders.initial();
            }
            byte[] value = nameNode.getRpcServer()
                    .getXAttrs(ROOT, List.of(wanted))
                    .get(0)
                    .getValue();
            return StandingOrders.decoded(value);
        } catch (IOException | RuntimeException e) {
            LOG.warn("Standing orders cannot be read from {} of /; nothing is pinned, paused or off", NAME, e);
            return StandingOrders.initial();
        }
    }

    /**
     * Stores them as the NameNode's own user. Not to be called while an RPC of a user is being answered on this thread,
     * for it would then be done in the user's name.
     */
    void save(StandingOrders orders) throws IOException {
        try {
            UserGroupInformation.getLoginUser().doAs((PrivilegedExceptionAction<Void>) () -> {
                nameNode.getRpcServer()
                        .setXAttr(
                                ROOT,
                                XAttrHelper.buildXAttr(NAME, orders.encoded()),
                                EnumSet.of(XAttrSetFlag.CREATE, XAttrSetFlag.REPLACE));
                return null;
            });
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while standing orders were stored", e);
        }
    }
}
