package io.terrace.placement.hdfs.namesystem;

import io.terrace.common.StorageTier;
import io.terrace.placement.state.NamespaceView.Home;
import io.terrace.placement.state.NamespaceView.Placed;
import io.terrace.placement.state.NamespaceView.PlacedReplica;
import io.terrace.placement.state.NamespaceView.VolumeSpace;
import io.terrace.protocol.StampedBlock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.BlockStoragePolicy;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockInfo;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManager;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeDescriptor;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeStorageInfo;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;
import org.apache.hadoop.hdfs.server.namenode.INode;
import org.apache.hadoop.hdfs.server.namenode.INodeDirectory;
import org.apache.hadoop.hdfs.server.namenode.TerraceAccessTimes;
import org.apache.hadoop.hdfs.server.namenode.TerraceReadCheck;
import org.apache.hadoop.hdfs.server.protocol.DatanodeStorage;
import org.apache.hadoop.hdfs.server.protocol.StorageReport;
import org.jspecify.annotations.Nullable;

/** Where replicas are, by the storages of the block manager. The caller holds the read lock. */
final class BlockPlaces {

    private BlockPlaces() {}

    /** The tier of a storage type; null for those that no replica is moved from or to. */
    static @Nullable StorageTier tier(StorageType type) {
        return switch (type) {
            case NVDIMM -> StorageTier.NVM;
            case SSD -> StorageTier.SSD;
            case DISK -> StorageTier.DISK;
            case ARCHIVE -> StorageTier.ARCHIVE;
            case RAM_DISK, PROVIDED -> null;
        };
    }

    static @Nullable Placed of(FSNamesystem namesystem, AnnotationReader annotations, long blockId) {
        BlockManager blocks = namesystem.getBlockManager();
        BlockInfo stored = blocks.getStoredBlock(new Block(blockId));
        INode file = stored == null || stored.isDeleted()
                ? null
                : namesystem.getFSDirectory().getInode(stored.getBlockCollectionId());
        String path = file == null ? "" : file.getFullPathName();
        if (stored == null || file == null || !file.isFile() || !TerraceReadCheck.isPath(path)) {
            return null;
        }
        Collection<DatanodeDescriptor> corrupt = blocks.getCorruptReplicas(stored);
        List<PlacedReplica> replicas = new ArrayList<>();
        for (Iterator<DatanodeStorageInfo> i = stored.getStorageInfos(); i.hasNext(); ) {
            DatanodeStorageInfo storage = i.next();
            DatanodeDescriptor node = storage.getDatanodeDescriptor();
            StorageTier tier = tier(storage.getStorageType());
            boolean isCorrupt = corrupt != null && corrupt.contains(node);
            replicas.add(new PlacedReplica(node.getDatanodeUuid(), tier, obstacle(storage, node, isCorrupt)));
        }
        return new Placed(
                FileBlocks.stamped(stored),
                path,
                annotations.of(file),
                obstacle(stored),
                replicas,
                hasTypeQuota(file) ? policyTiers(blocks, file) : null,
                TerraceAccessTimes.unreadMs(namesystem, file));
    }

    /** Live DataNodes in service that hold a healthy replica; none where the block is another one by now. */
    static List<String> holders(BlockManager blocks, StampedBlock block) {
        BlockInfo stored = blocks.getStoredBlock(new Block(block.id()));
        if (stored == null
                || stored.isDeleted()
                || stored.isStriped()
                || !stored.isComplete()
                || stored.getGenerationStamp() != block.stamp()
                || stored.getNumBytes() != block.lengthBytes()) {
            return List.of();
        }
        Collection<DatanodeDescriptor> corrupt = blocks.getCorruptReplicas(stored);
        List<String> holders = new ArrayList<>(stored.getCapacity());
        for (Iterator<DatanodeStorageInfo> i = stored.getStorageInfos(); i.hasNext(); ) {
            DatanodeDescriptor node = i.next().getDatanodeDescriptor();
            if (node.isAlive() && node.isInService() && (corrupt == null || !corrupt.contains(node))) {
                holders.add(node.getDatanodeUuid());
            }
        }
        return holders;
    }

    private static boolean hasTypeQuota(INode file) {
        for (INodeDirectory at = file.getParent(); at != null; at = at.getParent()) {
            if (at.getDirectoryWithQuotaFeature() != null && at.getQuotaCounts().anyTypeSpaceCountGreaterOrEqual(0)) {
                return true;
            }
        }
        return false;
    }

    private static List<StorageTier> policyTiers(BlockManager blocks, INode file) {
        BlockStoragePolicy policy = blocks.getStoragePolicy(file.getStoragePolicyID());
        return policy == null ? List.of() : tiers(policy);
    }

    /** The tiers of its types, of each one. */
    static List<StorageTier> tiers(BlockStoragePolicy policy) {
        List<StorageTier> tiers = new ArrayList<>();
        for (StorageType type : policy.getStorageTypes()) {
            StorageTier tier = tier(type);
            if (tier != null && !tiers.contains(tier)) {
                tiers.add(tier);
            }
        }
        return tiers;
    }

    /** Where the storage policy of its file wants the replicas of a block. */
    static @Nullable Home home(FSNamesystem namesystem, Placed placed) {
        BlockManager blocks = namesystem.getBlockManager();
        BlockInfo stored = blocks.getStoredBlock(new Block(placed.block().id()));
        INode file = stored == null ? null : namesystem.getFSDirectory().getInode(stored.getBlockCollectionId());
        BlockStoragePolicy policy = file == null ? null : blocks.getStoragePolicy(file.getStoragePolicyID());
        if (stored == null || policy == null) {
            return null;
        }
        List<StorageTier> tiers = new ArrayList<>();
        if (!stored.isStriped()) {
            for (StorageType type : policy.chooseStorageTypes(stored.getReplication())) {
                StorageTier tier = tier(type);
                if (tier == null) {
                    return new Home(placed, policy.getName(), List.of());
                }
                tiers.add(tier);
            }
        }
        return new Home(withWritten(placed, stored), policy.getName(), tiers);
    }

    /**
     * With the replicas that are being written or recovered, of which the block manager knows the storages alone. Those of a
     * block that is appended to leave its map until they are reported with the new generation stamp.
     */
    private static Placed withWritten(Placed placed, BlockInfo stored) {
        if (stored.isComplete() || stored.isStriped()) {
            return placed;
        }
        List<PlacedReplica> replicas = new ArrayList<>(placed.replicas());
        for (DatanodeStorageInfo storage : stored.getUnderConstructionFeature().getExpectedStorageLocations()) {
            DatanodeDescriptor node = storage.getDatanodeDescriptor();
            if (replicas.stream().noneMatch(replica -> replica.node().equals(node.getDatanodeUuid()))) {
                replicas.add(new PlacedReplica(
                        node.getDatanodeUuid(), tier(storage.getStorageType()), obstacle(storage, node, false)));
            }
        }
        return placed.withReplicas(replicas);
    }

    private static @Nullable String obstacle(BlockInfo stored) {
        return stored.isStriped()
                ? "the block is erasure-coded"
                : stored.isComplete() ? null : "the block is being written or recovered";
    }

    private static @Nullable String obstacle(DatanodeStorageInfo storage, DatanodeDescriptor node, boolean isCorrupt) {
        // Provided storage belongs to no DataNode; the NameNode has one for it that is never alive.
        if (tier(storage.getStorageType()) == null) {
            return "replicas on " + storage.getStorageType() + " are not moved";
        }
        if (isCorrupt) {
            return "the replica is corrupt";
        }
        if (!node.isAlive()) {
            return "the DataNode is dead";
        }
        if (!node.isInService()) {
            return "the DataNode is decommissioned or in maintenance";
        }
        return null;
    }

    static Map<StorageTier, VolumeSpace> volumes(DatanodeDescriptor node) {
        Map<StorageTier, VolumeSpace> volumes = new EnumMap<>(StorageTier.class);
        for (StorageReport report : node.getStorageReports()) {
            DatanodeStorage storage = report.getStorage();
            StorageTier tier = tier(storage.getStorageType());
            if (tier != null && storage.getState() == DatanodeStorage.State.NORMAL) {
                VolumeSpace here = new VolumeSpace(report.getCapacity(), report.getRemaining());
                volumes.merge(
                        tier,
                        here,
                        (one, other) -> new VolumeSpace(
                                one.capacityBytes() + other.capacityBytes(),
                                one.remainingBytes() + other.remainingBytes()));
            }
        }
        return volumes;
    }
}
