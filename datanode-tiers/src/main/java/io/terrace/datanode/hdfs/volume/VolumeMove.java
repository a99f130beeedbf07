package io.terrace.datanode.hdfs.volume;

import io.terrace.common.BlockVersion;
import io.terrace.datanode.replica.CorruptReplicaException;
import io.terrace.datanode.replica.VerifiedCopy;
import io.terrace.protocol.MoveOutcome;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.function.BooleanSupplier;
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
 * <p>Before each of the two locked steps the replica must be what it was: the same object, stamp, length and state. Nothing
 * vetoed the move meanwhile, and neither volume is being removed. Whatever fails before the new place is in the map removes the new files at once and
 * leaves the old ones. A crash leaves temporary files, which stock removes at its start, or two whole copies, of which
 * stock keeps one.
 *
 * @param <R> a replica
 * @param <V> a volume
 */
public final class VolumeMove<R, V> {

    /** Longer than any open takes on a disk that works. */
    private static final long OPEN_WAIT_MS = 1_000;

    private static final Logger LOG = LoggerFactory.getLogger(VolumeMove.class);

    private final MoveStorage<R, V> storage;
    private final MovesInProgress.Move move;
    private final BlockVersion block;
    private final VerifiedCopy copier;
    private final BooleanSupplier stillWanted;

    /** A move that was begun there. */
    public VolumeMove(
            MoveStorage<R, V> storage,
            MovesInProgress.Move move,
            BlockVersion block,
            VerifiedCopy copier,
            BooleanSupplier stillWanted) {
        this.storage = storage;
        this.move = move;
        this.block = block;
        this.copier = copier;
        this.stillWanted = stillWanted;
    }

    /**
     * Moves the replica there, and says where it is then.
     *
     * @param link whether both volumes are on one mount, so that the files are linked and not copied
     * @throws IOException if the replica stays where it was
     */
    public R to(R replica, V volume, boolean link) throws IOException {
        V source = storage.volume(replica);
        if (storage.id(volume).equals(storage.id(source))) {
            throw new MoveException(MoveOutcome.REFUSED, "the replica is on " + volume + " already");
        }
        // The volume does not go away before its files are removed.
        try (Closeable ignored = hold(source)) {
            check(replica, volume);
            long reserved = link ? 0 : reserve(volume, replica);
            R temporary = null;
            try {
                storage.step(MoveStep.RESERVED);
                temporary = link
                        ? storage.linked(block, replica, volume)
                        : storage.copied(block, replica, volume, copier, () -> check(replica, volume));
            } catch (CorruptReplicaException e) {
                // It is not there any more. The same block may be, in a replica that was not read.
                checkVeto();
                throw e;
            } finally {
                if (temporary == null) {
                    storage.release(volume, reserved);
                }
            }
            R moved = renamed(replica, volume, temporary, reserved);
            boolean published = false;
            try {
                storage.step(MoveStep.RENAMED);
                storage.moved(block);
                publish(replica, volume, moved);
                published = true;
            } finally {
                if (!published) {
                    removeFiles(moved);
                }
            }
            storage.step(MoveStep.PUBLISHED);
            removeOld(replica, moved);
            storage.step(MoveStep.REMOVED);
            return moved;
        }
    }

    private void checkVeto() throws MoveException {
        String veto = move.veto();
        if (veto != null) {
            throw new MoveException(MoveOutcome.CHANGED, veto);
        }
    }

    private void check(R replica, V volume) throws IOException {
        checkVeto();
        if (!stillWanted.getAsBoolean()) {
            throw new MoveException(
                    MoveOutcome.REFUSED, "cancelled: another NameNode is active, or this DataNode stops");
        }
        if (!storage.isCurrent(block, replica)) {
            throw new MoveException(MoveOutcome.CHANGED, "the replica changed while it was moved");
        }
        checkStays(storage.volume(replica));
        checkStays(volume);
    }

    /** Whoever removes a volume waits for moves, and the dataset for them. */
    private void checkStays(V volume) throws IOException {
        hold(volume).close();
    }

    private Closeable hold(V volume) throws IOException {
        try {
            return storage.hold(volume);
        } catch (ClosedChannelException e) {
            throw new MoveException(MoveOutcome.FAILED, volume + " is being removed");
        }
    }

    private long reserve(V volume, R replica) throws IOException {
        long bytes = block.lengthBytes() + storage.metaBytes(replica);
        if (!storage.reserve(volume, bytes)) {
            throw new MoveException(MoveOutcome.NO_ROOM, volume + " has no room for " + bytes + " bytes");
        }
        return bytes;
    }

    private R renamed(R replica, V volume, R temporary, long reserved) throws IOException {
        boolean newDirectory;
        R moved;
        boolean began = false;
        try {
            newDirectory = !storage.hasDirectory(block, volume);
            // Whoever looks at the target's files, as the directory scanner, does so before or after.
            try (MoveStorage.Held ignored = storage.lock(block, volume)) {
                check(replica, volume);
                began = true;
                moved = storage.finalise(block, replica, temporary, reserved);
            }
        } finally {
            if (!began) {
                storage.release(volume, reserved);
                storage.discard(temporary);
            }
        }
        boolean synced = false;
        try {
            storage.syncDirectory(block, volume, newDirectory);
            synced = true;
        } finally {
            if (!synced) {
                removeFiles(moved);
            }
        }
        return moved;
    }

    private void publish(R replica, V volume, R moved) throws IOException {
        try (MoveStorage.Held ignored = storage.lockPool(block)) {
            // Whoever removes a volume takes its replicas out of the map once no move holds it. This one would go with
            // them, after its old copy is gone.
            check(replica, volume);
            // Also tells the NameNode here, so that it hears of what happens to the new replica after it heard of this.
            storage.publish(block, moved);
        }
    }

    private void removeOld(R old, R moved) {
        storage.moved(block);
        try {
            if (!storage.awaitOpens(block, OPEN_WAIT_MS)) {
                LOG.warn("Readers still open {} after {} ms; its files are removed", old, OPEN_WAIT_MS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        try {
            checkStays(storage.volume(moved));
        } catch (IOException e) {
            LOG.warn(
                    "The old files of {} stay, and the directory scanner makes them the replica: {}",
                    old,
                    e.getMessage());
            return;
        }
        removeFiles(old);
        LOG.info("Moved {} from {} to {}", block.key(), storage.volume(old), storage.volume(moved));
    }

    /**
     * Unless the map has a replica of the block on that volume by now, of another move or deleted and written again: its
     * files have the same names.
     */
    private void removeFiles(R replica) {
        V volume = storage.volume(replica);
        try (MoveStorage.Held ignored = storage.lock(block, volume)) {
            if (!storage.hasOn(block, volume)) {
                storage.remove(block, replica);
            }
        }
    }
}
