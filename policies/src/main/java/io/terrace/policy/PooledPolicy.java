package io.terrace.policy;

import io.terrace.policy.api.Access;
import io.terrace.policy.api.Explanation;
import io.terrace.policy.api.MoveRequests;
import io.terrace.policy.api.PlacementPolicy;
import io.terrace.policy.api.PoolShare;
import io.terrace.policy.api.PoolUsage;
import io.terrace.policy.api.TierHierarchy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Divides the memory tier among pools, each with a policy of its own that sees the accesses to the pool's objects alone
 * and places them in the pool's part. The first pool takes what no other claims.
 *
 * <p>A pool can always fill its own share. Beyond it, up to its most, it may use what others that lend leave unused. When
 * an owner needs its room, whoever took most beyond his own share gives it back: its policy is given less room, and what
 * that makes it let go is wished away before the owner's promotion. Offers of room are renewed with {@link #tick}.
 *
 * <p>Objects that were in memory before their pool was known ({@link #moved} without a wish) belong to none until they are
 * read or {@link #belongs} tells; they are the first to go. Policies are made when their pool is first used.
 */
public final class PooledPolicy implements PlacementPolicy {

    /** Most pools, the first one included. */
    public static final int MOST_POOLS = 9;

    private static final int MEMORY = 0;
    private static final int HOME = 1;
    /** Offers that have grown by less than such a part of the memory are left as they are. */
    private static final int LEAST_CHANGE = 64;

    private final List<PoolShare> shares;
    private final List<Function<TierHierarchy, PlacementPolicy>> makers;
    private final TierHierarchy tiers;
    private final @Nullable PlacementPolicy[] policies;
    private final MoveRequests[] hearers;
    private final long[] roomBytes;
    private final PoolTable ledger;
    private final int nobody;
    private long memoryBytes;

    private long[] wishes = new long[64];
    private int wished;

    /**
     * @param tiers memory and home
     * @param shares of the pools, the first one's being what the others leave
     * @param makers of their policies
     */
    public PooledPolicy(
            TierHierarchy tiers, List<PoolShare> shares, List<Function<TierHierarchy, PlacementPolicy>> makers) {
        double sum = shares.stream().mapToDouble(PoolShare::share).sum();
        if (tiers.size() != 2 || shares.size() != makers.size() || shares.isEmpty() || shares.size() > MOST_POOLS) {
            throw new IllegalArgumentException(shares.size() + " pools with " + makers.size() + " policies in "
                    + tiers.size() + " tiers; there may be " + MOST_POOLS + " pools in 2 tiers");
        }
        if (sum > 1 + 1e-9) {
            throw new IllegalArgumentException("the pools' shares add up to " + sum + ", which is over 1");
        }
        this.shares = List.copyOf(shares);
        this.makers = List.copyOf(makers);
        this.tiers = tiers;
        nobody = shares.size();
        policies = new PlacementPolicy[nobody];
        roomBytes = new long[nobody];
        ledger = new PoolTable(nobody);
        hearers = new MoveRequests[nobody];
        for (int i = 0; i < nobody; i++) {
            int pool = i;
            hearers[i] = (object, size, from, to) -> note(object, size, to, pool);
        }
        memoryBytes = tiers.tier(MEMORY).capacityBytes();
        offerRoom(0);
    }

    @Override
    public String name() {
        return policy(0).name();
    }

    private PlacementPolicy policy(int pool) {
        PlacementPolicy policy = policies[pool];
        if (policy == null) {
            policy = makers.get(pool)
                    .apply(TierHierarchy.of(tiers.tier(MEMORY).withCapacity(roomBytes[pool]), tiers.tier(HOME)));
            policies[pool] = policy;
        }
        return policy;
    }

    private long ownBytes(int pool) {
        return (long) (shares.get(pool).share() * memoryBytes);
    }

    private long mostBytes(int pool) {
        return Math.max(ownBytes(pool), (long) (shares.get(pool).most() * memoryBytes));
    }

    /** What a pool could take now: its own share, or what others leave. */
    private long offer(int pool) {
        long taken = 0;
        for (int other = 0; other < nobody; other++) {
            if (other != pool) {
                long used = ledger.usedBytes(other);
                taken += shares.get(other).lends() ? used : Math.max(used, ownBytes(other));
            }
        }
        return Math.min(mostBytes(pool), Math.max(ownBytes(pool), memoryBytes - taken));
    }

    private void offerRoom(long nowMs) {
        for (int pool = 0; pool < nobody; pool++) {
            long offered = offer(pool);
            if (offered < roomBytes[pool] || offered - roomBytes[pool] > memoryBytes / LEAST_CHANGE) {
                room(nowMs, pool, offered);
            }
        }
    }

    private void room(long nowMs, int pool, long bytes) {
        roomBytes[pool] = bytes;
        PlacementPolicy policy = policies[pool];
        if (policy != null) {
            policy.resize(nowMs, MEMORY, bytes, hearers[pool]);
        }
    }

    @Override
    public void access(Access access, MoveRequests out) {
        int pool = access.pool() < nobody ? access.pool() : 0;
        long object = access.object();
        join(access.nowMs(), object, pool);
        if (access.tier() == MEMORY && ledger.pool(object) == PoolTable.ABSENT) {
            ledger.in(object, access.sizeBytes(), pool);
        }
        ledger.resize(object, access.sizeBytes());
        if (!ledger.isIn(object)) {
            // Others may have taken since of what was offered; what comes in now is not to be given back at once.
            long offered = offer(pool);
            if (offered < roomBytes[pool]) {
                room(access.nowMs(), pool, offered);
            }
        }
        policy(pool).access(access, hearers[pool]);
        pass(access.nowMs(), out);
    }

    /** Takes an object out of the pool that it was in before. */
    private void join(long nowMs, long object, int pool) {
        int before = ledger.pool(object);
        if (before == PoolTable.ABSENT || before == pool) {
            return;
        }
        if (before < nobody) {
            policy(before).vanished(nowMs, object);
        }
        ledger.forget(object);
    }

    @Override
    public void belongs(long nowMs, long object, int pool, MoveRequests out) {
        int known = pool < nobody ? pool : 0;
        if (ledger.isIn(object) && !ledger.isPending(object) && ledger.pool(object) != known) {
            long sizeBytes = ledger.sizeBytes(object);
            join(nowMs, object, known);
            ledger.in(object, sizeBytes, known);
            policy(known).moved(nowMs, object, sizeBytes, MEMORY, hearers[known]);
            pass(nowMs, out);
        }
    }

    @Override
    public void moved(long nowMs, long object, long sizeBytes, int tier, MoveRequests out) {
        int pool = ledger.pool(object);
        if (pool == PoolTable.ABSENT || pool == nobody) {
            stray(object, sizeBytes, tier);
        } else {
            boolean booked = ledger.isIn(object) == (tier == MEMORY);
            if (booked || !ledger.isPending(object)) {
                stands(object, sizeBytes, tier, pool);
            }
            policy(pool).moved(nowMs, object, sizeBytes, tier, hearers[pool]);
        }
        pass(nowMs, out);
    }

    @Override
    public void moveFailed(long nowMs, long object, long sizeBytes, int tier, MoveRequests out) {
        int pool = ledger.pool(object);
        if (pool == PoolTable.ABSENT || pool == nobody) {
            stray(object, sizeBytes, tier);
        } else {
            stands(object, sizeBytes, tier, pool);
            policy(pool).moveFailed(nowMs, object, sizeBytes, tier, hearers[pool]);
        }
        pass(nowMs, out);
    }

    private void stray(long object, long sizeBytes, int tier) {
        if (tier == MEMORY) {
            ledger.in(object, sizeBytes, nobody);
        } else {
            ledger.forget(object);
        }
    }

    private void stands(long object, long sizeBytes, int tier, int pool) {
        if (tier == MEMORY) {
            ledger.in(object, sizeBytes, pool);
        } else {
            ledger.forget(object);
        }
    }

    @Override
    public void vanished(long nowMs, long object) {
        for (PlacementPolicy policy : policies) {
            if (policy != null) {
                policy.vanished(nowMs, object);
            }
        }
        ledger.forget(object);
    }

    @Override
    public void tick(long nowMs, MoveRequests out) {
        for (int pool = 0; pool < nobody; pool++) {
            PlacementPolicy policy = policies[pool];
            if (policy != null) {
                policy.tick(nowMs, hearers[pool]);
            }
        }
        offerRoom(nowMs);
        pass(nowMs, out);
    }

    @Override
    public void resize(long nowMs, int tier, long capacityBytes, MoveRequests out) {
        if (tier != MEMORY || capacityBytes < 0) {
            throw new IllegalArgumentException(
                    "tier " + tier + " cannot have " + capacityBytes + " bytes; memory alone can be resized");
        }
        memoryBytes = capacityBytes;
        offerRoom(nowMs);
        pass(nowMs, out);
    }

    private void note(long object, long sizeBytes, int toTier, int pool) {
        ledger.wished(object, sizeBytes, pool, toTier == MEMORY);
        if (wished + 3 > wishes.length) {
            wishes = Arrays.copyOf(wishes, wishes.length * 2);
        }
        wishes[wished++] = object;
        wishes[wished++] = sizeBytes;
        wishes[wished++] = toTier;
    }

    /** Lets out what the policies wished, and before it what must leave so that it fits. */
    private void pass(long nowMs, MoveRequests out) {
        int first = wished;
        while (ledger.totalBytes() > memoryBytes && giveBack(nowMs)) {
            continue;
        }
        emit(first, wished, out);
        emit(0, first, out);
        wished = 0;
    }

    private void emit(int from, int to, MoveRequests out) {
        for (int at = from; at < to; at += 3) {
            int tier = (int) wishes[at + 2];
            out.place(wishes[at], wishes[at + 1], HOME - tier, tier);
        }
    }

    /** Whether somebody who has more than his own let go of something. */
    private boolean giveBack(long nowMs) {
        long before = ledger.totalBytes();
        if (ledger.hasUnassigned()) {
            long object = ledger.firstUnassigned();
            note(object, ledger.sizeBytes(object), HOME, nobody);
            return true;
        }
        int debtor = -1;
        long most = 0;
        for (int pool = 0; pool < nobody; pool++) {
            long beyond = ledger.usedBytes(pool) - ownBytes(pool);
            if (beyond > most) {
                most = beyond;
                debtor = pool;
            }
        }
        if (debtor < 0) {
            return false;
        }
        long wanted = ledger.usedBytes(debtor) - (before - memoryBytes);
        room(nowMs, debtor, Math.max(ownBytes(debtor), wanted));
        return ledger.totalBytes() < before;
    }

    @Override
    public @Nullable Explanation explain(long nowMs, long object) {
        int pool = ledger.pool(object);
        Explanation found = pool == PoolTable.ABSENT || pool == nobody ? null : explained(nowMs, object, pool);
        for (int other = 0; other < nobody && found == null; other++) {
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
        String sentence = "pool " + shares.get(pool).name() + ", " + megabytes(ledger.usedBytes(pool)) + " of "
                + megabytes(roomBytes[pool]) + " MB used: " + why.sentence();
        return new Explanation(
                why.policy(),
                why.rule(),
                object,
                why.tier(),
                why.count(),
                why.threshold(),
                why.ageMs(),
                why.rival(),
                sentence);
    }

    private static long megabytes(long bytes) {
        return bytes >> 20;
    }

    @Override
    public List<PoolUsage> pools() {
        List<PoolUsage> uses = new ArrayList<>();
        for (int pool = 0; pool < nobody; pool++) {
            uses.add(new PoolUsage(shares.get(pool).name(), ownBytes(pool), mostBytes(pool), ledger.usedBytes(pool)));
        }
        return uses;
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
        long sum = ledger.memoryBytes();
        for (PlacementPolicy policy : policies) {
            sum += policy == null ? 0 : policy.memoryBytes();
        }
        return sum;
    }
}
