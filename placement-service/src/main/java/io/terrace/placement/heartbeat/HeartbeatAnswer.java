package io.terrace.placement.heartbeat;

import io.terrace.common.StorageTier;
import io.terrace.protocol.MoveOrder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the service answers to a {@link Heartbeat}.
 *
 * @param active whether this NameNode decides; a standby answers nothing else that matters
 * @param epoch grows with every change of the active NameNode; a DataNode refuses orders of a lower one
 * @param serve false after {@code placementctl off}: no grants, reads are stock
 * @param fullWanted the next heartbeat is to report everything that is resident
 * @param orders at most {@code MoveQueue.ORDERS_PER_ANSWER} into memory and out of it, then some between volumes; to be begun
 *     in this sequence
 * @param intervalMs when to call again
 * @param resize a change of the memory tier's size that the DataNode has not answered; null if there is none
 * @param controlPercent share of blocks in the {@link io.terrace.common.ControlSample}
 * @param readersWanted heat is to say on which hosts readers are
 * @param offersWanted of which tiers replicas are to be offered
 * @param offersTaken so many of the heartbeat's offers, the first ones, were looked at; the others are to be offered again
 * @param writeThroughRules those of the DataNode from now on; null for none
 */
public record HeartbeatAnswer(
        boolean active,
        long epoch,
        boolean serve,
        boolean fullWanted,
        List<MoveOrder> orders,
        int intervalMs,
        @Nullable Resize resize,
        int controlPercent,
        boolean readersWanted,
        List<OffersWanted> offersWanted,
        int offersTaken,
        @Nullable WriteThroughRules writeThroughRules) {

    /**
     * Replicas of a tier are to be offered.
     *
     * @param leastAgeMs of younger ones nothing is to be said
     */
    public record OffersWanted(StorageTier tier, long leastAgeMs) {}

    public HeartbeatAnswer {
        orders = List.copyOf(orders);
        offersWanted = List.copyOf(offersWanted);
    }

    /** An answer without a control sample, of a service that does not ask for readers. */
    public HeartbeatAnswer(
            boolean active,
            long epoch,
            boolean serve,
            boolean fullWanted,
            List<MoveOrder> orders,
            int intervalMs,
            @Nullable Resize resize) {
        this(active, epoch, serve, fullWanted, orders, intervalMs, resize, 0, false, List.of(), 0, null);
    }

    /** The same that leaves the memory tier's size as it is. */
    public HeartbeatAnswer(
            boolean active, long epoch, boolean serve, boolean fullWanted, List<MoveOrder> orders, int intervalMs) {
        this(active, epoch, serve, fullWanted, orders, intervalMs, null);
    }

    /** The answer of a NameNode that does not decide. */
    public static HeartbeatAnswer standby(int intervalMs) {
        return new HeartbeatAnswer(false, 0, true, false, List.of(), intervalMs);
    }
}
