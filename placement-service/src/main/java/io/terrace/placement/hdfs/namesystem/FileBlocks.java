package io.terrace.placement.hdfs.namesystem;

import io.terrace.placement.state.NamespaceView.FilePart;
import io.terrace.placement.state.NamespaceView.Located;
import io.terrace.placement.state.NamespaceView.Named;
import io.terrace.protocol.StampedBlock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockInfo;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeStorageInfo;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;
import org.apache.hadoop.hdfs.server.namenode.INode;
import org.apache.hadoop.hdfs.server.namenode.INodeFile;
import org.apache.hadoop.hdfs.server.namenode.TerraceReadCheck;
import org.jspecify.annotations.Nullable;

/** Files and their blocks, by inode or by block. The caller holds the read lock. */
final class FileBlocks {

    private final FSNamesystem namesystem;

    FileBlocks(FSNamesystem namesystem) {
        this.namesystem = namesystem;
    }

    private @Nullable INodeFile file(long inode) {
        INode node = namesystem.getFSDirectory().getInode(inode);
        return node == null || !node.isFile() ? null : node.asFile();
    }

    /** The file of a block; null where the block is gone, or its file is at no path any more. */
    @Nullable
    Named named(long blockId, AnnotationReader annotations) {
        BlockInfo stored = namesystem.getBlockManager().getStoredBlock(new Block(blockId));
        INodeFile file = stored == null ? null : file(stored.getBlockCollectionId());
        String path = file == null ? "" : file.getFullPathName();
        return file == null || !TerraceReadCheck.isPath(path)
                ? null
                : new Named(file.getId(), path, annotations.of(file), inputBytes(file), begins(file, stored));
    }

    /** Without a look at each of its blocks; the last one may be shorter. */
    private static long inputBytes(INodeFile file) {
        return file.numBlocks() > 1 ? file.numBlocks() * file.getPreferredBlockSize() : 0;
    }

    private static boolean begins(INodeFile file, BlockInfo block) {
        return file.numBlocks() > 1 && !file.isStriped() && file.getBlocks()[0] == block;
    }

    /** The length of a file; -1 where there is none. */
    long lengthOf(long inode) {
        INodeFile file = file(inode);
        return file == null ? -1 : file.computeFileSize();
    }

    /** How many blocks these files have together. */
    long count(Collection<Long> inodes) {
        long count = 0;
        for (long inode : inodes) {
            INodeFile file = file(inode);
            count += file == null ? 0 : file.numBlocks();
        }
        return count;
    }

    /**
     * Collects the blocks of a file from an index on; says where to go on, or -1 at its end.
     *
     * @param incomplete whether those too that are being written or recovered
     */
    int collect(long inode, int from, int most, boolean incomplete, List<Located> found) {
        INodeFile file = file(inode);
        if (file == null || file.isStriped()) {
            return -1;
        }
        BlockInfo[] blocks = file.getBlocks();
        int end = Math.min(blocks.length, from + most);
        for (int i = from; i < end; i++) {
            BlockInfo block = blocks[i];
            if ((incomplete || block.isComplete()) && !block.isDeleted()) {
                found.add(located(block, inode));
            }
        }
        return end < blocks.length ? end : -1;
    }

    /** At most so many blocks of a file from an index on, null for each that is not complete; null for no such file. */
    @Nullable
    FilePart part(long inode, int from, int most) {
        INodeFile file = file(inode);
        if (file == null || file.isStriped()) {
            return null;
        }
        BlockInfo[] blocks = file.getBlocks();
        List<@Nullable Located> part = new ArrayList<>();
        for (int i = from; i < Math.min(blocks.length, from + most); i++) {
            part.add(blocks[i].isComplete() && !blocks[i].isDeleted() ? located(blocks[i], inode) : null);
        }
        return new FilePart(blocks.length, part);
    }

    static Located located(BlockInfo block, long inode) {
        List<String> holders = new ArrayList<>(block.getCapacity());
        for (Iterator<DatanodeStorageInfo> s = block.getStorageInfos(); s.hasNext(); ) {
            holders.add(s.next().getDatanodeDescriptor().getDatanodeUuid());
        }
        return new Located(stamped(block), inode, holders);
    }

    static StampedBlock stamped(BlockInfo block) {
        return new StampedBlock(block.getBlockId(), block.getGenerationStamp(), block.getNumBytes());
    }
}
