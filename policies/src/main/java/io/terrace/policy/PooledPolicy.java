package io.terrace.policy;

import io.terrace.policy.api.Access;
import io.terrace.policy.api.Explanation;
import io.terrace.policy.api.MoveRequests;
import io.terrace.policy.api.PlacementPolicy;
import io.terrace.policy.api.PoolShare;
import io.terrace.policy.api.PoolUsage;
import io.terrace.policy.api.TierHierarchy;
import io.terrace.policy.api.TierSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Divides the tiers above the base among pools, each with a policy of its own that sees the accesses to the pool's objects
 * alone and places them in the pool's part of each tier. The first pool takes what no other claims.
 *
 * <p>A pool can always fill its own share of a tier. Beyond it, up to its most, it may use what others that lend leave
 * unused. When an owner needs its room, the pool that took most beyond its own share returns it: its policy is given less
 * room, and the moves down that it then requests are passed on before the owner's moves up. Offers of room are renewed
 * with {@link #tick}.
 *
 * <p>Objects that were above the base before their pool was known ({@link #moved} without a request) belong to no pool
 * until they are read or {@link #belongs} tells; they are the first to go. Policies are made when their pool is first
 * used.
 */
public final class PooledPolicy implements PlacementPolicy {

    /** Most pools, the first one included. */
    public static final int MOST_POOLS = 9;

    private final List<Function<TierHierarchy, PlacementPolicy>> makers;
    private final TierHierarchy tiers;
    private final int base;
    private final @Nullable PlacementPolicy[] policies;
    private final MoveRequests[] requestsOf;
    private final TierPartition[] partitions;
    private final PoolTable table;
    /** Number of the pools, and the pool of objects whose own is not known. */
    private final int unknownPool;

    private final HeldRequests requests = new HeldRequests();

    /** Where the requests end that make room in each tier, from the fastest on. */
    private final int[] roomMadeEnds;

    /**
     * @param divided the pools' shares of each tier above the base, by the tier's name; the first pool's share is what the
     *     others leave
     * @param makers of their policies
     */
    public PooledPolicy(
            TierHierarchy tiers,
            Map<String, List<PoolShare>> divided,
            List<Function<TierHierarchy, PlacementPolicy>> makers) {
        unknownPool = makers.size();
        if (makers.isEmpty() || unknownPool > MOST_POOLS) {
            throw new IllegalArgumentException(unknownPool + " pools; there may be 1 to " + MOST_POOLS);
        }
        this.makers = List.copyOf(makers);
        this.tiers = tiers;
        base = tiers.base();
        policies = new PlacementPolicy[unknownPool];
        partitions = new TierPartition[base];
        roomMadeEnds = new int[base];
        for (int tier = 0; tier < base; tier++) {
            TierSpec spec = tiers.tier(tier);
            List<PoolShare> shares = divided.getOrDefault(spec.name(), List.of());
            if (shares.size() != unknownPool) {
                throw new IllegalArgumentException(
                        unknownPool + " pools, but " + shares.size() + " shares of tier " + spec.name());
            }
            partitions[tier] = new TierPartition(spec.name(), spec.capacityBytes(), shares);
        }
        table = new PoolTable(unknownPool, partitions);
        requestsOf = new MoveRequests[unknownPool];
        for (int i = 0; i < unknownPool; i++) {
            int pool = i;
            requestsOf[i] = (object, size, from, to) -> note(object, size, from, to, pool);
        }
        offerRoom(0);
    }

    @Override
    public String name() {
        return policy(0).name();
    }

    private PlacementPolicy policy(int pool) {
        PlacementPolicy policy = policies[pool];
        if (policy == null) {
            List<TierSpec> parts = new ArrayList<>(tiers.tiers());
            for (int tier = 0; tier < base; tier++) {
                parts.set(tier, tiers.tier(tier).withCapacity(partitions[tier].roomBytes(pool)));
            }
            policy = makers.get(pool).apply(new TierHierarchy(parts));
            policies[pool] = policy;
        }
        return policy;
    }

    private void offerRoom(long nowMs) {
        for (int tier = 0; tier < base; tier++) {
            for (int pool = 0; pool < unknownPool; pool++) {
                long offered = partitions[tier].offer(pool);
                if (partitions[tier].differsEnough(pool, offered)) {
                    room(nowMs, pool, tier, offered);
                }
            }
        }
    }

    private void room(long nowMs, int pool, int tier, long bytes) {
        partitions[tier].room(pool, bytes);
        PlacementPolicy policy = policies[pool];
        if (policy != null) {
            policy.resize(nowMs, tier, bytes, requestsOf[pool]);
        }
    }

    @Override
    public void access(Access access, MoveRequests out) {
        int pool = access.pool() < unknownPool ? access.pool() : 0;
        long object = access.object();
        join(access.nowMs(), object, pool);
        if (access.tier() < base && table.pool(object) == PoolTable.ABSENT) {
            table.confirm(object, access.sizeBytes(), pool, access.tier());
        }
        table.resize(object, access.sizeBytes());
        for (int tier = 0; tier < table.tier(object); tier++) {
            // Others may have taken since of what was offered; what comes in now is not to be returned at once.
            long offered = partitions[tier].offer(pool);
            if (offered < partitions[tier].roomBytes(pool)) {
                room(access.nowMs(), pool, tier, offered);
            }
        }
        policy(pool).access(access, requestsOf[pool]);
        pass(access.nowMs(), out);
    }

    /** Takes an object out of the pool that it was in before. */
    private void join(long nowMs, long object, int pool) {
        int before = table.pool(object);
        if (before == PoolTable.ABSENT || before == pool) {
            return;
        }
        if (before < unknownPool) {
            policy(before).vanished(nowMs, object);
        }
        table.forget(object);
    }

    @Override
    public void belongs(long nowMs, long object, int pool, MoveRequests out) {
        int known = pool < unknownPool ? pool : 0;
        int tier = table.tier(object);
        if (tier < base && !table.isPending(object) && table.pool(object) != known) {
            long sizeBytes = table.sizeBytes(object);
            join(nowMs, object, known);
            table.confirm(object, sizeBytes, known, tier);
            policy(known).moved(nowMs, object, sizeBytes, tier, requestsOf[known]);
            pass(nowMs, out);
        }
    }

    @Override
    public void moved(long nowMs, long object, long sizeBytes, int tier, MoveRequests out) {
        int pool = knownPool(object);
        if (pool == unknownPool || table.tier(object) == tier || !table.isPending(object)) {
            table.confirm(object, sizeBytes, pool, tier);
        }
        if (pool < unknownPool) {
            policy(pool).moved(nowMs, object, sizeBytes, tier, requestsOf[pool]);
        }
        pass(nowMs, out);
    }

    @Override
    public void moveFailed(long nowMs, long object, long sizeBytes, int tier, MoveRequests out) {
        int pool = knownPool(object);
        table.confirm(object, sizeBytes, pool, tier);
        if (pool < unknownPool) {
            policy(pool).moveFailed(nowMs, object, sizeBytes, tier, requestsOf[pool]);
        }
        // Room for what did not leave its tier is made with the next access or tick: that move might fail at once too.
    }

    private int knownPool(long object) {
        int pool = table.pool(object);
        return pool == PoolTable.ABSENT ? unknownPool : pool;
    }

    @Override
    public void vanished(long nowMs, long object) {
        for (PlacementPolicy policy : policies) {
            if (policy != null) {
                policy.vanished(nowMs, object);
            }
        }
        table.forget(object);
    }

    @Override
    public void tick(long nowMs, MoveRequests out) {
        for (int pool = 0; pool < unknownPool; pool++) {
            PlacementPolicy policy = policies[pool];
            if (policy != null) {
                policy.tick(nowMs, requestsOf[pool]);
            }
        }
        offerRoom(nowMs);
        pass(nowMs, out);
    }

    @Override
    public void resize(long nowMs, int tier, long capacityBytes, MoveRequests out) {
        if (tier < 0 || tier >= base || capacityBytes < 0) {
            throw new IllegalArgumentException("tier " + tier + " cannot have " + capacityBytes
                    + " bytes; only tiers 0.." + (base - 1) + " can be resized, to 0 or more");
        }
        partitions[tier].capacity(capacityBytes);
        offerRoom(nowMs);
        pass(nowMs, out);
    }

    private void note(long object, long sizeBytes, int fromTier, int toTier, int pool) {
        table.request(object, sizeBytes, pool, toTier);
        requests.add(object, sizeBytes, fromTier, toTier);
    }

    /** Passes on what the policies requested, and before it what must leave so that it fits: the slowest tier first. */
    private void pass(long nowMs, MoveRequests out) {
        int requested = requests.count();
        for (int tier = 0; tier < base; tier++) {
            while (partitions[tier].isOverbooked() && makeRoom(nowMs, tier)) {
                continue;
            }
            roomMadeEnds[tier] = requests.count();
        }
        if (requests.count() > requested) {
            // An object that was just requested may have to leave again.
            requests.keepOrderOfEachObject();
        }
        for (int tier = base - 1; tier >= 0; tier--) {
            requests.passOn(tier == 0 ? requested : roomMadeEnds[tier - 1], roomMadeEnds[tier], out);
        }
        requests.passOn(0, requested, out);
        requests.clear();
    }

    /** Moves down an object without a pool, or makes the largest borrower return room; whether that left less in the tier. */
    private boolean makeRoom(long nowMs, int tier) {
        TierPartition partition = partitions[tier];
        if (!partition.unassigned().isEmpty()) {
            long object = partition.unassigned().firstLong();
            note(object, table.sizeBytes(object), tier, base, unknownPool);
            return true;
        }
        int borrower = partition.largestBorrower();
        if (borrower < 0) {
            return false;
        }
        long before = partition.totalBytes();
        room(nowMs, borrower, tier, partition.roomAfterReturn(borrower));
        return partition.totalBytes() < before;
    }

    @Override
    public long freeBytes(int tier, int pool) {
        int known = pool < unknownPool ? pool : 0;
        TierPartition partition = partitions[tier];
        return Math.max(0, partition.offer(known) - partition.usedBytes(known));
    }

    @Override
    public long nextToLeave(int tier, int pool) {
        PlacementPolicy policy = policies[pool < unknownPool ? pool : 0];
        return policy == null ? NO_OBJECT : policy.nextToLeave(tier, 0);
    }

    @Override
    public @Nullable Explanation explain(long nowMs, long object) {
        int pool = knownPool(object);
        Explanation found = pool == unknownPool ? null : explained(nowMs, object, pool);
        for (int other = 0; other < unknownPool && found == null; other++) {
            found = explained(nowMs, object, other);
        }
        return found;
    }

    private @Nullable Explanation explained(long nowMs, long object, int pool) {
        PlacementPolicy policy = policies[pool];
        Explanation why = policy == null ? null : policy.explain(nowMs, object);
        if (why == null) {
            return null;
        }
        TierPartition partition = partitions[Math.min(why.tier(), base - 1)];
        String sentence = "pool " + partition.share(pool).name() + ", " + megabytes(partition.usedBytes(pool)) + " of "
                + megabytes(partition.roomBytes(pool)) + " MB used: " + why.sentence();
        return new Explanation(
                why.policy(),
                why.rule(),
                object,
                why.tier(),
                why.count(),
                why.threshold(),
                why.ageMs(),
                why.competitor(),
                why.worth(),
                sentence);
    }

    private static long megabytes(long bytes) {
        return bytes >> 20;
    }

    @Override
    public List<PoolUsage> pools() {
        List<PoolUsage> usages = new ArrayList<>();
        for (TierPartition partition : partitions) {
            for (int pool = 0; pool < unknownPool; pool++) {
                usages.add(partition.usage(pool));
            }
        }
        return usages;
    }

    @Override
    public long trackedObjects() {
        long sum = 0;
        for (PlacementPolicy policy : policies) {
            sum += policy == null ? 0 : policy.trackedObjects();
        }
        return sum;
    }

    @Override
    public long memoryBytes() {
        long sum = table.memoryBytes();
        for (TierPartition partition : partitions) {
            sum += partition.memoryBytes();
        }
        for (PlacementPolicy policy : policies) {
            sum += policy == null ? 0 : policy.memoryBytes();
        }
        return sum;
    }
}
