package io.terrace.client.write;

import java.io.IOException;
import java.nio.channels.Selector;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;

/** What a file's sender asks of stock's streamer, which makes the calls to the NameNode as for any file. */
public interface StockStreamer {
    /** Whether the file is still written. */
    boolean isRunning();

    /**
     * Asks the NameNode for the next block and opens it, by {@link FileOutput#open} for each DataNode that it tries.
     *
     * @param busy DataNodes of the file's other blocks, the busiest first; the block goes to others, unless too few are left
     * @param busiest how many of these it shares with another block only where nothing else is left
     * @param canWait whether it can be asked again later, when more DataNodes have the blocks that are behind
     * @return false where the NameNode wants more replicas of these first, and {@code canWait}; nothing has changed then
     * @throws IOException when there is no block
     */
    boolean nextBlock(List<DatanodeInfo> busy, int busiest, boolean canWait) throws IOException;

    /** Whether so many DataNodes may be too busy for the next block, as far as is known. */
    boolean canExclude(int nodes);

    /**
     * Sets the present block's pipeline up again, without the DataNode at fault, by {@link FileOutput#open} for each try. Where
     * no try was good, stock's streamer goes on with the file; where that cannot be done either the file ends: {@link
     * #isRunning} says so.
     *
     * @param ending whether all but the block's end is acknowledged: then the DataNodes finalise it when it is opened
     * @throws IOException when the file cannot be written any further
     */
    void recoverBlock(IOException fault, boolean ending) throws IOException;

    /** The longest that a DataNode may hear nothing within a block, so that it does not take this client for dead. */
    long keepAliveNs();

    /** Lets the DataNodes of a block that is left to stock hear of this client, before stock's streamer goes on with it. */
    void sendHeartbeat();

    /** Bytes of the present block up to this one are about to be sent. */
    void sending(long blockBytes);

    /** So many bytes of the present block are acknowledged by all its DataNodes. */
    void acknowledged(long blockBytes);

    /**
     * The file goes on with the next block, though only the first DataNode has finalised the present one.
     *
     * @param blockBytes its length
     */
    EndedBlock leaveBlock(long blockBytes);

    /** All DataNodes have finalised the present block. */
    void blockEnded();

    /** Waits until a connection is ready, the selector is woken, or so long. A simulation lets its own time pass. */
    default void await(Selector selector, long longestNs) throws IOException {
        selector.select(Math.max(1, TimeUnit.NANOSECONDS.toMillis(longestNs)));
    }
}
