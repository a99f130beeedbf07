package io.terrace.placement.hdfs.namesystem;

import io.terrace.common.StorageTier;
import io.terrace.common.TokenBucket;
import io.terrace.common.TokenBucket.Accrual;
import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.policyfile.PathAnnotations;
import io.terrace.placement.state.NamespaceView;
import io.terrace.placement.state.PolicyGaps;
import io.terrace.placement.state.PolicyGaps.Position;
import io.terrace.protocol.StampedBlock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockInfo;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManager;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeDescriptor;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeManager;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;
import org.apache.hadoop.hdfs.server.namenode.INode;
import org.apache.hadoop.util.Time;
import org.jspecify.annotations.Nullable;

/**
 * The NameNode's maps, read under its read lock for at most so many blocks at a time. How often and how long the lock
 * was held is in the figures. Thread-safe.
 */
public final class NamesystemView implements NamespaceView {

    /** All blocks with heat are looked at again so often without a pause, then every 10 s: attributes may change all the time. */
    private static final int NEW_VERSIONS = 6;

    private final FSNamesystem namesystem;
    private final FileBlocks files;
    private final BlockPrefetch blockPrefetch;
    private final LockHolds lockHolds;
    private final Asker asker;
    private final int lockBlocks;
    private final AnnotationChanges annotationChanges;
    private final AnnotationReader annotations;
    private final TokenBucket newVersions;
    private final PolicyGaps policyGaps;
    private final AtomicLong annotationsVersion;

    /** A view for which nothing is kept over a restart. */
    public NamesystemView(FSNamesystem namesystem, MetricRegistry metricRegistry, int lockBlocks) {
        this(namesystem, metricRegistry, lockBlocks, SatisfiedInodes.none());
    }

    public NamesystemView(
            FSNamesystem namesystem, MetricRegistry metricRegistry, int lockBlocks, SatisfiedInodes satisfied) {
        this.namesystem = namesystem;
        this.files = new FileBlocks(namesystem);
        this.blockPrefetch = new BlockPrefetch();
        this.lockHolds = new LockHolds(metricRegistry);
        this.asker = Asker.OTHERS;
        this.lockBlocks = lockBlocks;
        this.annotationChanges = AnnotationAuditLogger.changesOf(namesystem);
        this.annotations = new AnnotationReader(annotationChanges::annotated, Time::monotonicNow);
        this.policyGaps = new NamesystemPolicyGaps(namesystem, this, annotations, annotationChanges, satisfied);
        this.newVersions = new TokenBucket(0.1, NEW_VERSIONS, Accrual.CAPPED, TimeUnit.NANOSECONDS, System.nanoTime());
        this.annotationsVersion = new AtomicLong();
    }

    private NamesystemView(NamesystemView view, Asker asker) {
        this.namesystem = view.namesystem;
        this.files = view.files;
        this.blockPrefetch = view.blockPrefetch;
        this.lockHolds = view.lockHolds;
        this.asker = asker;
        this.lockBlocks = view.lockBlocks;
        this.annotationChanges = view.annotationChanges;
        this.annotations = view.annotations;
        this.newVersions = view.newVersions;
        this.policyGaps = view.policyGaps;
        this.annotationsVersion = view.annotationsVersion;
    }

    @Override
    public NamespaceView askedBy(Asker other) {
        return new NamesystemView(this, other);
    }

    /** Runs one bounded look under the read lock and accounts for it. */
    public <T> T locked(NamesystemLock mode, String name, int blocks, Supplier<T> look) {
        return locked(asker, mode, name, blocks, look);
    }

    /** As above, for that asker. */
    <T> T locked(Asker by, NamesystemLock mode, String name, int blocks, Supplier<T> look) {
        mode.readLock(namesystem);
        long beganNs = System.nanoTime();
        try {
            return look.get();
        } finally {
            long tookNs = System.nanoTime() - beganNs;
            mode.readUnlock(namesystem, name);
            lockHolds.held(by, blocks, tookNs);
        }
    }

    @Override
    public boolean mayLook() {
        return lockHolds.mayLook(asker);
    }

    @Override
    public int lockBlocks() {
        return lockBlocks;
    }

    private void checkCount(int blocks) {
        if (blocks > lockBlocks) {
            throw new IllegalArgumentException(blocks + " blocks in one look, at most " + lockBlocks);
        }
    }

    @Override
    public List<Verdict> examine(List<Candidate> candidates) {
        checkCount(candidates.size());
        if (namesystem.isInSafeMode()) {
            return Collections.nCopies(candidates.size(), Verdict.UNKNOWN);
        }
        BlockManager blocks = namesystem.getBlockManager();
        DatanodeManager dataNodes = blocks.getDatanodeManager();
        List<@Nullable DatanodeDescriptor> asked = new ArrayList<>(candidates.size());
        for (Candidate candidate : candidates) {
            asked.add(dataNodes.getDatanode(candidate.node()));
        }
        blockPrefetch.prefetch(
                blocks, candidates.stream().map(each -> each.block().id()).iterator());
        return locked(NamesystemLock.BM, "terraceExamine", candidates.size(), () -> {
            List<Verdict> verdicts = new ArrayList<>(candidates.size());
            long lastId = 0;
            BlockInfo last = null;
            for (int i = 0; i < candidates.size(); i++) {
                StampedBlock block = candidates.get(i).block();
                // The DataNodes of one block are asked about one after another.
                if (last == null || lastId != block.id()) {
                    lastId = block.id();
                    last = blocks.getStoredBlock(new Block(lastId));
                }
                verdicts.add(ReplicaVerdicts.of(blocks, last, block, asked.get(i)));
            }
            return verdicts;
        });
    }

    @Override
    public List<List<String>> holders(List<StampedBlock> asked) {
        checkCount(asked.size());
        if (namesystem.isInSafeMode()) {
            return List.of();
        }
        BlockManager blocks = namesystem.getBlockManager();
        blockPrefetch.prefetch(blocks, asked.stream().map(StampedBlock::id).iterator());
        return locked(NamesystemLock.BM, "terraceHolders", asked.size(), () -> {
            List<List<String>> holders = new ArrayList<>(asked.size());
            for (StampedBlock block : asked) {
                holders.add(BlockPlaces.holders(blocks, block));
            }
            return holders;
        });
    }

    @Override
    public List<@Nullable Named> names(List<Long> blocks) {
        checkCount(blocks.size());
        return locked(NamesystemLock.GLOBAL, "terraceNames", blocks.size(), () -> {
            List<@Nullable Named> names = new ArrayList<>(blocks.size());
            for (long id : blocks) {
                names.add(files.named(id, annotations));
            }
            return names;
        });
    }

    @Override
    public long annotationsVersion() {
        synchronized (annotationsVersion) {
            long nowNs = System.nanoTime();
            if (!annotationChanges.isEmpty()
                    && newVersions.isOpen(nowNs)
                    && annotationChanges.take(lockBlocks, this::areAnnotated)) {
                newVersions.charge(nowNs, 1);
                annotationsVersion.incrementAndGet();
            }
            return annotationsVersion.get();
        }
    }

    @Override
    public long writeAnnotationsVersion() {
        return annotationChanges.ofWritesVersion() + annotationsVersion.get();
    }

    @Override
    public List<AnnotatedDirectory> writeAnnotations(List<String> known, int most) {
        Set<String> paths = new LinkedHashSet<>(known);
        paths.addAll(annotationChanges.ofWrites(most));
        if (paths.isEmpty()) {
            return List.of();
        }
        return locked(NamesystemLock.FS, "terraceAnnotations", paths.size(), () -> {
            List<AnnotatedDirectory> directories = new ArrayList<>();
            for (String path : paths) {
                INode inode = PathLookup.at(namesystem.getFSDirectory(), path);
                if (directories.size() < most && inode != null && annotations.decidesOnWrites(inode)) {
                    directories.add(new AnnotatedDirectory(path, annotations.of(inode)));
                }
            }
            return directories;
        });
    }

    private boolean areAnnotated(List<String> paths) {
        return locked(NamesystemLock.FS, "terraceAnnotations", paths.size(), () -> paths.stream()
                .anyMatch(path -> {
                    INode inode = PathLookup.at(namesystem.getFSDirectory(), path);
                    return inode != null && annotations.hasOwn(inode);
                }));
    }

    /** The annotations of a file or directory and of all directories above it; to be called under the read lock. */
    PathAnnotations annotationsOf(INode inode) {
        return annotations.withPaths(inode);
    }

    @Override
    public List<@Nullable Placed> placed(List<Long> blocks) {
        checkCount(blocks.size());
        if (namesystem.isInSafeMode()) {
            return List.of();
        }
        return locked(NamesystemLock.GLOBAL, "terracePlaced", blocks.size(), () -> {
            List<@Nullable Placed> placed = new ArrayList<>(blocks.size());
            for (long id : blocks) {
                placed.add(BlockPlaces.of(namesystem, annotations, id));
            }
            return placed;
        });
    }

    @Override
    public List<@Nullable Home> homes(List<Long> blocks) {
        checkCount(blocks.size());
        if (namesystem.isInSafeMode()) {
            return List.of();
        }
        return locked(NamesystemLock.GLOBAL, "terraceHomes", blocks.size(), () -> {
            List<@Nullable Home> homes = new ArrayList<>(blocks.size());
            for (long id : blocks) {
                Placed placed = BlockPlaces.of(namesystem, annotations, id);
                homes.add(placed == null ? null : BlockPlaces.home(namesystem, placed));
            }
            return homes;
        });
    }

    @Override
    public PolicyGaps policyGaps() {
        return policyGaps;
    }

    @Override
    public @Nullable String stopsVolumeMoves() {
        if (namesystem.isRollingUpgrade()) {
            return "a rolling upgrade is under way";
        }
        return namesystem.isUpgradeFinalized() ? null : "an upgrade is not finalized";
    }

    @Override
    public @Nullable String leaving(String node) {
        DatanodeDescriptor found =
                namesystem.getBlockManager().getDatanodeManager().getDatanode(node);
        if (found == null || found.isInService()) {
            return null;
        }
        return found.isDecommissionInProgress() || found.isDecommissioned()
                ? "the DataNode is being decommissioned"
                : "the DataNode enters maintenance";
    }

    @Override
    public Map<StorageTier, VolumeSpace> volumes(String node) {
        DatanodeDescriptor found =
                namesystem.getBlockManager().getDatanodeManager().getDatanode(node);
        return found == null ? Map.of() : BlockPlaces.volumes(found);
    }

    @Override
    public long volumesAgeMs(String node) {
        DatanodeDescriptor found =
                namesystem.getBlockManager().getDatanodeManager().getDatanode(node);
        return found == null ? Long.MAX_VALUE : Math.max(0, Time.monotonicNow() - found.getLastUpdateMonotonic());
    }

    @Override
    public long lengthOf(long inode) {
        return locked(NamesystemLock.FS, "terraceLength", 0, () -> files.lengthOf(inode));
    }

    @Override
    public List<Located> blocksOf(Collection<Long> inodes, int limit) {
        List<Located> found = new ArrayList<>();
        for (long inode : inodes) {
            collect(inode, limit, false, found);
        }
        return found;
    }

    /** All blocks of a file, and those too that are being written or recovered. */
    public List<Located> allBlocksOf(long inode) {
        List<Located> found = new ArrayList<>();
        collect(inode, Integer.MAX_VALUE, true, found);
        return found;
    }

    private void collect(long inode, int limit, boolean incomplete, List<Located> found) {
        int next = 0;
        while (next >= 0 && found.size() < limit) {
            int from = next;
            int most = Math.min(lockBlocks, limit - found.size());
            next = locked(
                    NamesystemLock.GLOBAL,
                    "terraceBlocksOf",
                    most,
                    () -> files.collect(inode, from, most, incomplete, found));
        }
    }

    @Override
    public List<@Nullable FilePart> parts(List<Long> inodes, List<Integer> from, int most) {
        checkCount(inodes.size() * most);
        return locked(NamesystemLock.GLOBAL, "terraceParts", inodes.size() * most, () -> {
            List<@Nullable FilePart> parts = new ArrayList<>(inodes.size());
            for (int i = 0; i < inodes.size(); i++) {
                parts.add(files.part(inodes.get(i), from.get(i), most));
            }
            return parts;
        });
    }

    @Override
    public long blockCount(Collection<Long> inodes) {
        List<Long> all = List.copyOf(inodes);
        long count = 0;
        for (int from = 0; from < all.size(); from += lockBlocks) {
            List<Long> some = all.subList(from, Math.min(all.size(), from + lockBlocks));
            count += locked(NamesystemLock.FS, "terraceBlockCount", some.size(), () -> files.count(some));
        }
        return count;
    }

    @Override
    public @Nullable Below below(long directory, @Nullable Position from) {
        if (namesystem.isInSafeMode()) {
            return null;
        }
        return locked(NamesystemLock.GLOBAL, "terraceBelow", lockBlocks, () -> {
            INode root = namesystem.getFSDirectory().getInode(directory);
            if (root == null || !root.isDirectory()) {
                return new Below(List.of(), null);
            }
            BlocksBelowWalk walk = new BlocksBelowWalk(lockBlocks);
            Position next = walk.walk(root, from);
            return new Below(walk.blocks(), next);
        });
    }
}
