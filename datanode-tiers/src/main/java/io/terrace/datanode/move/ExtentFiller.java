package io.terrace.datanode.move;

import io.terrace.datanode.extent.Extent;
import io.terrace.datanode.replica.CorruptReplicaException;
import io.terrace.datanode.replica.ReplicaSource.OpenReplica;
import io.terrace.datanode.replica.VerifiedCopy;
import java.io.IOException;

/** How the file of an extent comes to hold a replica's bytes: by a copy, a link, or the file of an earlier process. */
@FunctionalInterface
public interface ExtentFiller {

    /**
     * Makes the extent's file, with every byte verified.
     *
     * @throws CorruptReplicaException if the replica's own bytes do not match their checksums: it is reported if it is
     *     still what it was. For any other bytes that do not match, throw another IOException.
     */
    void fill(Extent extent, OpenReplica replica, VerifiedCopy verifier) throws IOException;

    /** Whether the extent is still wanted: asked under the dataset's lock, just before it is published. */
    default boolean isStillWanted() {
        return true;
    }

    /** The extent is live; the replica is still open. */
    default void published(OpenReplica replica) {}
}
