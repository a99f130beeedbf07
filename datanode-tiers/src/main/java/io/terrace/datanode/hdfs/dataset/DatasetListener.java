package io.terrace.datanode.hdfs.dataset;

import java.io.InputStream;
import java.util.List;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.LengthInputStream;
import org.jspecify.annotations.Nullable;

/**
 * What a dataset of ours tells and asks of the memory tier. Called on the DataNode's threads, in parts under the
 * dataset's locks: never blocks, never throws, never calls the dataset's changing methods.
 */
public interface DatasetListener {

    /**
     * The client that this thread is about to pass the block's descriptors to has a slot in shared memory for them. Not called
     * for a client that has none.
     */
    void slotRegistered(String pool, long blockId);

    /** The block's bytes from the memory copy, for the reader that the calling thread serves; null for stock's own. */
    @Nullable
    InputStream openCopy(ExtendedBlock block, long offset);

    /**
     * The meta file that belongs to the copy that {@link #openCopy} gave this thread just now, where both descriptors go to a
     * client; null for the replica's own.
     */
    @Nullable
    LengthInputStream openMeta(ExtendedBlock block);

    /**
     * The stream that stock opened for this reader, as it should be handed out.
     *
     * @param openNs how long stock took to open it
     */
    InputStream opened(ExtendedBlock block, InputStream stock, long openNs);

    /** The replica changes, goes, or is moved by stock: called before and after. */
    void changed(String pool, long blockId);

    /** A move of ours brings the replica to another volume, with every byte the same: called before and after. */
    void moved(String pool, long blockId);

    /**
     * A replica was finalised.
     *
     * @param written by a client; false where another DataNode sent it
     */
    void finalised(ExtendedBlock block, boolean written);

    /** All replicas of the pool are known. */
    void poolReady(String pool);

    /** The pool leaves this DataNode. */
    void poolGone(String pool);

    /**
     * A directive asks for these blocks.
     *
     * @return how many of them are in memory for it already, or are too many
     */
    int pin(String pool, long[] blockIds);

    /**
     * No directive asks for these blocks any more.
     *
     * @return how many of them none asked for before
     */
    int unpin(String pool, long[] blockIds);

    /** The blocks that are in memory because a directive asked for them. */
    List<Long> pinned(String pool);

    /** Whether the block is in memory because a directive asked for it. */
    boolean isPinned(String pool, long blockId);

    /** How many blocks directives have in memory, those included that clients have yet to let go. */
    long pinnedCopies();

    /** What directives may use. */
    long pinCapacityBytes();

    /** What directives use. */
    long pinUsedBytes();
}
