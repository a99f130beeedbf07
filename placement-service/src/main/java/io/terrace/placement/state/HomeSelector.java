package io.terrace.placement.state;

import org.jspecify.annotations.Nullable;

/**
 * Chooses the DataNode where a block's accesses count and its one memory copy would be: the one that serves most of
 * the reads and has room. Among those that serve at least half as many reads as the busiest one, a DataNode with free
 * room comes first. A home is kept until another DataNode serves more than {@value #SWITCH} times its reads (and more
 * than {@value #SWITCH} in all), so a block does not commute.
 */
public final class HomeSelector {

    static final float SWITCH = 2;

    private HomeSelector() {}

    /** The block's home from now on; null when no live DataNode that reads it could hold it. */
    public static @Nullable DataNodeState choose(BlockHeat heat) {
        long needed = heat.block().lengthBytes();
        DataNodeState home = heat.home();
        boolean homeFits = home != null && home.canHold(needed);
        float most = 0;
        for (int i = 0; i < heat.nodeCount(); i++) {
            if (heat.node(i).canHold(needed)) {
                most = Math.max(most, heat.share(i));
            }
        }
        if (homeFits && most <= SWITCH * Math.max(1, heat.shareOf(home))) {
            return home;
        }
        DataNodeState best = null;
        boolean bestHasRoom = false;
        for (int i = 0; i < heat.nodeCount(); i++) {
            DataNodeState node = heat.node(i);
            if (!node.canHold(needed) || heat.share(i) < most / 2) {
                continue;
            }
            boolean hasRoom = node.memory().freeBytes() >= needed;
            if (best == null
                    || (hasRoom && !bestHasRoom)
                    || (hasRoom == bestHasRoom && heat.share(i) > heat.shareOf(best))) {
                best = node;
                bestHasRoom = hasRoom;
            }
        }
        return best == null && homeFits ? home : best;
    }
}
