package io.terrace.bench.simulation.cluster;

import io.terrace.bench.simulation.kernel.Invariant;
import io.terrace.bench.simulation.kernel.Violation;
import io.terrace.bench.simulation.service.SeedPolicy;
import io.terrace.common.StorageTier;
import io.terrace.placement.policyfile.PathAnnotations;
import io.terrace.placement.state.NamespaceView;
import io.terrace.protocol.StampedBlock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Simulates the namespace and block map of the NameNodes, which the edit log keeps the same on all: which replicas
 * count, and what the placement loop may look up.
 */
public final class SimulatedNamespace implements NamespaceView {

    public static final String POOL = "BP-1";
    public static final int REPLICATION = 2;

    public static final long FIRST_ID = 1001;

    private static final int BLOCKS_IN_A_ROW = 4;
    private final Map<Long, SimulatedBlock> blocks = new TreeMap<>();

    private final Function<String, Map<StorageTier, VolumeSpace>> space;

    private long lastId = FIRST_ID - 1;
    private long lastStamp = 1;
    private boolean safeMode;
    private long annotations;

    /** @param space by tier on a DataNode */
    SimulatedNamespace(Function<String, Map<StorageTier, VolumeSpace>> space) {
        this.space = space;
    }

    public long nextId() {
        return ++lastId;
    }

    public long lastId() {
        return lastId;
    }

    public long nextStamp() {
        return ++lastStamp;
    }

    public void safeMode(boolean on) {
        safeMode = on;
    }

    /** Somebody annotates a file that holds nothing: the service looks at all blocks again. */
    void annotate() {
        annotations++;
    }

    @Override
    public long annotationsVersion() {
        return annotations;
    }

    public void add(SimulatedBlock block) {
        blocks.put(block.id, block);
    }

    public void delete(SimulatedBlock block) {
        block.deleted = true;
        blocks.remove(block.id);
    }

    @Nullable
    public SimulatedBlock find(long id) {
        return blocks.get(id);
    }

    /** A block, those written first more often than others; null if there is none. */
    public @Nullable SimulatedBlock any(Random random) {
        List<SimulatedBlock> all = all();
        if (all.isEmpty()) {
            return null;
        }
        int bound = 1 + random.nextInt(all.size());
        return all.get(random.nextInt(bound));
    }

    /** Those that clients know: {@link UnreadBlocks} have smaller ids. */
    public List<SimulatedBlock> all() {
        return blocks.values().stream().filter(block -> block.id >= FIRST_ID).toList();
    }

    /**
     * A DataNode says that it has a finalised replica.
     *
     * @return false when it should delete that replica
     */
    boolean received(String dataNode, Replica replica, StorageTier tier) {
        long blockId = replica.blockId;
        long stamp = replica.stamp;
        int lengthBytes = replica.lengthBytes();
        SimulatedBlock block = blocks.get(blockId);
        if (block == null || stamp < block.stamp) {
            if (block != null) {
                block.holders.remove(dataNode);
            }
            return false;
        }
        Violation.unless(
                stamp == block.stamp && (block.underConstruction || lengthBytes == block.lengthBytes),
                Invariant.REPLICAS_COUNTED_ONCE,
                "%s reports blk_%d_%d of %d bytes, where the NameNode knows %s of %d",
                dataNode,
                blockId,
                stamp,
                lengthBytes,
                block,
                block.lengthBytes);
        block.underConstruction = false;
        block.heldBy(dataNode, tier);
        return true;
    }

    /** A DataNode has these finalised replicas and no others. */
    public void recount(String dataNode, List<Replica> finalised) {
        for (SimulatedBlock block : blocks.values()) {
            if (finalised.stream().noneMatch(replica -> replica.blockId == block.id && replica.stamp == block.stamp)) {
                block.holders.remove(dataNode);
            }
        }
    }

    /** A DataNode deleted its replica. */
    void deleted(String dataNode, Replica replica) {
        SimulatedBlock block = blocks.get(replica.blockId);
        if (block != null && block.stamp == replica.stamp) {
            block.holders.remove(dataNode);
        }
    }

    /** A DataNode is dead: none of its replicas counts. */
    public void lost(String dataNode) {
        blocks.values().forEach(block -> block.holders.remove(dataNode));
    }

    @Override
    public int lockBlocks() {
        return 16;
    }

    @Override
    public List<Verdict> examine(List<Candidate> candidates) {
        List<Verdict> verdicts = new ArrayList<>();
        for (Candidate candidate : candidates) {
            verdicts.add(verdict(candidate));
        }
        return verdicts;
    }

    private Verdict verdict(Candidate candidate) {
        SimulatedBlock block = blocks.get(candidate.block().id());
        if (safeMode) {
            return Verdict.UNKNOWN;
        }
        if (block == null) {
            return Verdict.GONE;
        }
        if (block.underConstruction) {
            return Verdict.UNDER_CONSTRUCTION;
        }
        if (!block.stamped().equals(candidate.block())) {
            return Verdict.CHANGED;
        }
        return block.holders.contains(candidate.node()) ? Verdict.FIT : Verdict.NO_REPLICA;
    }

    @Override
    public List<List<String>> holders(List<StampedBlock> asked) {
        List<List<String>> holders = new ArrayList<>();
        for (StampedBlock block : safeMode ? List.<StampedBlock>of() : asked) {
            SimulatedBlock stored = blocks.get(block.id());
            if (stored == null || stored.underConstruction || !stored.stamped().equals(block)) {
                holders.add(List.of());
            } else {
                holders.add(List.copyOf(stored.holders));
            }
        }
        return holders;
    }

    /** Files with a rule that gives them tiers, and others. */
    public static String path(long inode) {
        return (inode % 3 == 0 ? "/plain/" : SeedPolicy.TIERED + "/") + inode;
    }

    @Override
    public List<@Nullable Named> names(List<Long> ids) {
        List<@Nullable Named> names = new ArrayList<>();
        for (long id : ids) {
            names.add(blocks.containsKey(id) ? named(id) : null);
        }
        return names;
    }

    /** Readers may go on from the first to the next blocks, as if they were of one file. */
    private static Named named(long id) {
        return new Named(id, path(id), PathAnnotations.NONE, 0, id % BLOCKS_IN_A_ROW == 0);
    }

    @Override
    public List<@Nullable FilePart> parts(List<Long> inodes, List<Integer> from, int most) {
        List<@Nullable FilePart> parts = new ArrayList<>();
        for (int i = 0; i < inodes.size(); i++) {
            List<@Nullable Located> row = new ArrayList<>();
            for (int index = from.get(i); index < Math.min(BLOCKS_IN_A_ROW, from.get(i) + most); index++) {
                SimulatedBlock block = blocks.get(inodes.get(i) + index);
                row.add(
                        block == null || block.underConstruction
                                ? null
                                : new Located(block.stamped(), inodes.get(i), List.copyOf(block.holders)));
            }
            parts.add(safeMode ? null : new FilePart(BLOCKS_IN_A_ROW, row));
        }
        return parts;
    }

    @Override
    public long lengthOf(long inode) {
        SimulatedBlock block = blocks.get(inode);
        return block == null ? -1 : block.lengthBytes;
    }

    @Override
    public List<@Nullable Placed> placed(List<Long> ids) {
        List<@Nullable Placed> placed = new ArrayList<>();
        for (long id : safeMode ? List.<Long>of() : ids) {
            SimulatedBlock block = blocks.get(id);
            placed.add(block == null ? null : placed(block));
        }
        return placed;
    }

    private static Placed placed(SimulatedBlock block) {
        List<PlacedReplica> replicas = new ArrayList<>();
        for (String holder : block.holders) {
            replicas.add(new PlacedReplica(holder, block.tierOn(holder), null));
        }
        return new Placed(
                block.stamped(),
                path(block.id),
                block.underConstruction ? "the block is being written" : null,
                replicas);
    }

    @Override
    public Map<StorageTier, VolumeSpace> volumes(String node) {
        return space.apply(node);
    }

    @Override
    public long volumesAgeMs(String node) {
        return 0;
    }

    /** Every block is a file of its own here, with the block's id for its inode. */
    @Override
    public List<Located> blocksOf(Collection<Long> inodes, int limit) {
        List<Located> located = new ArrayList<>();
        for (long inode : inodes) {
            SimulatedBlock block = blocks.get(inode);
            if (block != null && !block.underConstruction && located.size() < limit) {
                located.add(new Located(block.stamped(), inode, List.copyOf(block.holders)));
            }
        }
        return located;
    }
}
