package io.terrace.placement.state;

import io.terrace.placement.state.Move.Cause;
import io.terrace.protocol.StampedBlock;
import it.unimi.dsi.fastutil.longs.Long2ObjectLinkedOpenHashMap;
import it.unimi.dsi.fastutil.longs.Long2ObjectMap;
import it.unimi.dsi.fastutil.longs.Long2ObjectOpenHashMap;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The memory copies of one DataNode, as far as it reported them, and the bytes there that are reserved: those of copies that
 * an {@code hdfs cacheadmin} directive pins, and those of blocks that the service pins or holds, copied yet or not. Owned by the engine's thread.
 */
public final class ResidentBlocks {

    /** A memory copy, and the bytes that it served since it is there. */
    public static final class Resident {
        public final StampedBlock block;
        public final long sinceMs;
        /** By a cache directive. */
        public final boolean pinnedThere;

        public long bytesServed;

        public Resident(StampedBlock block, long sinceMs, boolean pinnedThere) {
            this.block = block;
            this.sinceMs = sinceMs;
            this.pinnedThere = pinnedThere;
        }
    }

    private final Long2ObjectMap<Resident> copies = new Long2ObjectOpenHashMap<>(0);
    private final Long2ObjectMap<StampedBlock> pins = new Long2ObjectOpenHashMap<>(0);
    /** In the order in which they were ordered. */
    private final Long2ObjectMap<Held> held = new Long2ObjectLinkedOpenHashMap<>(0);

    private long reservedBytes;

    /**
     * A block that was promoted without the policy, which the policy may not evict yet.
     *
     * @param by who promoted it
     * @param arrivedMs when the promotion was done; -1 before
     */
    public record Held(StampedBlock block, Cause by, long arrivedMs) {}

    public @Nullable Resident find(long blockId) {
        return copies.get(blockId);
    }

    public boolean holds(long blockId) {
        return copies.containsKey(blockId);
    }

    public int size() {
        return copies.size();
    }

    public Set<Long> ids() {
        return Collections.unmodifiableSet(copies.keySet());
    }

    public Collection<Resident> all() {
        return Collections.unmodifiableCollection(copies.values());
    }

    /** A copy, in place of what was known of one of the block. */
    public void put(Resident resident) {
        long before = claimedBytes(resident.block.id());
        copies.put(resident.block.id(), resident);
        reservedBytes += claimedBytes(resident.block.id()) - before;
    }

    public @Nullable Resident remove(long blockId) {
        long before = claimedBytes(blockId);
        Resident gone = copies.remove(blockId);
        reservedBytes += claimedBytes(blockId) - before;
        return gone;
    }

    /** The service pins a block here, whether it is copied yet or not. */
    public void pin(StampedBlock block) {
        long before = claimedBytes(block.id());
        pins.put(block.id(), block);
        reservedBytes += claimedBytes(block.id()) - before;
    }

    public void unpin(long blockId) {
        long before = claimedBytes(blockId);
        pins.remove(blockId);
        reservedBytes += claimedBytes(blockId) - before;
    }

    /** A block is promoted without the policy, or was at {@code arrivedMs}: it is held. */
    public void hold(StampedBlock block, Cause by, long arrivedMs) {
        long before = claimedBytes(block.id());
        held.put(block.id(), new Held(block, by, arrivedMs));
        reservedBytes += claimedBytes(block.id()) - before;
    }

    /** A block is held no longer; whether it was. */
    public boolean release(long blockId) {
        long before = claimedBytes(blockId);
        boolean was = held.remove(blockId) != null;
        reservedBytes += claimedBytes(blockId) - before;
        return was;
    }

    /** The blocks that are held, the first ordered first; a copy, since looking at them may release them. */
    public List<Held> held() {
        return List.copyOf(held.values());
    }

    public @Nullable Held findHeld(long blockId) {
        return held.get(blockId);
    }

    public boolean isHeld(long blockId) {
        return !held.isEmpty() && held.containsKey(blockId);
    }

    /** A block takes its room once, whoever claims it. */
    private long claimedBytes(long blockId) {
        StampedBlock pinned = pins.get(blockId);
        if (pinned != null) {
            return pinned.lengthBytes();
        }
        Held hold = held.get(blockId);
        if (hold != null) {
            return hold.block.lengthBytes();
        }
        Resident copy = copies.get(blockId);
        return copy != null && copy.pinnedThere ? copy.block.lengthBytes() : 0;
    }

    /** Whether it is of a file that is pinned, or there by a cache directive. */
    public boolean isPinnedFile(long blockId) {
        Resident resident = copies.get(blockId);
        return pins.containsKey(blockId) || (resident != null && resident.pinnedThere);
    }

    /** Whether the policy may not evict it: pinned or held by the service, or there by a cache directive. */
    public boolean isPinned(long blockId) {
        Resident resident = copies.get(blockId);
        return (!pins.isEmpty() && pins.containsKey(blockId))
                || isHeld(blockId)
                || (resident != null && resident.pinnedThere);
    }

    /** Bytes that the policy may not fill. */
    public long reservedBytes() {
        return reservedBytes;
    }
}
