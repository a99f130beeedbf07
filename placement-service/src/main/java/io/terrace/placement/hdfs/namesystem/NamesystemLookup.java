package io.terrace.placement.hdfs.namesystem;

import io.terrace.common.StorageTier;
import io.terrace.placement.policyfile.PathAnnotations;
import io.terrace.placement.state.NamespaceView.Named;
import io.terrace.protocol.StampedBlock;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.BlockStoragePolicy;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockInfo;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockUnderConstructionFeature;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeDescriptor;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeStorageInfo;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;
import org.apache.hadoop.hdfs.server.namenode.FileUnderConstructionFeature;
import org.apache.hadoop.hdfs.server.namenode.INode;
import org.apache.hadoop.hdfs.server.namenode.INodeFile;
import org.apache.hadoop.hdfs.server.namenode.TerraceReadCheck;
import org.jspecify.annotations.Nullable;

/**
 * Looks up paths and blocks for {@code placementctl}, through the same bounded and accounted lock holds as the loop.
 * Rights are the caller's business. Thread-safe.
 */
public final class NamesystemLookup {

    private final FSNamesystem namesystem;
    private final NamesystemView view;

    public NamesystemLookup(FSNamesystem namesystem, NamesystemView view) {
        this.namesystem = namesystem;
        this.view = view;
    }

    /** A file; {@code open} for write, {@code storagePolicy} is the effective one, {@code above} the directories above it, the nearest first. */
    public record FileFacts(
            long inode,
            String path,
            long lengthBytes,
            int blocks,
            boolean striped,
            boolean open,
            String storagePolicy,
            PathAnnotations annotations,
            List<Long> above) {}

    /** A replica as the NameNode has it. */
    public record ReplicaFacts(String node, String name, String storageType) {}

    /** A block as the NameNode has it; {@code state} is complete, under_construction, erasure_coded or gone. */
    public record BlockFacts(StampedBlock block, long inode, String state, List<ReplicaFacts> replicas) {}

    /** A file or directory, with its annotations and those of all directories above it. */
    public record Annotated(Named inode, PathAnnotations annotations) {}

    /**
     * What holds at a path; through a snapshot, what holds now for the same file or directory.
     *
     * @throws FileNotFoundException when nothing is there, or only in a snapshot
     */
    public Annotated annotated(String path) throws FileNotFoundException {
        Annotated found = view.locked(NamesystemLock.FS, "terraceAnnotations", 0, () -> {
            INode inode = PathLookup.at(namesystem.getFSDirectory(), path);
            String present = inode == null ? "" : inode.getFullPathName();
            return inode == null || !TerraceReadCheck.isPath(present)
                    ? null
                    : new Annotated(new Named(inode.getId(), present), view.annotationsOf(inode));
        });
        if (found == null) {
            throw new FileNotFoundException(path + " is not there; name a present file or directory");
        }
        return found;
    }

    /** @throws FileNotFoundException when the path names no file */
    public FileFacts file(String path) throws IOException {
        FileFacts facts = view.locked(NamesystemLock.FS, "terraceFile", 0, () -> {
            INode inode = PathLookup.at(namesystem.getFSDirectory(), path);
            return inode == null || !inode.isFile() ? null : facts(inode.asFile());
        });
        if (facts == null) {
            throw new FileNotFoundException(path + " is no file");
        }
        return facts;
    }

    /**
     * What holds for new files below a directory.
     *
     * @param name of the storage policy
     * @param tiers of its types; those without a tier are left out
     */
    public record PolicyBelow(String name, List<StorageTier> tiers) {}

    /** The storage policies of directories or files, in one hold of the lock; null where nothing is there. */
    public List<@Nullable PolicyBelow> policies(List<String> paths) {
        return view.locked(NamesystemLock.FS, "terracePolicyBelow", paths.size(), () -> {
            List<@Nullable PolicyBelow> policies = new ArrayList<>();
            for (String path : paths) {
                policies.add(policy(path));
            }
            return policies;
        });
    }

    private @Nullable PolicyBelow policy(String path) {
        INode inode = PathLookup.at(namesystem.getFSDirectory(), path);
        BlockStoragePolicy policy =
                inode == null ? null : namesystem.getBlockManager().getStoragePolicy(inode.getStoragePolicyID());
        return policy == null ? null : new PolicyBelow(policy.getName(), BlockPlaces.tiers(policy));
    }

    private FileFacts facts(INodeFile file) {
        BlockStoragePolicy policy = namesystem.getBlockManager().getStoragePolicy(file.getStoragePolicyID());
        return new FileFacts(
                file.getId(),
                file.getFullPathName(),
                file.computeFileSize(),
                file.numBlocks(),
                file.isStriped(),
                file.isUnderConstruction(),
                policy == null ? "" : policy.getName(),
                view.annotationsOf(file),
                above(file));
    }

    private static List<Long> above(INode inode) {
        List<Long> ids = new ArrayList<>();
        for (INode parent = inode.getParent(); parent != null; parent = parent.getParent()) {
            ids.add(parent.getId());
        }
        return ids;
    }

    /** A file by its id, though a snapshot alone may still have it; null when it is gone. */
    @Nullable
    public FileFacts file(long inode) {
        return view.locked(NamesystemLock.FS, "terraceFile", 0, () -> {
            INode file = namesystem.getFSDirectory().getInode(inode);
            return file == null || !file.isFile() ? null : facts(file.asFile());
        });
    }

    /**
     * A file or directory as it is now.
     *
     * @param under the directories above it, by inode id
     */
    public record Present(long inode, String path, boolean directory, List<Long> under) {}

    /** What is at a path now; null where nothing is, or only a snapshot has it. */
    public @Nullable Present present(String path) {
        return view.locked(NamesystemLock.FS, "terracePresent", 0, () -> {
            INode inode = PathLookup.at(namesystem.getFSDirectory(), path);
            if (inode == null || !(inode.isFile() || inode.isDirectory()) || !path.equals(pathOf(inode.getId()))) {
                return null;
            }
            return new Present(inode.getId(), path, inode.isDirectory(), above(inode));
        });
    }

    /** Those of these files and directories that have no path any more: deleted ones, though a snapshot may still have them. */
    public Set<Long> gone(Collection<Long> inodes) {
        Set<Long> gone = new HashSet<>(inodes);
        gone.removeAll(paths(inodes).keySet());
        return gone;
    }

    /** The paths of these files and directories by inode, without those that are gone. */
    public Map<Long, String> paths(Collection<Long> inodes) {
        List<Long> all = List.copyOf(inodes);
        Map<Long, String> paths = new HashMap<>();
        for (int from = 0; from < all.size(); from += view.lockBlocks()) {
            List<Long> some = all.subList(from, Math.min(all.size(), from + view.lockBlocks()));
            view.locked(NamesystemLock.FS, "terracePaths", some.size(), () -> {
                for (long inode : some) {
                    String path = pathOf(inode);
                    if (path != null) {
                        paths.put(inode, path);
                    }
                }
                return paths;
            });
        }
        return paths;
    }

    /** Null when it is gone, though a snapshot may still have it. */
    private @Nullable String pathOf(long inode) {
        INode file = namesystem.getFSDirectory().getInode(inode);
        if (file == null) {
            return null;
        }
        String path = file.getFullPathName();
        if (!TerraceReadCheck.isPath(path)) {
            return null;
        }
        INode there = PathLookup.at(namesystem.getFSDirectory(), path);
        return there != null && there.getId() == inode ? path : null;
    }

    public BlockFacts block(long blockId) {
        return view.locked(NamesystemLock.BM, "terraceBlock", 1, () -> {
            BlockInfo stored = namesystem.getBlockManager().getStoredBlock(new Block(blockId));
            return stored == null
                    ? new BlockFacts(new StampedBlock(blockId, 0, 0), -1, "gone", List.of())
                    : facts(stored);
        });
    }

    /**
     * A file that is open for write.
     *
     * @param client the holder of its lease
     * @param host that the NameNode saw it create the file or append to it from
     */
    public record Writing(String client, String host, int completeBlocks, int openBlocks) {}

    /** Null when the file is closed by now, or gone. */
    public @Nullable Writing writing(long inode) {
        return view.locked(NamesystemLock.GLOBAL, "terraceWriting", 1, () -> {
            INode found = namesystem.getFSDirectory().getInode(inode);
            if (found == null || !found.isFile() || !found.asFile().isUnderConstruction()) {
                return null;
            }
            INodeFile file = found.asFile();
            FileUnderConstructionFeature lease = file.getFileUnderConstructionFeature();
            int open = openBlocks(file);
            return new Writing(lease.getClientName(), lease.getClientMachine(), file.numBlocks() - open, open);
        });
    }

    /** Blocks at the file's end that are not complete; those before them are. */
    private int openBlocks(INodeFile file) {
        BlockInfo[] blocks = file.getBlocks();
        int most = Math.min(blocks.length, view.lockBlocks());
        int open = 0;
        while (open < most && !blocks[blocks.length - 1 - open].isComplete()) {
            open++;
        }
        return open;
    }

    /**
     * The first blocks of a file, at most {@code most} and at most one look's worth. Of one that is open for write, the last of
     * these are those that are not complete.
     */
    public List<BlockFacts> blocks(long inode, int most) {
        int limit = Math.min(most, view.lockBlocks());
        return view.locked(NamesystemLock.GLOBAL, "terraceBlocks", limit, () -> {
            INode file = namesystem.getFSDirectory().getInode(inode);
            List<BlockFacts> found = new ArrayList<>();
            if (file != null && file.isFile()) {
                BlockInfo[] blocks = file.asFile().getBlocks();
                int shown = Math.min(limit, blocks.length);
                int open = file.asFile().isUnderConstruction() ? Math.min(shown, openBlocks(file.asFile())) : 0;
                for (int i = 0; i < shown; i++) {
                    found.add(facts(blocks[i < shown - open ? i : blocks.length - shown + i]));
                }
            }
            return found;
        });
    }

    /** The ids of the first blocks of a file, at most {@code most}, a bounded number of them in each look. */
    public List<Long> blockIds(long inode, int most) {
        List<Long> ids = new ArrayList<>();
        boolean more = true;
        while (more) {
            int from = ids.size();
            int limit = Math.min(most - from, view.lockBlocks());
            List<Long> found = view.locked(NamesystemLock.GLOBAL, "terraceBlockIds", limit, () -> {
                INode file = namesystem.getFSDirectory().getInode(inode);
                BlockInfo[] blocks =
                        file != null && file.isFile() ? file.asFile().getBlocks() : new BlockInfo[0];
                List<Long> some = new ArrayList<>();
                for (int i = from; i < Math.min(from + limit, blocks.length); i++) {
                    some.add(blocks[i].getBlockId());
                }
                return some;
            });
            ids.addAll(found);
            more = found.size() == view.lockBlocks() && ids.size() < most;
        }
        return ids;
    }

    /** Of a block that is being written, where it is written. */
    private static Iterator<DatanodeStorageInfo> storages(BlockInfo stored) {
        BlockUnderConstructionFeature written = stored.getUnderConstructionFeature();
        return written == null
                ? stored.getStorageInfos()
                : List.of(written.getExpectedStorageLocations()).iterator();
    }

    private static BlockFacts facts(BlockInfo stored) {
        List<ReplicaFacts> replicas = new ArrayList<>();
        for (Iterator<DatanodeStorageInfo> i = storages(stored); i.hasNext(); ) {
            DatanodeStorageInfo storage = i.next();
            DatanodeDescriptor node = storage.getDatanodeDescriptor();
            replicas.add(new ReplicaFacts(
                    node.getDatanodeUuid(), name(node), storage.getStorageType().name()));
        }
        String state = stored.isStriped() ? "erasure_coded" : stored.isComplete() ? "complete" : "under_construction";
        return new BlockFacts(FileBlocks.stamped(stored), stored.getBlockCollectionId(), state, replicas);
    }

    /** The name that operators know a DataNode by. */
    public static String name(DatanodeDescriptor node) {
        return node.getHostName() + ":" + node.getXferPort();
    }
}
