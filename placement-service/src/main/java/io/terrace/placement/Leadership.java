package io.terrace.placement;

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

    /** As last stored, by this NameNode or another one; never fails, with nothing stored it is the initial ones. */
    StandingOrders standingOrders();

    /** The policy to begin the epoch with: the one that was applied last, else the configured one; never fails. */
    PolicyChoice policy();
}
