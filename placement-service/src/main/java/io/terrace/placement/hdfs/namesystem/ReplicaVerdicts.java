package io.terrace.placement.hdfs.namesystem;

import io.terrace.placement.state.NamespaceView.Candidate;
import io.terrace.placement.state.NamespaceView.Verdict;
import io.terrace.protocol.StampedBlock;
import java.util.Collection;
import java.util.Iterator;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockInfo;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManager;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeDescriptor;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeStorageInfo;
import org.jspecify.annotations.Nullable;

/** Whether a DataNode has a replica that may be copied into memory, by the NameNode's maps. The caller holds the read lock. */
final class ReplicaVerdicts {

    private ReplicaVerdicts() {}

    /** @param stored what the NameNode has under the id of the block; null for nothing */
    static Verdict of(BlockManager blocks, @Nullable BlockInfo stored, Candidate candidate) {
        StampedBlock block = candidate.block();
        if (stored == null || stored.isDeleted()) {
            return Verdict.GONE;
        }
        if (stored.isStriped()) {
            return Verdict.ERASURE_CODED;
        }
        if (!stored.isComplete()) {
            return isWrittenAt(candidate.node(), stored) ? Verdict.UNDER_CONSTRUCTION : Verdict.NO_REPLICA;
        }
        if (stored.getGenerationStamp() != block.stamp() || stored.getNumBytes() != block.lengthBytes()) {
            return Verdict.CHANGED;
        }
        Collection<DatanodeDescriptor> corrupt = blocks.getCorruptReplicas(stored);
        for (Iterator<DatanodeStorageInfo> i = stored.getStorageInfos(); i.hasNext(); ) {
            DatanodeStorageInfo storage = i.next();
            DatanodeDescriptor node = storage.getDatanodeDescriptor();
            if (node.getDatanodeUuid().equals(candidate.node())) {
                boolean healthy = node.isAlive() && (corrupt == null || !corrupt.contains(node));
                return healthy ? Verdict.FIT : Verdict.NO_REPLICA;
            }
        }
        return Verdict.NO_REPLICA;
    }

    private static boolean isWrittenAt(String node, BlockInfo growing) {
        for (DatanodeStorageInfo storage : growing.getUnderConstructionFeature().getExpectedStorageLocations()) {
            if (storage.getDatanodeDescriptor().getDatanodeUuid().equals(node)) {
                return true;
            }
        }
        return false;
    }
}
