package io.terrace.placement.hdfs.namesystem;

import io.terrace.common.StorageTier;
import io.terrace.placement.state.NamespaceView.Home;
import io.terrace.placement.state.NamespaceView.Placed;
import io.terrace.placement.state.PolicyGaps.Position;
import io.terrace.placement.state.PolicyGaps.Slice;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DFSUtil;
import org.apache.hadoop.hdfs.protocol.BlockStoragePolicy;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockInfo;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManager;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeStorageInfo;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;
import org.apache.hadoop.hdfs.server.namenode.INode;
import org.apache.hadoop.hdfs.server.namenode.INodeDirectory;
import org.apache.hadoop.hdfs.server.namenode.INodeFile;
import org.apache.hadoop.hdfs.server.namenode.snapshot.Snapshot;
import org.apache.hadoop.hdfs.util.ReadOnlyList;
import org.jspecify.annotations.Nullable;

/**
 * A bounded part of a walk through a directory as it is now, for blocks that are off the storage policy of their file. Files
 * that are written, erasure-coded or only in a snapshot are left out, and those whose policy wants RAM_DISK or PROVIDED
 * storage. The caller holds the read lock.
 */
final class DirectoryWalk {

    private final FSNamesystem namesystem;
    private final BlockManager blocks;
    private final AnnotationReader annotations;
    private final int most;
    private final Deque<Frame> stack = new ArrayDeque<>();
    private final Deque<String> names = new ArrayDeque<>();
    private final List<Home> off = new ArrayList<>();
    private int looked;
    private int firstBlock;

    private static final class Frame {
        private final ReadOnlyList<INode> children;
        private int next;

        private Frame(INodeDirectory directory) {
            children = directory.getChildrenList(Snapshot.CURRENT_STATE_ID);
        }
    }

    /** @param most files, directories and blocks to look at */
    DirectoryWalk(FSNamesystem namesystem, AnnotationReader annotations, int most) {
        this.namesystem = namesystem;
        this.blocks = namesystem.getBlockManager();
        this.annotations = annotations;
        this.most = most;
    }

    Slice walk(INode root, @Nullable Position from) {
        if (root.isFile()) {
            int block = look(root.asFile(), from == null ? 0 : from.block());
            return slice(block > 0 ? new Position(List.of(), block) : null);
        }
        if (!root.isDirectory()) {
            return slice(null);
        }
        stack.push(new Frame(root.asDirectory()));
        if (from != null) {
            seek(from);
        }
        while (looked < most) {
            Frame top = stack.peek();
            if (top == null) {
                return slice(null);
            }
            if (top.next >= top.children.size()) {
                stack.pop();
                names.pollLast();
                continue;
            }
            INode child = top.children.get(top.next++);
            looked++;
            names.addLast(child.getLocalName());
            if (child.isDirectory()) {
                stack.push(new Frame(child.asDirectory()));
                continue;
            }
            int block = child.isFile() ? look(child.asFile(), firstBlock) : 0;
            firstBlock = 0;
            if (block > 0 || looked >= most) {
                return slice(new Position(List.copyOf(names), block));
            }
            names.removeLast();
        }
        return slice(new Position(List.copyOf(names), 0));
    }

    /** Goes to where the last part ended, or behind where that was. */
    private void seek(Position from) {
        for (int i = 0; i < from.names().size(); i++) {
            Frame top = stack.element();
            String name = from.names().get(i);
            int index = ReadOnlyList.Util.binarySearch(top.children, DFSUtil.string2Bytes(name));
            if (index < 0) {
                top.next = -index - 1;
                return;
            }
            INode child = top.children.get(index);
            boolean last = i == from.names().size() - 1;
            if (child.isDirectory()) {
                top.next = index + 1;
                names.addLast(name);
                stack.push(new Frame(child.asDirectory()));
            } else {
                boolean unfinished = last && from.block() > 0;
                top.next = unfinished || !last ? index : index + 1;
                firstBlock = unfinished ? from.block() : 0;
                return;
            }
        }
    }

    private Slice slice(@Nullable Position next) {
        return new Slice(off, looked, 0, next);
    }

    /** @return index of the block to go on with; 0 if the file is done */
    private int look(INodeFile file, int from) {
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
        int began = looked;
        for (int i = from; i < all.length; i++) {
            if (looked >= most && looked > began) {
                return i;
            }
            looked++;
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
