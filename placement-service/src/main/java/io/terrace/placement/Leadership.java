package io.terrace.placement;

import io.terrace.placement.policy.PolicyChoice;
import io.terrace.placement.state.OperatorState;
import org.jspecify.annotations.Nullable;

/**
 * Whether this NameNode decides, and what an operator wants to stay so. The NameNode has the real one; simulations have
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
     * As last stored, by this NameNode or another one. Never fails: with nothing stored it is the initial ones, and with
     * something that cannot be read it is those of this epoch's leadership, else off.
     */
    OperatorState operatorState();

    /** The standing orders, when they could not be read before and can be now; else null. Costs next to nothing. */
    default @Nullable OperatorState standingOrdersAtLast() {
        return null;
    }

    /** The policy to begin the epoch with: the one that was applied last, else the configured one; never fails. */
    PolicyChoice policy();
}
