package io.terrace.placement.hdfs;

import io.terrace.placement.Leadership;
import io.terrace.placement.PolicyChoice;
import io.terrace.placement.StandingOrders;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.hdfs.util.RwLockMode;

/**
 * Follows the NameNode's HA state, which can only be polled. The epoch is the last transaction id at the moment it was
 * first seen active, read under the lock that a transition holds for writing: a NameNode that becomes active writes to
 * the edit log first, so every activation of the cluster sees a higher one than the activations before.
 *
 * <p>Used by one thread.
 */
final class NameNodeLeadership implements Leadership {

    private final NameNode nameNode;
    private final StandingOrdersStore store;
    private final PolicyDesk policies;
    private long transitionMs = Long.MIN_VALUE;
    private long epoch = STANDBY;

    NameNodeLeadership(NameNode nameNode, StandingOrdersStore store, PolicyDesk policies) {
        this.nameNode = nameNode;
        this.store = store;
        this.policies = policies;
    }

    @Override
    public long epoch() {
        FSNamesystem namesystem = nameNode.getNamesystem();
        if (!nameNode.isActiveState()) {
            epoch = STANDBY;
            return STANDBY;
        }
        if (epoch != STANDBY && transitionMs == nameNode.getLastHATransitionTime()) {
            return epoch;
        }
        namesystem.readLock(RwLockMode.GLOBAL);
        try {
            if (nameNode.isActiveState() && !namesystem.inTransitionToActive()) {
                epoch = namesystem.getFSImage().getLastAppliedOrWrittenTxId();
                transitionMs = nameNode.getLastHATransitionTime();
            } else {
                epoch = STANDBY;
            }
        } finally {
            namesystem.readUnlock(RwLockMode.GLOBAL, "terraceEpoch");
        }
        return epoch;
    }

    @Override
    public StandingOrders standingOrders() {
        return store.load();
    }

    @Override
    public PolicyChoice policy() {
        return policies.atActivation();
    }
}
