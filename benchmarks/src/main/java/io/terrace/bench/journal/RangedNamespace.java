package io.terrace.bench.journal;

import io.terrace.common.StorageTier;
import io.terrace.placement.state.NamespaceView;
import io.terrace.protocol.StampedBlock;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.function.LongFunction;

/** A namespace in which each block is a file of its own below one directory, with a replica on disk on each DataNode. */
final class RangedNamespace implements NamespaceView {

    static final String DIRECTORY = "/data";

    private final List<PlacedReplica> replicas;
    private final LongFunction<StampedBlock> blocks;
    private final BitSet asked = new BitSet();

    /** @param blocks by id */
    RangedNamespace(List<String> nodes, LongFunction<StampedBlock> blocks) {
        this.replicas = nodes.stream()
                .map(node -> new PlacedReplica(node, StorageTier.DISK, null))
                .toList();
        this.blocks = blocks;
    }

    /** Blocks of which {@link #placed} was asked. */
    int placedBlocks() {
        return asked.cardinality();
    }

    @Override
    public int lockBlocks() {
        return 256;
    }

    @Override
    public List<Named> names(List<Long> ids) {
        List<Named> names = new ArrayList<>(ids.size());
        for (long id : ids) {
            names.add(new Named(id, path(id)));
        }
        return names;
    }

    private static String path(long id) {
        return DIRECTORY + "/" + id;
    }

    @Override
    public List<Placed> placed(List<Long> ids) {
        List<Placed> placed = new ArrayList<>(ids.size());
        for (long id : ids) {
            asked.set((int) id);
            placed.add(new Placed(blocks.apply(id), path(id), null, replicas));
        }
        return placed;
    }

    @Override
    public List<List<String>> holders(List<StampedBlock> stamped) {
        return Collections.nCopies(
                stamped.size(), replicas.stream().map(PlacedReplica::node).toList());
    }

    @Override
    public List<Verdict> examine(List<Candidate> candidates) {
        return Collections.nCopies(candidates.size(), Verdict.FIT);
    }

    @Override
    public List<Located> blocksOf(Collection<Long> inodes, int limit) {
        return List.of();
    }
}
