package io.terrace.policy.firstread;

import io.terrace.policy.ForwardingPolicy;
import io.terrace.policy.api.Access;
import io.terrace.policy.api.MoveRequests;
import io.terrace.policy.api.PlacementPolicy;
import it.unimi.dsi.fastutil.longs.Long2LongLinkedOpenHashMap;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Another policy, and in a part of the fastest tier objects that wait for their first read. What {@link FirstReadModel} expects to
 * be read soon is moved there when it is written. With the first read it is the other policy's; so it is, as moved in vain,
 * when the time is over. The other policy has the room that is left.
 *
 * <p>For replays of traces. The placement service does the same with blocks that it holds.
 */
public final class FirstReadPolicy extends ForwardingPolicy {

    /** What waits takes at most this part of the fastest tier. */
    public static final int HELD_PART = 4;

    private static final int MOST_GROUPS = 4_096;
    private static final int MOST_AWAITED = 1 << 20;

    private final PlacementPolicy policy;
    private final LongFunction<@Nullable String> groups;
    private final FirstReadModel model;
    private final VainLimit limit;
    private final MemoryYield memoryYield = new MemoryYield();
    private final long withinMs;
    private final Long2LongLinkedOpenHashMap heldSinceMs = new Long2LongLinkedOpenHashMap();
    private final Long2LongLinkedOpenHashMap heldBytesOf = new Long2LongLinkedOpenHashMap();
    private long capacityBytes;
    private long heldBytes;
    private double aheadBytes;
    private double copiedBytes;

    /** Answers of the caller to what the other policy did not ask for are kept from it. */
    private final class Counted implements MoveRequests {
        private final MoveRequests caller;

        Counted(MoveRequests caller) {
            this.caller = caller;
        }

        @Override
        public void place(long object, long sizeBytes, int fromTier, int toTier) {
            if (toTier == 0) {
                copied(sizeBytes);
            }
            caller.place(object, sizeBytes, fromTier, toTier);
        }
    }

    /**
     * Stands around a policy.
     *
     * @param groups of each object; null where that is not known, so nothing is learned from it
     * @param capacityBytes of the fastest tier, which the policy was made for
     * @param withinMs for how long an object waits
     * @param limit to the bytes in vain, which nobody else counts for
     */
    public FirstReadPolicy(
            PlacementPolicy policy,
            LongFunction<@Nullable String> groups,
            long capacityBytes,
            long withinMs,
            VainLimit limit) {
        super(policy);
        this.policy = policy;
        this.groups = groups;
        this.capacityBytes = capacityBytes;
        this.withinMs = withinMs;
        this.model = new FirstReadModel(withinMs, MOST_GROUPS, MOST_AWAITED);
        this.limit = limit;
    }

    private void copied(long bytes) {
        copiedBytes += bytes;
        limit.copied(bytes);
    }

    @Override
    public void access(Access access, MoveRequests moveRequests) {
        MoveRequests counted = new Counted(moveRequests);
        long nowMs = access.nowMs();
        long object = access.object();
        expire(nowMs, counted);
        memoryYield.passed(nowMs, capacityBytes - heldBytes);
        if (access.isWrite()) {
            if (heldBytesOf.containsKey(object)) {
                if (nowMs - heldSinceMs.get(object) < FirstReadModel.SAME_WRITE_MS
                        && heldBytesOf.get(object) == access.sizeBytes()) {
                    return;
                }
                giveUp(nowMs, object, counted);
            }
            policy.access(access, counted);
            written(nowMs, access, counted);
            return;
        }
        model.read(nowMs, object);
        if (heldBytesOf.containsKey(object)) {
            release(nowMs, object, counted);
        } else if (access.tier() == 0) {
            memoryYield.served(access.burst());
        }
        policy.access(access, counted);
    }

    private void written(long nowMs, Access access, MoveRequests moveRequests) {
        long object = access.object();
        long bytes = access.sizeBytes();
        String group = groups.apply(object);
        if (group == null) {
            return;
        }
        boolean expected = access.tier() > 0
                && bytes > 0
                && model.expects(group, bytes)
                && memoryYield.justifies(model.worth(nowMs, group))
                && heldBytes + bytes <= capacityBytes / HELD_PART
                && limit.allows(heldBytes + bytes);
        model.written(nowMs, object, bytes, group);
        if (expected && model.awaits(nowMs, object)) {
            heldSinceMs.put(object, nowMs);
            heldBytesOf.put(object, bytes);
            heldBytes += bytes;
            aheadBytes += bytes;
            policy.vanished(nowMs, object);
            policy.resize(nowMs, 0, capacityBytes - heldBytes, moveRequests);
            moveRequests.place(object, bytes, access.tier(), 0);
        }
    }

    /** Gives the object and its room to the other policy. */
    private void release(long nowMs, long object, MoveRequests moveRequests) {
        heldSinceMs.remove(object);
        long bytes = heldBytesOf.remove(object);
        heldBytes -= bytes;
        policy.resize(nowMs, 0, capacityBytes - heldBytes, moveRequests);
        policy.moved(nowMs, object, bytes, 0, moveRequests);
    }

    private void giveUp(long nowMs, long object, MoveRequests moveRequests) {
        limit.inVain(heldBytesOf.get(object));
        release(nowMs, object, moveRequests);
    }

    private void expire(long nowMs, MoveRequests moveRequests) {
        while (!heldSinceMs.isEmpty() && nowMs - heldSinceMs.get(heldSinceMs.firstLongKey()) >= withinMs) {
            giveUp(nowMs, heldSinceMs.firstLongKey(), moveRequests);
        }
    }

    @Override
    public void moved(long nowMs, long object, long sizeBytes, int tier, MoveRequests moveRequests) {
        if (!heldBytesOf.containsKey(object)) {
            policy.moved(nowMs, object, sizeBytes, tier, new Counted(moveRequests));
        }
    }

    @Override
    public void moveFailed(long nowMs, long object, long sizeBytes, int tier, MoveRequests moveRequests) {
        if (heldBytesOf.containsKey(object)) {
            heldSinceMs.remove(object);
            long bytes = heldBytesOf.remove(object);
            heldBytes -= bytes;
            aheadBytes -= bytes;
            copiedBytes -= bytes;
            policy.resize(nowMs, 0, capacityBytes - heldBytes, new Counted(moveRequests));
        } else {
            policy.moveFailed(nowMs, object, sizeBytes, tier, new Counted(moveRequests));
        }
    }

    @Override
    public void vanished(long nowMs, long object) {
        if (heldBytesOf.containsKey(object)) {
            limit.inVain(heldBytesOf.get(object));
            heldSinceMs.remove(object);
            heldBytes -= heldBytesOf.remove(object);
        }
        policy.vanished(nowMs, object);
    }

    @Override
    public void tick(long nowMs, MoveRequests moveRequests) {
        MoveRequests counted = new Counted(moveRequests);
        expire(nowMs, counted);
        policy.tick(nowMs, counted);
    }

    @Override
    public void resize(long nowMs, int tier, long bytes, MoveRequests moveRequests) {
        if (tier == 0) {
            capacityBytes = bytes;
            policy.resize(nowMs, 0, Math.max(0, bytes - heldBytes), new Counted(moveRequests));
        } else {
            policy.resize(nowMs, tier, bytes, new Counted(moveRequests));
        }
    }

    /** Bytes moved into the fastest tier, ahead of a first read or by the other policy. */
    public double copiedBytes() {
        return copiedBytes;
    }

    /** Of these, bytes moved ahead of a first read. */
    public double aheadBytes() {
        return aheadBytes;
    }

    /** Of these, bytes that were not read in time, or are still waiting. */
    public double vainBytes() {
        return limit.vainBytes() + heldBytes;
    }
}
