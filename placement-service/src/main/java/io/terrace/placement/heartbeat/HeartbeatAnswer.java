package io.terrace.placement.heartbeat;

import io.terrace.protocol.MoveOrder;
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
        boolean active, long epoch, boolean serve, boolean fullWanted, List<MoveOrder> orders, int intervalMs) {

    public HeartbeatAnswer {
        orders = List.copyOf(orders);
    }

    /** The answer of a NameNode that does not decide. */
    public static HeartbeatAnswer standby(int intervalMs) {
        return new HeartbeatAnswer(false, 0, true, false, List.of(), intervalMs);
    }
}
