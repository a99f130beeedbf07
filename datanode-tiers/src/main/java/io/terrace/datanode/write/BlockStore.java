package io.terrace.datanode.write;

import io.terrace.channel.write.WriteThrough;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Where blocks are written to. Thread-safe. */
public interface BlockStore {
    /**
     * The client of a connection.
     *
     * @param from its address
     * @param to this end's address
     * @param sameHost whether it runs on this host
     * @param host its address alone
     */
    record Client(String from, String to, boolean sameHost, String host) {}

    /**
     * Makes a replica, or takes one over, whose writer the calling thread is: an interrupt means that it has lost the
     * replica, and it must end. The block is opened at the next DataNode too, where there is one.
     *
     * @param request the body of an OPEN frame
     * @param through the copies in memory that the client asks for
     * @param whole all of a new block: it is taken in once the client's token is checked, and is everywhere after this DataNode
     *     when this returns; null where the block comes frame by frame
     * @return null when the request was to finalise what is there, which is done
     */
    @Nullable
    OpenBlock open(byte[] request, WriteThrough through, @Nullable WholeBlock whole, Client client) throws IOException;

    /**
     * Finalises a replica that is whole, and has it on the disk, here and at the DataNodes after this one.
     *
     * @param request the body of an OPEN frame
     */
    void finaliseSynced(byte[] request, Client client) throws IOException;

    /** The body of the answer that tells a client that its block is open. */
    byte[] success();

    /** The body of the answer that tells a client why its block cannot be opened or written. */
    byte[] refusal(Throwable why);

    /** Whether this DataNode ends to be started again soon: clients are told to wait for it. */
    default boolean isRestarting() {
        return false;
    }

    /** A client asks for a block: a thread is busy with it from now on. */
    void blockBegun();

    /** That thread waits for the client's next block, or ends. */
    void blockEnded();
}
