package io.terrace.datanode.hdfs.volume;

import io.terrace.common.BlockVersion;
import io.terrace.datanode.replica.DurableCopy;
import io.terrace.datanode.replica.VerifiedCopy;
import java.io.Closeable;
import java.io.IOException;

/**
 * The replicas, files and locks of a DataNode as a {@link VolumeMove} needs them. Simulations have one in memory.
 *
 * @param <R> a replica: as the DataNode's map of replicas has it, or the new one that a move makes
 * @param <V> a volume
 */
public interface MoveStorage<R, V> {

    /** A lock that is held until it is closed. */
    interface Held extends AutoCloseable {
        @Override
        void close();
    }

    /** Whether the map has this very object, finalised, with the block's stamp and length. */
    boolean isCurrent(BlockVersion block, R replica);

    /** Whether the map has some replica of the block on this volume. */
    boolean hasOn(BlockVersion block, V volume);

    V volume(R replica);

    /** The same for two objects that stand for one volume. */
    String id(V volume);

    /**
     * Keeps the volume from being removed until this is closed.
     *
     * @throws java.nio.channels.ClosedChannelException if it is being removed
     */
    Closeable hold(V volume) throws IOException;

    /** Bytes of the replica's meta file. */
    long metaBytes(R replica);

    /** Reserves room on the volume. False if there is none. */
    boolean reserve(V volume, long bytes) throws IOException;

    void release(V volume, long bytes);

    /**
     * Copies the replica to temporary files on the volume. They are verified and on the medium when this returns; none is
     * left if it fails.
     *
     * @param checkpoint asked before each piece is written
     */
    R copied(BlockVersion block, R replica, V target, VerifiedCopy copier, DurableCopy.Checkpoint checkpoint)
            throws IOException;

    /** Links the replica's files to temporary ones on the volume, which is on the same mount; else as the other one. */
    R linked(BlockVersion block, R replica, V target) throws IOException;

    /** Excludes who looks at the volume's files, as the directory scanner does. */
    Held lock(BlockVersion block, V volume);

    /** Excludes all who change a replica of the block's pool, or look for one to change. */
    Held lockPool(BlockVersion block);

    /** Whether the volume has the directory in which the block's finalised files are to be. */
    boolean hasDirectory(BlockVersion block, V volume) throws IOException;

    /**
     * Renames temporary files to finalised ones, and releases what was reserved for them. If this fails, none is left.
     *
     * @param old from which the move copied
     */
    R finalise(BlockVersion block, R old, R temporary, long reservedBytes) throws IOException;

    /**
     * Writes the directory of the block's finalised files to the medium.
     *
     * @param parents whether it is new, so that the directories above it changed too
     */
    void syncDirectory(BlockVersion block, V volume, boolean parents) throws IOException;

    /** Puts the replica into the map in place of what is there, and tells the NameNode. */
    void publish(BlockVersion block, R moved) throws IOException;

    /** The replica is about to be elsewhere, or is: whoever knows its files must look again. Its bytes are the same. */
    void moved(BlockVersion block);

    /**
     * Waits for those who looked up the old place and have yet to open its files.
     *
     * @return false if they need longer than that
     */
    boolean awaitOpens(BlockVersion block, long timeoutMs) throws InterruptedException;

    /** Removes temporary files. */
    void discard(R temporary);

    /** Removes finalised files. They do not count any more. */
    void remove(BlockVersion block, R finalised);

    /** Told on the mover's thread how far the move has come. */
    void step(MoveStep step);
}
