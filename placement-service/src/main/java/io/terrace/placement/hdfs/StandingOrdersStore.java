package io.terrace.placement.hdfs;

import io.terrace.placement.StandingOrders;
import java.io.IOException;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
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
    private final RootAttribute attribute;

    StandingOrdersStore(NameNode nameNode) {
        this.attribute = new RootAttribute(nameNode, NAME);
    }

    /** As last stored; the initial ones when nothing is, or when it cannot be read, which is logged. */
    StandingOrders load() {
        try {
            byte[] value = attribute.load();
            return value == null ? StandingOrders.initial() : StandingOrders.decoded(value);
        } catch (IOException | RuntimeException e) {
            LOG.warn("Standing orders cannot be read from {} of /; nothing is pinned, paused or off", NAME, e);
            return StandingOrders.initial();
        }
    }

    /** As {@link RootAttribute#save}. */
    void save(StandingOrders orders) throws IOException {
        attribute.save(orders.encoded());
    }
}
