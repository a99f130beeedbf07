package io.terrace.bench.scale;

import io.terrace.placement.state.NamespaceView;
import io.terrace.protocol.StampedBlock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** The maps of a NameNode with more blocks than fit into memory here: answers are computed from {@link BlockSpread}. */
final class ComputedNamespace implements NamespaceView {

    private static final int LOCK_BLOCKS = 256;

    private final BlockSpread spread;
    private final IntFunction<String> uuids;

    ComputedNamespace(BlockSpread spread, IntFunction<String> uuids) {
        this.spread = spread;
        this.uuids = uuids;
    }

    @Override
    public int lockBlocks() {
        return LOCK_BLOCKS;
    }

    @Override
    public List<Verdict> examine(List<Candidate> candidates) {
        List<Verdict> verdicts = new ArrayList<>(candidates.size());
        for (Candidate candidate : candidates) {
            List<String> holders = holders(candidate.block());
            verdicts.add(
                    holders.isEmpty()
                            ? Verdict.GONE
                            : holders.contains(candidate.node()) ? Verdict.FIT : Verdict.NO_REPLICA);
        }
        return verdicts;
    }

    @Override
    public List<List<String>> holders(List<StampedBlock> blocks) {
        List<List<String>> holders = new ArrayList<>(blocks.size());
        blocks.forEach(block -> holders.add(holders(block)));
        return holders;
    }

    private List<String> holders(StampedBlock block) {
        long number = spread.number(block.id());
        List<String> holders = new ArrayList<>(BlockSpread.REPLICAS);
        for (int replica = 0; replica < BlockSpread.REPLICAS && number >= 0; replica++) {
            holders.add(uuids.apply(spread.holder(number, replica)));
        }
        return holders;
    }

    @Override
    public List<@Nullable Named> names(List<Long> blocks) {
        List<@Nullable Named> names = new ArrayList<>(blocks.size());
        for (long id : blocks) {
            long number = spread.number(id);
            names.add(number < 0 ? null : new Named(RealNameNode.inode(number), RealNameNode.path(number)));
        }
        return names;
    }

    @Override
    public List<Located> blocksOf(Collection<Long> inodes, int limit) {
        return List.of();
    }
}
