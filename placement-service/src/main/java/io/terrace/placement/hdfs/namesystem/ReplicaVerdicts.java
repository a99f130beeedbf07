package io.terrace.placement.hdfs.namesystem;

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

    /**
     * DataNodes are compared by identity: that of a replica is known without its words, which are elsewhere in memory.
     *
     * @param stored what the NameNode has under the id of the block; null for nothing
     * @param holder the DataNode, as the NameNode knows it; null if it does not
     */
    static Verdict of(
            BlockManager blocks, @Nullable BlockInfo stored, StampedBlock block, @Nullable DatanodeDescriptor holder) {
        if (stored == null || stored.isDeleted()) {
            return Verdict.GONE;
        }
        if (stored.isStriped()) {
            return Verdict.ERASURE_CODED;
        }
        if (!stored.isComplete()) {
            return holder != null && isWrittenAt(holder, stored) ? Verdict.UNDER_CONSTRUCTION : Verdict.NO_REPLICA;
        }
        if (stored.getGenerationStamp() != block.stamp() || stored.getNumBytes() != block.lengthBytes()) {
            return Verdict.CHANGED;
        }
        if (holder == null) {
            return Verdict.NO_REPLICA;
        }
        Collection<DatanodeDescriptor> corrupt = blocks.getCorruptReplicas(stored);
        for (Iterator<DatanodeStorageInfo> i = stored.getStorageInfos(); i.hasNext(); ) {
            if (i.next().getDatanodeDescriptor() == holder) {
                boolean healthy = holder.isAlive() && (corrupt == null || !corrupt.contains(holder));
                return healthy ? Verdict.FIT : Verdict.NO_REPLICA;
            }
        }
        return Verdict.NO_REPLICA;
    }

    private static boolean isWrittenAt(DatanodeDescriptor node, BlockInfo growing) {
        for (DatanodeStorageInfo storage : growing.getUnderConstructionFeature().getExpectedStorageLocations()) {
            if (storage.getDatanodeDescriptor() == node) {
                return true;
            }
        }
        return false;
    }
}
