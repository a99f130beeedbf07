package io.terrace.placement.heartbeat;

import java.util.List;

/**
 * What the service answers to a {@link Heartbeat}.
 *
 * @param active whether this NameNode decides; a standby answers nothing else that matters
 * @param epoch grows with every change of the active NameNode; a DataNode refuses orders of a lower one
 * @param serve false after {@code placementctl off}: no grants, reads are stock
 * @param fullWanted the next heartbeat is to report everything that is resident
 * @param orders at most {@code MoveQueue.ORDERS_PER_ANSWER}, to be begun in this sequence
 * @param intervalMs when to call again
 */
public record HeartbeatAnswer(
        boolean active, long epoch, boolean serve, boolean fullWanted, List<Order> orders, int intervalMs) {

    public HeartbeatAnswer {
        orders = List.copyOf(orders);
    }

    /** The answer of a NameNode that does not decide. */
    public static HeartbeatAnswer standby(int intervalMs) {
        return new HeartbeatAnswer(false, 0, true, false, List.of(), intervalMs);
    }

    /** What an order asks for. */
    public enum Kind {
        /** Make a verified memory copy. */
        PROMOTE,
        /** Retire the memory copy. */
        DROP
    }

    /**
     * An order to a DataNode.
     *
     * @param bytesPerSecond rate of the copy at most; 0 is no limit
     */
    public record Order(long moveId, Kind kind, StampedBlock block, long bytesPerSecond) {}
}
