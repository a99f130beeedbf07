package io.terrace.placement;

import io.terrace.placement.policy.PolicyChoice;
import io.terrace.placement.state.OperatorState;
import org.jspecify.annotations.Nullable;

/**
 * Whether this NameNode decides, and the stored wishes of the operator. The NameNode has the real one; simulations have
 * one that fails over at will.
 */
public interface Leadership {

    /** Answer of {@link #epoch} on a standby. */
    long STANDBY = -1;

    /**
     * The epoch of this NameNode's decisions, or {@link #STANDBY}. Stays the same while it is active without a break;
     * higher than every earlier one of the cluster.
     */
    long epoch();

    /**
     * The state as last stored, by this NameNode or another one. Never fails: with nothing stored it is the initial state,
     * and where what is stored cannot be read it is the state last known in this epoch, else off.
     */
    OperatorState operatorState();

    /** The operator state when it can be read now and could not be before, else null. It costs next to nothing. */
    default @Nullable OperatorState recoveredOperatorState() {
        return null;
    }

    /** The policy to begin the epoch with: the one that was applied last, else the configured one; never fails. */
    PolicyChoice policy();
}
