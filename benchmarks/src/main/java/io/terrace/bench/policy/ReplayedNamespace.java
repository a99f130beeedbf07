package io.terrace.bench.policy;

import io.terrace.placement.state.NamespaceView;
import io.terrace.policy.replay.Trace;
import io.terrace.protocol.StampedBlock;
import it.unimi.dsi.fastutil.HashCommon;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * The blocks of a {@link Trace} and where their replicas are: the first of each on one of a few DataNodes, as a load from a
 * few hosts leaves them, the others anywhere. Fixed by the seed. A block has its greatest length from the beginning.
 */
final class ReplayedNamespace implements NamespaceView {

    private final StampedBlock[] blocks;
    private final byte[] holders;
    private final int replication;

    /**
     * @param nodes at most 127
     * @param loaded DataNodes that hold the first replicas
     */
    ReplayedNamespace(Trace trace, int nodes, int replication, int loaded, long seed) {
        this.replication = replication;
        long[] lengths = new long[trace.objects()];
        for (int row = 0; row < trace.rows(); row++) {
            int object = trace.object(row);
            lengths[object] = Math.max(lengths[object], trace.size(row));
        }
        blocks = new StampedBlock[trace.objects()];
        holders = new byte[trace.objects() * replication];
        for (int object = 0; object < blocks.length; object++) {
            blocks[object] = new StampedBlock(object, 1, lengths[object]);
            for (int replica = 0; replica < replication; replica++) {
                long hash = HashCommon.murmurHash3(seed ^ HashCommon.mix((long) object * replication + replica));
                int node = (int) Math.floorMod(hash, replica == 0 ? loaded : nodes);
                while (isOn(object, replica, node)) {
                    node = (node + 1) % nodes;
                }
                holders[object * replication + replica] = (byte) node;
            }
        }
    }

    private boolean isOn(int object, int replicas, int node) {
        for (int replica = 0; replica < replicas; replica++) {
            if (holders[object * replication + replica] == node) {
                return true;
            }
        }
        return false;
    }

    StampedBlock block(int object) {
        return blocks[object];
    }

    int replication() {
        return replication;
    }

    /** The DataNode that holds a replica. */
    int holder(int object, int replica) {
        return holders[object * replication + replica];
    }

    boolean isHeldBy(int object, int node) {
        return isOn(object, replication, node);
    }

    @Override
    public int lockBlocks() {
        return 256;
    }

    @Override
    public List<Verdict> examine(List<Candidate> candidates) {
        return candidates.stream()
                .map(candidate -> isHeldBy((int) candidate.block().id(), Integer.parseInt(candidate.node()))
                        ? Verdict.FIT
                        : Verdict.NO_REPLICA)
                .toList();
    }

    @Override
    public List<List<String>> holders(List<StampedBlock> asked) {
        List<List<String>> holders = new ArrayList<>(asked.size());
        for (StampedBlock block : asked) {
            List<String> some = new ArrayList<>(replication);
            for (int replica = 0; replica < replication; replica++) {
                some.add(Integer.toString(holder((int) block.id(), replica)));
            }
            holders.add(some);
        }
        return holders;
    }

    @Override
    public List<Located> blocksOf(Collection<Long> inodes, int limit) {
        return List.of();
    }
}
