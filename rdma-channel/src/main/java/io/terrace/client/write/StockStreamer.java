package io.terrace.client.write;

import java.io.IOException;

/** What a file's sender asks of stock's streamer, which makes the calls to the NameNode as for any file. */
public interface StockStreamer {
    /** Whether the file is still written. */
    boolean isRunning();

    /**
     * Asks the NameNode for the next block and opens it, by {@link FileOutput#open} for each DataNode that it tries.
     *
     * @throws IOException when there is no block
     */
    void nextBlock() throws IOException;

    /** So many bytes of the present block are acknowledged. */
    void acknowledged(long blockBytes);

    /** The DataNode has finalised the present block. */
    void blockEnded();
}
