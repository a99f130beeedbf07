package io.terrace.datanode.hdfs.volume;

import io.terrace.common.BlockKey;
import io.terrace.common.BlockVersion;
import io.terrace.datanode.replica.VerifiedCopy;
import io.terrace.protocol.MoveOutcome;
import java.io.File;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.hadoop.hdfs.ExtendedBlockId;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.common.DataNodeLockManager.LockLevel;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.ReplicaState;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeLayoutSubLockStrategy;
import org.apache.hadoop.hdfs.server.datanode.DatanodeUtil;
import org.apache.hadoop.hdfs.server.datanode.FinalizedReplica;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeReference;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FsVolumeImpl;
import org.apache.hadoop.util.AutoCloseableLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One move of a finalised replica to another volume.
 *
 * <ol>
 *   <li>Reserve room on the target.
 *   <li>Copy both files to the target's temporary directory, verify every chunk, sync both.
 *   <li>Rename them to their final names, under the target's lock, and sync the directory. The map still has the old
 *       place.
 *   <li>Put the new place into the map and tell the NameNode, under the lock of the block pool. Nothing else that changes
 *       a replica, or looks for one to change, runs at that time.
 *   <li>Wait for those who looked up the old place and open its files late; remove these.
 * </ol>
 *
 * <p>Before each of the two locked steps the replica must be what it was: the same object, stamp, length and state, and
 * nothing vetoed the move meanwhile. Whatever fails before the new place is in the map removes the new files at once and
 * leaves the old ones. A crash leaves temporary files, which stock removes at its start, or two whole copies, of which
 * stock keeps one.
 */
final class VolumeMove {

    /** Longer than any open takes on a disk that works. */
    private static final long OPEN_WAIT_MS = 1_000;

    private static final Logger LOG = LoggerFactory.getLogger(VolumeMove.class);
    /** Guards the look at a volume's room and the reservation, of all moves. */
    private static final Object ROOM = new Object();

    private final DataNode datanode;
    private final MovableDataset dataset;
    private final OpenBarrier barrier;
    private final MovesInProgress.Move move;
    private final ExtendedBlock block;
    private final BlockVersion version;
    private final TargetFiles files;
    private final VerifiedCopy copier;
    private final BooleanSupplier stillWanted;
    private final Consumer<MoveStep> onStep;

    /** A move that stock has yet to choose the volume for. */
    VolumeMove(
            DataNode datanode,
            MovableDataset dataset,
            OpenBarrier barrier,
            MovesInProgress.Move move,
            ExtendedBlock block,
            BlockVersion version,
            VerifiedCopy copier,
            BooleanSupplier stillWanted,
            Consumer<MoveStep> onStep) {
        this.datanode = datanode;
        this.dataset = dataset;
        this.barrier = barrier;
        this.move = move;
        this.block = block;
        this.version = version;
        this.files = new TargetFiles(datanode, dataset, block, version, onStep);
        this.copier = copier;
        this.stillWanted = stillWanted;
        this.onStep = onStep;
    }

    /**
     * Moves the replica there, and says where it is then.
     *
     * @param target closed by the caller
     * @param link whether both volumes are on one mount, so that the files are linked and not copied
     * @throws IOException if the replica stays where it was
     */
    ReplicaInfo to(ReplicaInfo replica, FsVolumeReference target, boolean link) throws IOException {
        FsVolumeImpl volume = (FsVolumeImpl) target.getVolume();
        if (volume.getStorageID().equals(replica.getVolume().getStorageID())) {
            throw new MoveException(MoveOutcome.REFUSED, "the replica is on " + volume + " already");
        }
        // The volume does not go away before its files are removed.
        try (FsVolumeReference ignored = replica.getVolume().obtainReference()) {
            check(replica);
            long reserved = link ? 0 : reserve(volume, replica);
            ReplicaInfo temporary = null;
            try {
                onStep.accept(MoveStep.RESERVED);
                temporary = link
                        ? files.linked(replica, target)
                        : files.copied(replica, volume, copier, () -> {
                            check(replica);
                            checkStays(replica.getVolume());
                            checkStays(volume);
                        });
            } finally {
                if (temporary == null) {
                    volume.releaseReservedSpace(reserved);
                }
            }
            ReplicaInfo moved = renamed(replica, temporary, reserved);
            boolean published = false;
            try {
                onStep.accept(MoveStep.RENAMED);
                dataset.moved(version.key().pool(), version.key().blockId());
                publish(replica, moved);
                published = true;
            } finally {
                if (!published) {
                    abandon(moved);
                }
            }
            onStep.accept(MoveStep.PUBLISHED);
            removeOld(replica, moved);
            onStep.accept(MoveStep.REMOVED);
            return moved;
        }
    }

    private void check(ReplicaInfo replica) throws MoveException {
        String veto = move.veto();
        if (veto != null) {
            throw new MoveException(MoveOutcome.CHANGED, veto);
        }
        if (!stillWanted.getAsBoolean()) {
            throw new MoveException(MoveOutcome.REFUSED, "no longer wanted");
        }
        BlockKey key = version.key();
        boolean same = dataset.replica(key.pool(), key.blockId()) == replica
                && replica.getState() == ReplicaState.FINALIZED
                && replica.getGenerationStamp() == key.generationStamp()
                && replica.getNumBytes() == version.lengthBytes();
        if (!same) {
            throw new MoveException(MoveOutcome.CHANGED, "the replica changed while it was moved");
        }
    }

    /** Whoever removes a volume waits for moves, and the dataset for them. */
    private static void checkStays(FsVolumeSpi volume) throws IOException {
        try {
            volume.obtainReference().close();
        } catch (ClosedChannelException e) {
            throw new MoveException(MoveOutcome.FAILED, volume + " is being removed");
        }
    }

    private long reserve(FsVolumeImpl volume, ReplicaInfo replica) throws IOException {
        long bytes = version.lengthBytes() + replica.getMetadataLength();
        synchronized (ROOM) {
            if (volume.getAvailable() < bytes) {
                throw new MoveException(MoveOutcome.NO_ROOM, volume + " has no room for " + bytes + " bytes");
            }
            volume.reserveSpaceForReplica(bytes);
        }
        return bytes;
    }

    private ReplicaInfo renamed(ReplicaInfo replica, ReplicaInfo temporary, long reserved) throws IOException {
        FsVolumeImpl volume = (FsVolumeImpl) temporary.getVolume();
        String pool = version.key().pool();
        File directory = DatanodeUtil.idToBlockDir(
                volume.getFinalizedDir(pool), version.key().blockId());
        boolean newDirectory = !directory.exists();
        ReplicaInfo moved = null;
        // Whoever looks at the target's files, as the directory scanner, does so before or after.
        try (AutoCloseableLock ignored = lockOf(volume)) {
            boolean began = false;
            try {
                check(replica);
                began = true;
                moved = dataset.finalise(pool, temporary, reserved);
            } finally {
                if (!began) {
                    volume.releaseReservedSpace(reserved);
                }
                if (moved == null) {
                    TargetFiles.remove(temporary);
                    if (began) {
                        // Stock renames the meta file first.
                        Path meta = TargetFiles.path(temporary.getMetadataURI());
                        TargetFiles.remove(directory.toPath().resolve(meta.getFileName()));
                    }
                }
            }
        }
        if (moved instanceof FinalizedReplica now && replica instanceof FinalizedReplica before) {
            now.setLastPartialChunkChecksum(before.getLastPartialChunkChecksum());
        }
        try {
            sync(volume, directory);
            if (newDirectory) {
                sync(volume, directory.getParentFile());
                sync(volume, directory.getParentFile().getParentFile());
            }
        } catch (IOException e) {
            abandon(moved);
            throw files.failed(volume, e);
        }
        return moved;
    }

    private void sync(FsVolumeImpl volume, File directory) throws IOException {
        volume.getFileIoProvider().dirSync(volume, directory);
    }

    private void publish(ReplicaInfo replica, ReplicaInfo moved) throws IOException {
        String pool = version.key().pool();
        try (AutoCloseableLock ignored =
                dataset.dataset().acquireDatasetLockManager().writeLock(LockLevel.BLOCK_POOl, pool)) {
            check(replica);
            dataset.put(pool, moved);
            // Here, so that the NameNode hears of what happens to the new replica after it heard of the replica.
            datanode.notifyNamenodeReceivedBlock(block, null, moved.getStorageUuid(), moved.isOnTransientStorage());
        }
    }

    private void removeOld(ReplicaInfo old, ReplicaInfo moved) {
        BlockKey key = version.key();
        dataset.moved(key.pool(), key.blockId());
        // Clients that hold descriptors ask again, so that the old room becomes free.
        datanode.getShortCircuitRegistry().processBlockInvalidation(new ExtendedBlockId(key.blockId(), key.pool()));
        try {
            if (!barrier.await(key.blockId(), OPEN_WAIT_MS)) {
                LOG.warn("Readers still open {} after {} ms; its files are removed", old, OPEN_WAIT_MS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        remove(old);
        LOG.info("Moved {} from {} to {}", key, old.getVolume(), moved.getVolume());
    }

    /** Only if the new place is nobody's: another move may have come to the same volume. */
    private void abandon(ReplicaInfo moved) {
        BlockKey key = version.key();
        FsVolumeImpl volume = (FsVolumeImpl) moved.getVolume();
        try (AutoCloseableLock ignored = lockOf(volume)) {
            ReplicaInfo now = dataset.replica(key.pool(), key.blockId());
            if (now == null || !volume.getStorageID().equals(now.getStorageUuid())) {
                remove(moved);
            }
        }
    }

    private AutoCloseableLock lockOf(FsVolumeSpi volume) {
        BlockKey key = version.key();
        return dataset.dataset()
                .acquireDatasetLockManager()
                .writeLock(
                        LockLevel.DIR,
                        key.pool(),
                        volume.getStorageID(),
                        new DataNodeLayoutSubLockStrategy().blockIdToSubLock(key.blockId()));
    }

    private void remove(ReplicaInfo finalised) {
        long metaBytes = finalised.getMetadataLength();
        boolean dataGone = finalised.deleteBlockData() || !finalised.blockDataExists();
        boolean metaGone = finalised.deleteMetadata() || !finalised.metadataExists();
        if (!dataGone || !metaGone) {
            LOG.warn("Cannot remove the files of {}; the directory scanner removes them later", finalised);
        }
        dataset.removed(
                finalised.getVolume(),
                version.key().pool(),
                dataGone ? finalised.getNumBytes() : -1,
                metaGone ? metaBytes : -1);
    }
}
