package io.terrace.placement.hdfs.namesystem;

import io.terrace.common.StorageTier;
import io.terrace.placement.state.NamespaceView.Home;
import io.terrace.placement.state.NamespaceView.Placed;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.BlockStoragePolicy;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockInfo;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManager;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeStorageInfo;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;
import org.apache.hadoop.hdfs.server.namenode.INodeFile;

/**
 * A walk for blocks that are off the storage policy of their file. Files that are written or erasure-coded are left out, and
 * those whose policy wants RAM_DISK or PROVIDED storage.
 */
final class PolicyGapWalk extends DirectoryWalk {

    private final FSNamesystem namesystem;
    private final BlockManager blocks;
    private final AnnotationReader annotations;
    private final List<Home> off = new ArrayList<>();

    PolicyGapWalk(FSNamesystem namesystem, AnnotationReader annotations, int most) {
        super(most);
        this.namesystem = namesystem;
        this.blocks = namesystem.getBlockManager();
        this.annotations = annotations;
    }

    /** What was found. */
    List<Home> off() {
        return off;
    }

    @Override
    int look(INodeFile file, int from) {
        BlockInfo[] all = file.getBlocks();
        BlockStoragePolicy policy = file.isStriped() || file.isUnderConstruction() || all == null || from >= all.length
                ? null
                : blocks.getStoragePolicy(file.getStoragePolicyID());
        if (policy == null || all == null) {
            return 0;
        }
        List<StorageType> wanted = policy.chooseStorageTypes(file.getPreferredBlockReplication());
        List<StorageTier> tiers = new ArrayList<>();
        for (StorageType type : wanted) {
            StorageTier tier = BlockPlaces.tier(type);
            if (tier == null) {
                return 0;
            }
            tiers.add(tier);
        }
        int began = looked();
        for (int i = from; i < all.length; i++) {
            if (isOver() && looked() > began) {
                return i;
            }
            count();
            if (isOff(all[i], wanted)) {
                Placed placed = BlockPlaces.of(namesystem, annotations, all[i].getBlockId());
                if (placed != null) {
                    off.add(new Home(placed, policy.getName(), tiers));
                }
            }
        }
        return 0;
    }

    private static boolean isOff(BlockInfo block, List<StorageType> wanted) {
        List<StorageType> free = new ArrayList<>(wanted);
        for (Iterator<DatanodeStorageInfo> i = block.getStorageInfos(); i.hasNext(); ) {
            if (!free.remove(i.next().getStorageType())) {
                return true;
            }
        }
        return false;
    }
}
