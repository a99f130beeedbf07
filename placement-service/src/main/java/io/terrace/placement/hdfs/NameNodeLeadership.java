package io.terrace.placement.hdfs;

import io.terrace.placement.Leadership;
import io.terrace.placement.hdfs.namesystem.NamesystemLock;
import io.terrace.placement.hdfs.namesystem.OperatorStateStore;
import io.terrace.placement.hdfs.namesystem.PolicyStore;
import io.terrace.placement.hdfs.namesystem.SatisfiedInodes;
import io.terrace.placement.policy.PolicyChoice;
import io.terrace.placement.state.OperatorState;
import java.util.function.LongSupplier;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.jspecify.annotations.Nullable;

/**
 * Follows the NameNode's HA state, which can only be polled. The epoch is the last transaction id at the moment it was
 * first seen active, read under the lock that a transition holds for writing: a NameNode that becomes active writes to
 * the edit log first, so every activation of the cluster sees a higher one than the activations before.
 *
 * <p>Used by one thread.
 */
final class NameNodeLeadership implements Leadership {

    private static final long READ_AGAIN_MS = 1000;

    private final NameNode nameNode;
    private final OperatorStateStore store;
    private final SatisfiedInodes satisfied;
    private final PolicyStore policies;
    private long transitionMs = Long.MIN_VALUE;
    private final LongSupplier clockMs;
    private long epoch = STANDBY;
    private long readMs;

    /** @param clockMs monotonic milliseconds */
    NameNodeLeadership(
            NameNode nameNode,
            OperatorStateStore store,
            SatisfiedInodes satisfied,
            PolicyStore policies,
            LongSupplier clockMs) {
        this.nameNode = nameNode;
        this.satisfied = satisfied;
        this.clockMs = clockMs;
        this.store = store;
        this.policies = policies;
    }

    @Override
    public long epoch() {
        FSNamesystem namesystem = nameNode.getNamesystem();
        if (!nameNode.isActiveState()) {
            epoch = STANDBY;
            forget();
            return STANDBY;
        }
        if (epoch != STANDBY && transitionMs == nameNode.getLastHATransitionTime()) {
            return epoch;
        }
        forget();
        NamesystemLock.GLOBAL.readLock(namesystem);
        try {
            if (nameNode.isActiveState() && !namesystem.inTransitionToActive()) {
                epoch = namesystem.getFSImage().getLastAppliedOrWrittenTxId();
                transitionMs = nameNode.getLastHATransitionTime();
            } else {
                epoch = STANDBY;
            }
        } finally {
            NamesystemLock.GLOBAL.readUnlock(namesystem, "terraceEpoch");
        }
        return epoch;
    }

    private void forget() {
        store.forget();
        satisfied.forget();
    }

    @Override
    public OperatorState operatorState() {
        readMs = clockMs.getAsLong();
        return store.load();
    }

    @Override
    public @Nullable OperatorState recoveredOperatorState() {
        if (store.problem() == null || clockMs.getAsLong() - readMs < READ_AGAIN_MS) {
            return null;
        }
        OperatorState state = operatorState();
        return store.problem() == null ? state : null;
    }

    @Override
    public PolicyChoice policy() {
        return policies.atActivation();
    }
}
