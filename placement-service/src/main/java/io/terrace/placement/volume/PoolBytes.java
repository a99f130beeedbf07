package io.terrace.placement.volume;

import io.terrace.common.StorageTier;
import io.terrace.policy.PooledPolicy;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Bytes of the known replicas of each pool in each tier of each DataNode, kept up to date with every replica that becomes
 * known, moves or goes. Pools are numbers as in the rules, with {@link #PINNED} and {@link #UNKNOWN} behind them. Owned by the
 * engine's thread.
 */
final class PoolBytes {

    /** In place of a pool: replicas of pinned files, which take no part of any. */
    static final int PINNED = PooledPolicy.MOST_POOLS;

    /** In place of a pool: replicas that were not looked at since the pools changed. */
    static final int UNKNOWN = PINNED + 1;

    static final int SLOTS = UNKNOWN + 1;

    private static final int TIERS = StorageTier.values().length;

    private static final class Node {
        private final long[] here = new long[TIERS * SLOTS];
        private final long[] coming = new long[TIERS * SLOTS];
        private final long[] leaving = new long[TIERS * SLOTS];
        private int replicas;
    }

    private final Map<String, Node> nodes = new HashMap<>();

    private static int index(StorageTier tier, int slot) {
        return tier.ordinal() * SLOTS + slot;
    }

    /**
     * Counts a replica, or takes it out where {@code sign} is -1.
     *
     * @param to where it moves; null where it stays
     */
    void count(String uuid, StorageTier tier, @Nullable StorageTier to, int slot, long bytes, int sign) {
        Node node = nodes.computeIfAbsent(uuid, any -> new Node());
        node.here[index(tier, slot)] += sign * bytes;
        if (to != null) {
            node.leaving[index(tier, slot)] += sign * bytes;
            node.coming[index(to, slot)] += sign * bytes;
        }
        node.replicas += sign;
        if (node.replicas == 0) {
            nodes.remove(uuid);
        }
    }

    /** Other pools hold from now on: of no replica it is known which it is in. */
    void forgetPools() {
        for (Node node : nodes.values()) {
            for (long[] bytes : new long[][] {node.here, node.coming, node.leaving}) {
                for (int tier = 0; tier < TIERS; tier++) {
                    for (int slot = 0; slot < UNKNOWN; slot++) {
                        bytes[tier * SLOTS + UNKNOWN] += bytes[tier * SLOTS + slot];
                        bytes[tier * SLOTS + slot] = 0;
                    }
                }
            }
        }
    }

    /** What is in the tier, whether it is about to leave or not. */
    long here(String uuid, StorageTier tier, int slot) {
        Node node = nodes.get(uuid);
        return node == null ? 0 : node.here[index(tier, slot)];
    }

    long coming(String uuid, StorageTier tier, int slot) {
        Node node = nodes.get(uuid);
        return node == null ? 0 : node.coming[index(tier, slot)];
    }

    /** What will be in the tier once all ordered moves are made. */
    long booked(String uuid, StorageTier tier, int slot) {
        Node node = nodes.get(uuid);
        int index = index(tier, slot);
        return node == null ? 0 : node.here[index] + node.coming[index] - node.leaving[index];
    }
}
