package io.terrace.channel.write;

import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.transport.RegionKey;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A client's use of the landing window of one connection, if there is one: when to ask for it, and which data goes there.
 * Used by the thread that uses the connection. {@link WriteFrame} says what is sent.
 */
public interface LandingClient extends Closeable {
    /** All data goes over the connection. */
    LandingClient NONE = new LandingClient() {
        @Override
        public void offered(String where) throws MalformedMessageException {
            throw new MalformedMessageException("an offer that was not asked for");
        }

        @Override
        public void answered(@Nullable RegionKey key) throws MalformedMessageException {
            throw new MalformedMessageException("a window that was not asked for");
        }

        @Override
        public @Nullable ByteBuffer request() {
            return null;
        }

        @Override
        public boolean hasRoom() {
            return true;
        }

        @Override
        public boolean takes(int bytes) {
            return false;
        }

        @Override
        public boolean land(long number, ByteBuffer data) {
            return false;
        }

        @Override
        public void taken(long number) {}

        @Override
        public void check() {}

        @Override
        public void close() {}
    };

    /** The DataNode has windows, at this address. */
    void offered(String where) throws MalformedMessageException;

    /** The DataNode answers a request; with null it has no window for this connection. */
    void answered(@Nullable RegionKey key) throws MalformedMessageException;

    /** The request for a window, where this is the time to send it; null otherwise. */
    @Nullable
    ByteBuffer request();

    /** Whether the data of any frame has room now: if not, there will be once {@link #taken} is told. */
    boolean hasRoom();

    /** Whether so much data of a frame would go into the window. */
    boolean takes(int bytes);

    /**
     * Writes the data of a frame into the window.
     *
     * @param number of the frame in its block
     * @return false when it is to go over the connection, since the window cannot take it now
     * @throws IOException when the window is lost: the frames in it may be, too
     */
    boolean land(long number, ByteBuffer data) throws IOException;

    /** The DataNode has written the frames of the block up to this one. */
    void taken(long number);

    /** @throws IOException when the window is lost with frames that the DataNode has not written */
    void check() throws IOException;
}
