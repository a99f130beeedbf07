package io.terrace.placement.volume;

import io.terrace.common.StorageTier;
import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.placement.policyfile.PoolSpec;
import io.terrace.placement.policyfile.TierRange;
import io.terrace.placement.state.DataNodeState;
import io.terrace.placement.volume.KnownReplicas.Known;
import io.terrace.policy.api.PoolShare;
import io.terrace.policy.api.PoolUsage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What each pool owns, may take and uses of the tiers that the policy file divides, on each DataNode. What is divided of a tier
 * is the room up to its high-water mark, without what pinned files and replicas take that Terrace does not know.
 *
 * <p>A pool may always fill its own share. Beyond it, up to its most, it may use what others that lend leave. A block that
 * waits for its pool's own share claims the room that others give back, so that none of them takes it meanwhile. Owned by the
 * engine's thread.
 */
final class TierPools {

    private final KnownReplicas known;
    private final PoolBytes bytes;
    private final TierSpace space;
    private final Map<StorageTier, PoolShare[]> divided = new HashMap<>();
    private final ShareClaims claims = new ShareClaims();
    private int pools = 1;

    TierPools(KnownReplicas known, TierSpace space, PolicySpec spec) {
        this.known = known;
        this.bytes = known.poolBytes();
        this.space = space;
        rules(spec);
    }

    /** Other pools hold from now on: no block is in one until it is looked at again. */
    void rules(PolicySpec spec) {
        known.forgetPools();
        divided.clear();
        claims.clear();
        pools = Math.max(1, spec.pools().size());
        if (spec.pools().isEmpty()) {
            return;
        }
        for (StorageTier tier : spec.pools().get(0).tiers().keySet()) {
            PoolShare[] shares = new PoolShare[pools];
            for (int pool = 0; pool < pools; pool++) {
                PoolSpec given = spec.pools().get(pool);
                shares[pool] = given.tiers().get(tier);
            }
            divided.put(tier, shares);
        }
    }

    boolean divides(StorageTier tier) {
        return divided.containsKey(tier);
    }

    /** Whether a range holds a tier that is divided. */
    boolean divides(TierRange range) {
        return divided.keySet().stream().anyMatch(range::contains);
    }

    int pool(StorageTier tier, Known block) {
        return pool(tier, known.slot(block));
    }

    /** The pool that a block counts for in a tier; a pool without a share there counts for the first one. */
    int pool(StorageTier tier, int slot) {
        PoolShare[] shares = divided.get(tier);
        return slot >= PoolBytes.PINNED ? slot : shares == null || shares[slot] == null ? 0 : slot;
    }

    String name(StorageTier tier, int pool) {
        return share(tier, pool).name();
    }

    private PoolShare share(StorageTier tier, int pool) {
        PoolShare[] shares = divided.get(tier);
        if (shares == null || shares[pool] == null) {
            throw new IllegalArgumentException("pool " + pool + " has no part of " + tier);
        }
        return shares[pool];
    }

    private boolean hasShare(StorageTier tier, int pool) {
        PoolShare[] shares = divided.get(tier);
        return shares != null && shares[pool] != null;
    }

    /** What is divided of the tier, at most: whoever has a right to something has it of this. */
    private long dividedBytes(long nowMs, DataNodeState node, StorageTier tier) {
        return dividedBytes(nowMs, node, tier, space.strangersAtLeast(nowMs, node, tier));
    }

    /** What is divided of the tier, at least: this can be given away. */
    private long surelyDividedBytes(long nowMs, DataNodeState node, StorageTier tier) {
        return dividedBytes(nowMs, node, tier, space.strangersAtMost(nowMs, node, tier));
    }

    private long dividedBytes(long nowMs, DataNodeState node, StorageTier tier, long strangersBytes) {
        long pinned = bytes.booked(node.uuid(), tier, PoolBytes.PINNED);
        return Math.max(0, space.highWaterBytes(nowMs, node, tier) - strangersBytes - pinned);
    }

    private long own(StorageTier tier, int pool, long dividedBytes) {
        return (long) (share(tier, pool).share() * dividedBytes);
    }

    private long most(StorageTier tier, int pool, long dividedBytes) {
        return (long) (share(tier, pool).most() * dividedBytes);
    }

    private long own(long nowMs, DataNodeState node, StorageTier tier, int pool) {
        return own(tier, pool, dividedBytes(nowMs, node, tier));
    }

    /** What the pool will have once all ordered moves are made. */
    private long booked(DataNodeState node, StorageTier tier, int pool) {
        long sum = 0;
        for (int slot = 0; slot < pools; slot++) {
            if (pool(tier, slot) == pool) {
                sum += bytes.booked(node.uuid(), tier, slot);
            }
        }
        return sum;
    }

    /** What the pool has at most while ordered moves are made. */
    private long peak(DataNodeState node, StorageTier tier, int pool) {
        long sum = 0;
        for (int slot = 0; slot < pools; slot++) {
            if (pool(tier, slot) == pool) {
                sum += bytes.here(node.uuid(), tier, slot) + bytes.coming(node.uuid(), tier, slot);
            }
        }
        return sum;
    }

    /** What the other pools leave, and what is divided of the tier less that. */
    private long offer(long nowMs, DataNodeState node, StorageTier tier, int pool) {
        long dividedBytes = surelyDividedBytes(nowMs, node, tier);
        long keptOf = dividedBytes(nowMs, node, tier);
        long taken = bytes.booked(node.uuid(), tier, PoolBytes.UNKNOWN);
        for (int other = 0; other < pools; other++) {
            if (other != pool && hasShare(tier, other)) {
                long used = booked(node, tier, other) + claims.bytes(nowMs, node, tier, other, -1);
                taken += share(tier, other).lends() ? used : Math.max(used, own(tier, other, keptOf));
            }
        }
        long own = own(tier, pool, dividedBytes);
        return Math.max(own, dividedBytes - taken);
    }

    /**
     * Whether the block's pool lets it into a tier. One that could not go further down gets nothing there that was lent, unless
     * it comes from above.
     *
     * @param from the tier that it leaves
     */
    boolean admits(long nowMs, DataNodeState node, Known block, StorageTier from, StorageTier to) {
        if (!divides(to) || known.slot(block) == PoolBytes.PINNED) {
            return true;
        }
        int pool = pool(to, known.slot(block));
        if (pool == PoolBytes.UNKNOWN) {
            return false;
        }
        long length = block.block().lengthBytes();
        long dividedBytes = surelyDividedBytes(nowMs, node, to);
        TierRange range = block.rule().tiers();
        boolean stuck =
                to.compareTo(from) < 0 && (range == null || range.slowerThan(to).isEmpty());
        long offered = stuck ? own(to, pool, dividedBytes) : offer(nowMs, node, to, pool);
        return booked(node, to, pool) + length <= offered
                && peak(node, to, pool) + length <= most(to, pool, dividedBytes);
    }

    /** Whether the block's pool could have it in its own share. Then what others give back of it is kept for the block. */
    boolean claim(long nowMs, DataNodeState node, Known block, StorageTier tier) {
        int pool = pool(tier, known.slot(block));
        if (pool >= PoolBytes.PINNED) {
            return false;
        }
        long id = block.block().id();
        long length = block.block().lengthBytes();
        long before = booked(node, tier, pool) + claims.bytes(nowMs, node, tier, pool, id);
        if (before + length > own(nowMs, node, tier, pool)) {
            claims.remove(node, tier, id);
            return false;
        }
        return claims.put(nowMs, node, tier, pool, id, length);
    }

    boolean hasClaim(long nowMs, DataNodeState node, StorageTier tier, long blockId) {
        return claims.has(nowMs, node, tier, blockId);
    }

    /** The block goes there, or elsewhere. */
    void unclaim(DataNodeState node, long blockId) {
        divided.keySet().forEach(tier -> claims.remove(node, tier, blockId));
    }

    /** DataNodes that are not known any more have no claims. */
    void retain(Map<String, DataNodeState> nodes) {
        claims.retain(nodes.keySet());
    }

    /** Bytes that blocks wait for that have a right to them, of all pools. */
    long claimedBytes(long nowMs, DataNodeState node, StorageTier tier) {
        return claims.bytes(nowMs, node, tier, null, -1);
    }

    /** Who gives back first: the pool furthest above its own share; -1 if none has more than that. */
    int furthestAbove(long nowMs, DataNodeState node, StorageTier tier) {
        long dividedBytes = dividedBytes(nowMs, node, tier);
        int furthest = -1;
        long most = 0;
        for (int pool = 0; pool < pools; pool++) {
            long above = hasShare(tier, pool) ? booked(node, tier, pool) - own(tier, pool, dividedBytes) : 0;
            if (above > most) {
                most = above;
                furthest = pool;
            }
        }
        return furthest;
    }

    /** What each pool has of each tier of a DataNode that is divided. */
    List<PoolUsage> usages(long nowMs, DataNodeState node) {
        List<PoolUsage> usages = new ArrayList<>();
        for (StorageTier tier : StorageTier.values()) {
            if (!divides(tier) || !space.has(nowMs, node, tier)) {
                continue;
            }
            long dividedBytes = dividedBytes(nowMs, node, tier);
            for (int pool = 0; pool < pools; pool++) {
                if (hasShare(tier, pool)) {
                    usages.add(new PoolUsage(
                            TierKeeper.name(tier),
                            name(tier, pool),
                            own(tier, pool, dividedBytes),
                            most(tier, pool, dividedBytes),
                            booked(node, tier, pool)));
                }
            }
        }
        return usages;
    }

    /** Why the block's pool keeps it out of a tier; null if it does not. */
    @Nullable
    String keepsOut(long nowMs, DataNodeState node, Known block, StorageTier from, StorageTier to) {
        int pool = pool(to, known.slot(block));
        if (!divides(to) || pool == PoolBytes.PINNED || admits(nowMs, node, block, from, to)) {
            return null;
        }
        if (pool == PoolBytes.UNKNOWN) {
            return "its pool is not known yet";
        }
        String use = "pool " + name(to, pool) + " has " + megabytes(booked(node, to, pool)) + " MB of "
                + TierKeeper.name(to) + " there, ";
        long most = most(to, pool, surelyDividedBytes(nowMs, node, to));
        return peak(node, to, pool) + block.block().lengthBytes() > most
                ? use + "at most " + megabytes(most) + " MB"
                : use + megabytes(own(nowMs, node, to, pool)) + " MB are its own, and others lend no more";
    }

    private static long megabytes(long bytes) {
        return bytes >> 20;
    }
}
