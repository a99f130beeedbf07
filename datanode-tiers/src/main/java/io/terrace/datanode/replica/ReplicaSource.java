package io.terrace.datanode.replica;

import io.terrace.common.BlockKey;
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

    /** The length of the finalised replica of exactly this block on a durable local volume, or -1. */
    long finalisedLength(BlockKey key);

    /** The present stamp and length of the block's finalised replica, whatever its stamp; null when there is none. */
    @Nullable
    BlockVersion find(String pool, long blockId);

    /** Opens a replica for which {@link #finalisedLength} answered; an IOException if it went away meanwhile. */
    OpenReplica open(BlockKey key, long lengthBytes) throws IOException;

    /** Runs the action under the dataset's lock if the replica is still finalised with this stamp and length. */
    boolean ifUnchanged(BlockKey key, long lengthBytes, BooleanSupplier action);

    /** Reports the replica to the NameNode as stock does when its bytes do not match their checksums. */
    void reportCorrupt(BlockKey key, long lengthBytes);
}
