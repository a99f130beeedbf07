package io.terrace.policy.firstread;

import io.terrace.policy.ForwardingPolicy;
import io.terrace.policy.api.Access;
import io.terrace.policy.api.MoveRequests;
import io.terrace.policy.api.PlacementPolicy;
import io.terrace.policy.firstread.ReadAheadModel.Range;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import java.util.List;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Another policy, and in a part of the fastest tier objects that wait for a read: their first one, or that of a reader who is on
 * the way to them. What {@link FirstReadModel} expects to be read soon is moved there when it is written, and blocks of files that
 * {@link ReadAheadModel} expects to be read on, ahead of their reader. With the read it is the other policy's; so it is, as moved
 * in vain, when the time is over, or the reader came before it. The other policy has the room that is left. A block that a reader
 * has passed leaves, unless the other policy would have asked for it now.
 *
 * <p>For replays of traces. The placement service does the same with blocks that it holds.
 */
public final class FirstReadPolicy extends ForwardingPolicy {

    /** What waits takes at most this part of the fastest tier. */
    public static final int HELD_PART = 4;

    /** For so long a block waits for a reader; one who comes later has stood for too long. */
    private static final long READER_MS = 2 * ReadAheadModel.IDLE_MS;

    private static final int RESERVED_STEPS = 512;

    /** The tier that copies ahead of a reader are taken to come from. */
    private static final int BELOW = 1;

    private static final int MOST_GROUPS = 4_096;
    private static final int MOST_AWAITED = 1 << 20;
    private static final int MOST_READERS = 4_096;

    private final PlacementPolicy policy;
    private final LongFunction<@Nullable String> groups;
    private final FirstReadModel model;
    private final @Nullable FileBlocks files;
    private final ReadAheadModel readers;
    private final VainLimit limit;
    private final MemoryYield memoryYield = new MemoryYield();
    private final WaitingCopies firstReads;
    private final WaitingCopies readAhead = new WaitingCopies(READER_MS);
    private final LongOpenHashSet inMemory = new LongOpenHashSet();
    private long capacityBytes;
    private long reservedBytes;
    private double copiedBytes;

    /**
     * Stands around a policy, without copies ahead of a reader.
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
        this(policy, groups, null, 0, capacityBytes, withinMs, limit);
    }

    /**
     * Stands around a policy.
     *
     * @param groups of each object; null where that is not known, so nothing is learned from it
     * @param files that objects are blocks of; null for no copies ahead of a reader
     * @param mostAhead so many blocks ahead of a reader are copied at most
     * @param capacityBytes of the fastest tier, which the policy was made for
     * @param withinMs for how long an object waits for its first read
     * @param limit to the bytes in vain, which nobody else counts for
     */
    public FirstReadPolicy(
            PlacementPolicy policy,
            LongFunction<@Nullable String> groups,
            @Nullable FileBlocks files,
            int mostAhead,
            long capacityBytes,
            long withinMs,
            VainLimit limit) {
        super(policy);
        this.policy = policy;
        this.groups = groups;
        this.files = files;
        this.capacityBytes = capacityBytes;
        this.firstReads = new WaitingCopies(withinMs);
        this.model = new FirstReadModel(withinMs, MOST_GROUPS, MOST_AWAITED);
        this.readers = new ReadAheadModel(mostAhead, MOST_GROUPS, MOST_READERS);
        this.limit = limit;
    }

    private long heldBytes() {
        return firstReads.bytes() + readAhead.bytes();
    }

    /** Takes room from the other policy or gives it back; for many readers in steps, as that may cost a look at all it has there. */
    private void reserve(long nowMs, MoveRequests moveRequests) {
        long step = files == null ? 0 : capacityBytes / RESERVED_STEPS;
        long held = heldBytes();
        if (held > reservedBytes || held + 2 * step <= reservedBytes) {
            reservedBytes = held == 0 ? 0 : held + step;
            policy.resize(nowMs, 0, Math.max(0, capacityBytes - reservedBytes), moveRequests);
        }
    }

    /** Those that an object waits among; null if it does not wait. */
    private @Nullable WaitingCopies waitingWith(long object) {
        return firstReads.contains(object) ? firstReads : readAhead.contains(object) ? readAhead : null;
    }

    @Override
    public void access(Access access, MoveRequests moveRequests) {
        long nowMs = access.nowMs();
        long object = access.object();
        expire(nowMs, moveRequests);
        memoryYield.passed(nowMs, capacityBytes - heldBytes());
        WaitingCopies waiting = waitingWith(object);
        if (access.isWrite()) {
            if (waiting != null) {
                if (nowMs - waiting.sinceMs(object) < FirstReadModel.SAME_WRITE_MS
                        && waiting.bytes(object) == access.sizeBytes()) {
                    return;
                }
                giveUp(nowMs, waiting, object, moveRequests);
            }
            policy.access(access, moveRequests);
            written(nowMs, access, moveRequests);
            return;
        }
        model.read(nowMs, object);
        if (waiting == readAhead && access.tier() > 0) {
            giveUp(nowMs, readAhead, object, moveRequests);
        } else if (waiting == firstReads) {
            firstReads.served();
            release(nowMs, firstReads, object, moveRequests);
        } else if (waiting == null && access.tier() == 0) {
            memoryYield.served(access.burst());
        }
        if (waiting == readAhead && access.tier() == 0) {
            readAhead.served();
            passed(access, moveRequests);
        } else {
            policy.access(access, moveRequests);
        }
        readOn(nowMs, object, moveRequests);
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
                && fits(bytes);
        model.written(nowMs, object, bytes, group);
        if (expected && model.awaits(nowMs, object)) {
            hold(nowMs, firstReads, object, bytes, access.tier(), moveRequests);
        }
    }

    /** A reader was served by a copy, of which the other policy did not know. */
    private void passed(Access access, MoveRequests moveRequests) {
        long nowMs = access.nowMs();
        long object = access.object();
        long bytes = readAhead.remove(object);
        reserve(nowMs, moveRequests);
        Access fromBelow = new Access()
                .read(nowMs, object, access.sizeBytes(), access.bytes(), BELOW)
                .by(access.job())
                .burst(access.burst())
                .in(access.pool())
                .of(access.inputBytes())
                .saving(access.savedNs());
        boolean[] stays = {false};
        policy.access(fromBelow, (asked, sizeBytes, fromTier, toTier) -> {
            if (asked == object && toTier == 0) {
                stays[0] = true;
            } else {
                moveRequests.place(asked, sizeBytes, fromTier, toTier);
            }
        });
        if (stays[0]) {
            policy.moved(nowMs, object, bytes, 0, moveRequests);
        } else {
            moveRequests.place(object, bytes, 0, BELOW);
        }
    }

    /** Copies what is ahead of a reader. */
    private void readOn(long nowMs, long object, MoveRequests moveRequests) {
        String group = files == null ? null : groups.apply(object);
        if (files == null || group == null || files.file(object) < 0) {
            return;
        }
        long file = files.file(object);
        Range ahead = readers.read(nowMs, file, group, files.index(object), files.blocks(file));
        for (int index = ahead.from(); index < ahead.to(); index++) {
            long block = files.block(file, index);
            long bytes = files.sizeBytes(block);
            if (bytes > 0
                    && !inMemory.contains(block)
                    && waitingWith(block) == null
                    && memoryYield.justifies(ahead.worth(bytes))
                    && fits(bytes)) {
                hold(nowMs, readAhead, block, bytes, BELOW, moveRequests);
            }
        }
    }

    private boolean fits(long bytes) {
        return heldBytes() + bytes <= capacityBytes / HELD_PART && limit.allows(heldBytes() + bytes);
    }

    private void hold(
            long nowMs, WaitingCopies waiting, long object, long bytes, int fromTier, MoveRequests moveRequests) {
        waiting.add(nowMs, object, bytes);
        policy.vanished(nowMs, object);
        reserve(nowMs, moveRequests);
        moveRequests.place(object, bytes, fromTier, 0);
    }

    /** Gives the object and its room to the other policy. */
    private void release(long nowMs, WaitingCopies waiting, long object, MoveRequests moveRequests) {
        long bytes = waiting.remove(object);
        reserve(nowMs, moveRequests);
        policy.moved(nowMs, object, bytes, 0, moveRequests);
    }

    private void giveUp(long nowMs, WaitingCopies waiting, long object, MoveRequests moveRequests) {
        inVain(waiting, waiting.bytes(object));
        release(nowMs, waiting, object, moveRequests);
    }

    private void inVain(WaitingCopies waiting, long bytes) {
        waiting.inVain(bytes);
        limit.inVain(bytes);
    }

    private void expire(long nowMs, MoveRequests moveRequests) {
        for (WaitingCopies waiting : List.of(firstReads, readAhead)) {
            while (waiting.isFirstOver(nowMs)) {
                giveUp(nowMs, waiting, waiting.first(), moveRequests);
            }
        }
    }

    @Override
    public void moved(long nowMs, long object, long sizeBytes, int tier, MoveRequests moveRequests) {
        if (tier > 0) {
            inMemory.remove(object);
        } else if (inMemory.add(object)) {
            copiedBytes += sizeBytes;
            limit.copied(sizeBytes);
        }
        WaitingCopies waiting = waitingWith(object);
        if (waiting == null) {
            policy.moved(nowMs, object, sizeBytes, tier, moveRequests);
        } else if (waiting == readAhead) {
            readers.copied(nowMs, nowMs - readAhead.sinceMs(object));
        }
    }

    @Override
    public void moveFailed(long nowMs, long object, long sizeBytes, int tier, MoveRequests moveRequests) {
        WaitingCopies waiting = waitingWith(object);
        if (waiting != null) {
            waiting.notMade(object);
            reserve(nowMs, moveRequests);
        } else {
            policy.moveFailed(nowMs, object, sizeBytes, tier, moveRequests);
        }
    }

    @Override
    public void vanished(long nowMs, long object) {
        inMemory.remove(object);
        WaitingCopies waiting = waitingWith(object);
        if (waiting != null) {
            inVain(waiting, waiting.remove(object));
        }
        policy.vanished(nowMs, object);
    }

    @Override
    public void tick(long nowMs, MoveRequests moveRequests) {
        expire(nowMs, moveRequests);
        policy.tick(nowMs, moveRequests);
    }

    @Override
    public void resize(long nowMs, int tier, long bytes, MoveRequests moveRequests) {
        if (tier == 0) {
            capacityBytes = bytes;
            policy.resize(nowMs, 0, Math.max(0, bytes - reservedBytes), moveRequests);
        } else {
            policy.resize(nowMs, tier, bytes, moveRequests);
        }
    }

    /** Bytes moved into the fastest tier, ahead of a read or by the other policy. */
    public double copiedBytes() {
        return copiedBytes;
    }

    /** Of these, bytes moved ahead of a read. */
    public double aheadBytes() {
        return firstReads.copiedBytes() + readAhead.copiedBytes();
    }

    /** Of these, bytes that were not read in time, or are still waiting. */
    public double vainBytes() {
        return firstReads.vainBytes() + readAhead.vainBytes();
    }

    /** How it went with what was moved there ahead of a first read. */
    public WaitingCopies firstReads() {
        return firstReads;
    }

    /** How it went with what was moved there ahead of a reader. */
    public WaitingCopies readAhead() {
        return readAhead;
    }
}
