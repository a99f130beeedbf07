package io.terrace.bench.simulation;

import io.terrace.placement.NameView;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Stands in for the NameNode's namespace and block map, which its edit log keeps the same on all NameNodes. Which replicas
 * count, and what the placement loop may ask of it.
 */
final class Namespace implements NameView {

    static final String POOL = "BP-1";
    static final int REPLICATION = 2;

    private final Map<Long, Block> blocks = new TreeMap<>();
    static final long FIRST_ID = 1001;

    private long lastId = FIRST_ID - 1;
    private long lastStamp = 1;
    private boolean safeMode;

    long nextId() {
        return ++lastId;
    }

    long lastId() {
        return lastId;
    }

    long nextStamp() {
        return ++lastStamp;
    }

    void safeMode(boolean on) {
        safeMode = on;
    }

    void add(Block block) {
        blocks.put(block.id, block);
    }

    void delete(Block block) {
        block.deleted = true;
        blocks.remove(block.id);
    }

    @Nullable
    Block find(long id) {
        return blocks.get(id);
    }

    List<Block> all() {
        return new ArrayList<>(blocks.values());
    }

    /**
     * A DataNode says that it has a finalised replica.
     *
     * @return false when it should delete that replica
     */
    boolean received(String dataNode, long blockId, long stamp, int lengthBytes) {
        Block block = blocks.get(blockId);
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
        block.holders.add(dataNode);
        return true;
    }

    /** A DataNode has these finalised replicas and no others. */
    void recount(String dataNode, List<Replica> finalised) {
        for (Block block : blocks.values()) {
            if (finalised.stream().noneMatch(replica -> replica.blockId == block.id && replica.stamp == block.stamp)) {
                block.holders.remove(dataNode);
            }
        }
    }

    /** A DataNode is dead: none of its replicas counts. */
    void lost(String dataNode) {
        blocks.values().forEach(block -> block.holders.remove(dataNode));
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
        Block block = blocks.get(candidate.block().id());
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

    /** Every block is a file of its own here, with the block's id for its inode. */
    @Override
    public List<Located> blocksOf(Collection<Long> inodes, int limit) {
        List<Located> located = new ArrayList<>();
        for (long inode : inodes) {
            Block block = blocks.get(inode);
            if (block != null && !block.underConstruction && located.size() < limit) {
                located.add(new Located(block.stamped(), inode, List.copyOf(block.holders)));
            }
        }
        return located;
    }
}
