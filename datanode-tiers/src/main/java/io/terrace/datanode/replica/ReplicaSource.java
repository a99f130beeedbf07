package io.terrace.datanode.replica;

import io.terrace.common.BlockVersion;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The durable replicas of this DataNode, as far as copies in memory need them. Thread-safe. */
public interface ReplicaSource {

    /** A replica opened for reading; its volume does not go away before it is closed. */
    interface OpenReplica extends Closeable {

        /** The block's bytes, from the start. */
        FileChannel data();

        /** The meta file, from the start. */
        ReadableByteChannel meta();

        /** Asks the kernel to forget the file's pages, since the block now stands in memory once already. */
        void dropPages();
    }

    /** The present stamp and length of the block's finalised replica on a durable local volume; null without one. */
    @Nullable
    BlockVersion find(String pool, long blockId);

    /** Whether there is a finalised replica of exactly this stamp and length. */
    default boolean has(BlockVersion block) {
        return block.equals(find(block.key().pool(), block.key().blockId()));
    }

    /** Opens a replica that {@link #find} answered; an IOException if it went away meanwhile. */
    OpenReplica open(BlockVersion block) throws IOException;

    /** Runs the action under the dataset's lock if the replica is still finalised with this stamp and length. */
    boolean ifUnchanged(BlockVersion block, BooleanSupplier action);

    /** Reports the replica to the NameNode as stock does when its bytes do not match their checksums. */
    void reportCorrupt(BlockVersion block);
}
