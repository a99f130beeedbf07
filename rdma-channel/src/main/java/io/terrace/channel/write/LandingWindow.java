package io.terrace.channel.write;

import io.terrace.channel.transport.RegionKey;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Memory of a DataNode that the network card of one client writes the data of frames into. Each frame is announced once its
 * data is there. The client can go on writing afterwards, so nothing is verified or used here: it is copied first.
 *
 * <p>One thread takes frames; any thread closes.
 */
public interface LandingWindow extends Closeable {
    /**
     * Where the data of a frame lies.
     *
     * @param at offset in the window
     * @param bytes of data
     */
    record Place(int at, int bytes) {}

    /** What the client shows to reach the window. */
    RegionKey key();

    /**
     * Waits until the next frame is announced.
     *
     * @throws IOException when the window is closed, or the thread is interrupted; it stays so, which ends the connection
     */
    Place next() throws IOException;

    /**
     * Fills a buffer from its position to its limit.
     *
     * @param at offset in the window
     * @throws IOException when the window is closed
     */
    void read(int at, ByteBuffer into) throws IOException;

    /** Takes the window from the device: whatever is written late changes nothing. Ends {@link #next}. */
    @Override
    void close() throws IOException;
}
