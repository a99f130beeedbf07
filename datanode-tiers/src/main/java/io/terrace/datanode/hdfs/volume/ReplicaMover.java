package io.terrace.datanode.hdfs.volume;

import io.terrace.common.BlockKey;
import io.terrace.common.BlockVersion;
import io.terrace.common.StorageTier;
import io.terrace.datanode.replica.CorruptReplicaException;
import io.terrace.datanode.replica.VerifiedCopy;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.MoveResult;
import java.io.File;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.util.Locale;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.BlockType;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.ReplicaState;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.ReplicaAlreadyExistsException;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.ReplicaNotFoundException;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeReference;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FsVolumeImpl;
import org.apache.hadoop.util.DiskChecker.DiskOutOfSpaceException;
import org.apache.hadoop.util.functional.CallableRaisingIOE;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves finalised replicas to volumes of another tier of this DataNode, each by a {@link VolumeMove}. Stock chooses the
 * volume. Thread-safe.
 *
 * <p>Not moved: parts of erasure-coded blocks, replicas that are open, on RAM_DISK or PROVIDED storage; and none where two
 * copies would stay after a crash ({@code dfs.datanode.duplicate.replica.deletion=false}) or deleted files are kept (a
 * rolling upgrade).
 */
public final class ReplicaMover {

    private static final Logger LOG = LoggerFactory.getLogger(ReplicaMover.class);

    private final DataNode datanode;
    private final MovableDataset dataset;
    private final boolean duplicatesAreRemoved;
    private final MovesInProgress moves = new MovesInProgress();
    private final OpenBarrier barrier = new OpenBarrier();
    private final MoveGuard guard = new MoveGuard();
    private volatile Consumer<MoveStep> onStep = step -> {};

    /** Moves replicas of this dataset. */
    public ReplicaMover(DataNode datanode, MovableDataset dataset, Configuration conf) {
        this.datanode = datanode;
        this.dataset = dataset;
        this.duplicatesAreRemoved = removesDuplicates(conf);
    }

    /** Whether a DataNode that starts keeps one of two copies of a block, as it must where replicas are moved. */
    public static boolean removesDuplicates(Configuration conf) {
        return conf.getBoolean(
                DFSConfigKeys.DFS_DATANODE_DUPLICATE_REPLICA_DELETION,
                DFSConfigKeys.DFS_DATANODE_DUPLICATE_REPLICA_DELETION_DEFAULT);
    }

    /** The blocks that are being moved. */
    public MovesInProgress moves() {
        return moves;
    }

    /** To be held while a replica is looked up and its files are opened. */
    public OpenBarrier barrier() {
        return barrier;
    }

    /**
     * Moves a replica to the volume that stock chose: as a step of the calling thread's {@link #move}, or by stock's own
     * means if Mover, Satisfier or DiskBalancer asked. A move of ours ends before one of theirs begins.
     *
     * @param link whether both volumes are on one mount
     * @param stock moves it by stock's means
     */
    public ReplicaInfo moveTo(
            ExtendedBlock block,
            ReplicaInfo replica,
            FsVolumeReference target,
            boolean link,
            CallableRaisingIOE<ReplicaInfo> stock)
            throws IOException {
        String pool = block.getBlockPoolId();
        MovesInProgress.Steps ours = moves.mine(pool, block.getBlockId());
        if (ours != null) {
            return ours.to(replica, target, link);
        }
        boolean kept = MoveGuard.isMarked(replica);
        try (MovesInProgress.Move ignored = moves.beginStock(pool, block.getBlockId())) {
            if (dataset.replica(pool, block.getBlockId()) != replica) {
                throw new ReplicaNotFoundException(block);
            }
            if (replica.getStorageUuid().equals(target.getVolume().getStorageID())) {
                // Stock renames the replica over itself and then deletes it.
                throw new ReplicaAlreadyExistsException(replica + " is on " + target.getVolume() + " already");
            }
            ReplicaInfo moved = stock.apply();
            // Stock answers with the replica as it was before it was finalised.
            ReplicaInfo now = dataset.replica(pool, block.getBlockId());
            if (kept && now != null) {
                MoveGuard.mark(now, true);
            }
            return moved;
        }
    }

    /**
     * From now on others who move are refused what a range of tiers keeps.
     *
     * @param onRefusal told of each refusal; null: nobody is refused anything
     */
    public void guard(@Nullable Runnable onRefusal) {
        guard.set(onRefusal);
    }

    /** Notes whether a range of tiers keeps the replica where it is. */
    public void keep(BlockVersion block, boolean kept) {
        ReplicaInfo replica = dataset.replica(block.key().pool(), block.key().blockId());
        if (replica != null && isSame(replica, block)) {
            MoveGuard.mark(replica, kept);
        }
    }

    /** Whether others may not move the replica to another DataNode. */
    public boolean isPinned(ExtendedBlock block) {
        return guard.refuses(dataset.replica(block.getBlockPoolId(), block.getBlockId()));
    }

    /** Refuses Mover and Satisfier a move within this DataNode; moves of ours pass. */
    public void checkMayMove(ExtendedBlock block) throws IOException {
        String pool = block.getBlockPoolId();
        if (moves.mine(pool, block.getBlockId()) == null) {
            guard.check(block, dataset.replica(pool, block.getBlockId()));
        }
    }

    /**
     * Removes a meta file that the directory scanner found without its data file, where the replica is whole on another
     * volume: a crash left it amid a move. Stock removes such a file only if it has no replica of the block at all. The caller
     * holds the lock of the file's directory.
     */
    public void removeLoneMeta(String pool, FsVolumeSpi.ScanInfo found) {
        File meta = found.getMetaFile();
        ReplicaInfo replica = dataset.replica(pool, found.getBlockId());
        if (meta == null
                || replica == null
                || replica.getState() != ReplicaState.FINALIZED
                || replica.getStorageUuid().equals(found.getVolume().getStorageID())
                || new File(meta.getParentFile(), Block.BLOCK_FILE_PREFIX + found.getBlockId()).exists()
                || !replica.blockDataExists()
                || !replica.metadataExists()) {
            return;
        }
        long metaBytes = meta.length();
        if (meta.delete()) {
            LOG.info("Removed {}, which a crash left: the replica is on {}", meta, replica.getVolume());
            dataset.removed(found.getVolume(), pool, -1, metaBytes);
        }
    }

    /** Is told, on the mover's thread, how far each move has come: for tests, which fail or change something there. */
    public void onStep(Consumer<MoveStep> listener) {
        onStep = listener;
    }

    /**
     * Moves the replica, unless it is there already.
     *
     * @param copier of the calling thread; at whose rate bytes are moved
     * @param stillWanted asked again and again until the new place is known
     * @return with the tier where the replica is, if it is here
     */
    public MoveResult move(BlockVersion block, StorageTier to, VerifiedCopy copier, BooleanSupplier stillWanted) {
        MoveResult result = run(block, to, copier, stillWanted);
        ReplicaInfo now = dataset.replica(block.key().pool(), block.key().blockId());
        FsVolumeSpi volume = now == null ? null : now.getVolume();
        return volume == null ? result : result.in(StorageTiers.of(volume.getStorageType()));
    }

    private MoveResult run(BlockVersion block, StorageTier to, VerifiedCopy copier, BooleanSupplier stillWanted) {
        BlockKey key = block.key();
        long startNs = System.nanoTime();
        try (MovesInProgress.Move move = moves.begin(key.pool(), key.blockId())) {
            if (move == null) {
                return refused("the block is being moved between volumes already");
            }
            StorageType type = StorageTiers.volumesOf(to);
            if (type == null) {
                return refused("memory is no volume: order a promotion");
            }
            MoveResult without = without(block, type, to);
            if (without != null) {
                return without;
            }
            ExtendedBlock extended =
                    new ExtendedBlock(key.pool(), new Block(key.blockId(), block.lengthBytes(), key.generationStamp()));
            move.steps((replica, target, link) -> new VolumeMove<>(
                            new DatasetMoveStorage(datanode, dataset, barrier, target, onStep),
                            move,
                            block,
                            copier,
                            stillWanted)
                    .to(replica, (FsVolumeImpl) target.getVolume(), link));
            try {
                dataset.chooseAndMove(extended, type);
                return new MoveResult(MoveOutcome.DONE, block.lengthBytes(), System.nanoTime() - startNs, "");
            } catch (IOException e) {
                return failed(block, to, e);
            }
        }
    }

    /** The result of a move that needs, or may have, no beginning; null to begin. */
    private @Nullable MoveResult without(BlockVersion block, StorageType type, StorageTier to) {
        BlockKey key = block.key();
        if (!duplicatesAreRemoved) {
            return refused(DFSConfigKeys.DFS_DATANODE_DUPLICATE_REPLICA_DELETION
                    + " is false, so two copies would stay after a crash; set it to true");
        }
        if (dataset.keepsDeletedFiles(key.pool())) {
            return refused("a rolling upgrade is under way");
        }
        if (BlockType.fromBlockId(key.blockId()) == BlockType.STRIPED) {
            return refused("parts of erasure-coded blocks are not moved");
        }
        ReplicaInfo replica = dataset.replica(key.pool(), key.blockId());
        if (replica == null || replica.getVolume() == null) {
            return MoveResult.of(MoveOutcome.NOT_HERE, "no replica of " + key);
        }
        if (replica.getState() != ReplicaState.FINALIZED) {
            return refused("the replica is open: " + replica.getState());
        }
        if (replica.getGenerationStamp() != key.generationStamp() || replica.getNumBytes() != block.lengthBytes()) {
            return MoveResult.of(
                    MoveOutcome.NOT_HERE,
                    "the replica here has stamp " + replica.getGenerationStamp() + " and " + replica.getNumBytes()
                            + " bytes");
        }
        StorageType from = replica.getVolume().getStorageType();
        if (replica.getVolume().isTransientStorage() || from == StorageType.PROVIDED) {
            return refused("replicas on " + from + " are not moved");
        }
        if (from == type) {
            return MoveResult.of(MoveOutcome.DONE, "already on " + name(to));
        }
        return hasVolumes(type) ? null : refused("this DataNode has no volume of " + name(to) + " (" + type + ")");
    }

    private boolean hasVolumes(StorageType type) {
        try (FsDatasetSpi.FsVolumeReferences volumes = dataset.dataset().getFsVolumeReferences()) {
            for (FsVolumeSpi volume : volumes) {
                if (volume.getStorageType() == type) {
                    return true;
                }
            }
        } catch (IOException e) {
            LOG.debug("Releasing volumes", e);
        }
        return false;
    }

    private MoveResult failed(BlockVersion block, StorageTier to, IOException cause) {
        String message = String.valueOf(cause.getMessage());
        if (cause instanceof MoveException known) {
            return MoveResult.of(known.outcome(), message);
        }
        if (cause instanceof DiskOutOfSpaceException) {
            return MoveResult.of(MoveOutcome.NO_ROOM, "no volume of " + name(to) + " has room: " + message);
        }
        if (cause instanceof ClosedByInterruptException
                || Thread.currentThread().isInterrupted()) {
            return refused("shutting down");
        }
        ReplicaInfo now = dataset.replica(block.key().pool(), block.key().blockId());
        if (now == null || !isSame(now, block) || cause instanceof ReplicaNotFoundException) {
            return MoveResult.of(MoveOutcome.CHANGED, "the replica changed while it was moved");
        }
        if (cause instanceof CorruptReplicaException) {
            LOG.warn("The replica of {} is corrupt and is reported: {}", block.key(), message);
            reportCorrupt(block, now);
            return MoveResult.of(MoveOutcome.CORRUPT, message);
        }
        LOG.warn("Cannot move {} to {}", block.key(), name(to), cause);
        return MoveResult.of(MoveOutcome.FAILED, message);
    }

    private static boolean isSame(ReplicaInfo replica, BlockVersion block) {
        return replica.getState() == ReplicaState.FINALIZED
                && replica.getGenerationStamp() == block.key().generationStamp()
                && replica.getNumBytes() == block.lengthBytes();
    }

    private void reportCorrupt(BlockVersion block, ReplicaInfo replica) {
        try {
            datanode.reportBadBlocks(new ExtendedBlock(block.key().pool(), replica), replica.getVolume());
        } catch (IOException e) {
            LOG.warn("Cannot report the corrupt replica of {}", block.key(), e);
        }
    }

    private static String name(StorageTier tier) {
        return tier.name().toLowerCase(Locale.ROOT);
    }

    private static MoveResult refused(String reason) {
        return MoveResult.of(MoveOutcome.REFUSED, reason);
    }
}
