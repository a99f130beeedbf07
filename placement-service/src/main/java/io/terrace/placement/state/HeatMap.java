package io.terrace.placement.state;

import io.terrace.protocol.StampedBlock;
import it.unimi.dsi.fastutil.longs.Long2ObjectLinkedOpenHashMap;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The heat of the blocks that were read last, a bounded number of them; the one read longest ago is forgotten for a new
 * one. About {@value #BYTES_PER_BLOCK} bytes a block. Owned by one thread.
 */
public final class HeatMap {

    /**
     * Block, its heat, two DataNodes' shares and three holders, computed from measured figures for compressed references and a
     * table that just grew.
     */
    static final int BYTES_PER_BLOCK = 280;

    /** Blocks that forget DataNodes in one turn, or a hundredth of all: heartbeats wait for a turn, and these take milliseconds. */
    static final int FORGETS_PER_TURN = 50_000;

    private static final int TURNS_PER_PASS = 100;

    private final int mostBlocks;
    private final long halfLifeMs;
    /** From the block read longest ago to the one read last. */
    private final Long2ObjectLinkedOpenHashMap<BlockHeat> blocks = new Long2ObjectLinkedOpenHashMap<>();

    private StateListener listener = StateListener.NONE;
    /** Of all that were forgotten for others, the latest access. */
    private long forgottenMs = Long.MIN_VALUE;
    /** DataNodes that are gone, of which the next pass over the blocks drops what they contributed. */
    private final Set<DataNodeState> gone = new HashSet<>();
    /** Those of the pass that is under way. */
    private Set<DataNodeState> leaving = Set.of();

    private long[] toForget = {};
    private int next;

    public HeatMap(int mostBlocks, long halfLifeMs) {
        this.mostBlocks = mostBlocks;
        this.halfLifeMs = halfLifeMs;
    }

    void tell(StateListener other) {
        listener = other;
    }

    public @Nullable BlockHeat find(long blockId) {
        return blocks.getAndMoveToLast(blockId);
    }

    /** The same, but a block that is only looked at is not one that was read last. */
    public @Nullable BlockHeat peek(long blockId) {
        return blocks.get(blockId);
    }

    /** All accesses since then are known. */
    long completeSinceMs() {
        return forgottenMs;
    }

    /** The ids of all blocks now. */
    public long[] ids() {
        return blocks.keySet().toLongArray();
    }

    /** The heat of a block whose report counts, its length included. */
    public BlockHeat touch(long nowMs, StampedBlock block) {
        BlockHeat known = blocks.getAndMoveToLast(block.id());
        if (known == null || !known.block().sameContent(block)) {
            if (known == null) {
                listener.missed(block.id());
            }
            known = new BlockHeat(block, nowMs);
            put(known);
        } else if (!known.block().equals(block)) {
            known.measured(block);
        }
        return known;
    }

    /** The heat of that very content; none that is kept where another content of the block is known. */
    public BlockHeat of(long nowMs, StampedBlock block) {
        BlockHeat known = blocks.getAndMoveToLast(block.id());
        if (known == null) {
            return touch(nowMs, block);
        }
        return known.block().sameContent(block) ? known : new BlockHeat(block, nowMs);
    }

    public void put(BlockHeat heat) {
        forgotten(blocks.putAndMoveToLast(heat.block().id(), heat));
        if (blocks.size() > mostBlocks) {
            BlockHeat oldest = blocks.removeFirst();
            forgottenMs = Math.max(forgottenMs, oldest.lastMs());
            listener.left(oldest);
            forgotten(oldest);
        }
    }

    /**
     * The heat of a block from an earlier time, as the next to leave; what is restored later leaves earlier.
     *
     * @param lastMs when it was last read
     * @return null where another content of the block is known, or there is no room
     */
    public @Nullable BlockHeat restore(long lastMs, StampedBlock block) {
        BlockHeat known = blocks.get(block.id());
        if (known != null) {
            return known.block().sameContent(block) ? known : null;
        }
        if (blocks.size() >= mostBlocks) {
            return null;
        }
        BlockHeat restored = new BlockHeat(block, lastMs);
        blocks.putAndMoveToFirst(block.id(), restored);
        return restored;
    }

    public void remove(long blockId) {
        forgotten(blocks.remove(blockId));
    }

    private static void forgotten(@Nullable BlockHeat heat) {
        if (heat != null) {
            heat.home(null);
        }
    }

    /** A DataNode is gone for good; {@link #forgetGone} drops what it contributed. */
    void gone(DataNodeState node) {
        gone.add(node);
    }

    /** Goes on with dropping what DataNodes contributed that are gone: one pass over the blocks for all that went before it. */
    void forgetGone() {
        if (leaving.isEmpty()) {
            if (gone.isEmpty()) {
                return;
            }
            leaving = Set.copyOf(gone);
            gone.clear();
            toForget = ids();
            next = 0;
        }
        int end = Math.min(toForget.length, next + Math.max(FORGETS_PER_TURN, toForget.length / TURNS_PER_PASS));
        for (; next < end; next++) {
            BlockHeat block = blocks.get(toForget[next]);
            if (block != null) {
                block.forget(leaving);
            }
        }
        if (next == toForget.length) {
            leaving = Set.of();
            toForget = new long[0];
        }
    }

    /** Puts other objects in the place of all DataNodes; those without one are left out. */
    void rebind(Function<DataNodeState, @Nullable DataNodeState> there) {
        blocks.values().forEach(block -> block.rebind(there));
        gone.clear();
        leaving = Set.of();
        toForget = new long[0];
    }

    /** The blocks read last, at most so many; of those the one read longest ago first. */
    public List<BlockHeat> latest(int count) {
        return blocks.values().stream().skip(Math.max(0, blocks.size() - count)).toList();
    }

    public Collection<BlockHeat> all() {
        return Collections.unmodifiableCollection(blocks.values());
    }

    public int size() {
        return blocks.size();
    }

    public long memoryBytes() {
        return (long) blocks.size() * BYTES_PER_BLOCK;
    }

    /** The hottest blocks, hottest first. */
    public List<BlockHeat> hottest(long nowMs, int count) {
        Comparator<Map.Entry<Double, BlockHeat>> byHeat = Map.Entry.comparingByKey();
        PriorityQueue<Map.Entry<Double, BlockHeat>> best = new PriorityQueue<>(byHeat);
        for (BlockHeat block : blocks.values()) {
            double heat = block.heat(nowMs, halfLifeMs);
            if (best.size() < count) {
                best.add(Map.entry(heat, block));
            } else if (count > 0 && heat > best.element().getKey()) {
                best.remove();
                best.add(Map.entry(heat, block));
            }
        }
        return best.stream().sorted(byHeat.reversed()).map(Map.Entry::getValue).toList();
    }
}
