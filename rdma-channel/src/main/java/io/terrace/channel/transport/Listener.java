package io.terrace.channel.transport;

import java.io.Closeable;
import java.io.IOException;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/** The owning end of a {@link Provider}: registers ranges and accepts links. Thread-safe. */
public interface Listener extends Closeable {
    SocketAddress address();

    /** Makes a range reachable for whoever is told the key. */
    RegionKey register(ExtentRange range, Access access) throws IOException;

    /** Makes a key void: nobody attaches with it any more. What is attached already ends as its link or region does. */
    void deregister(RegionKey key) throws IOException;

    /** The next link, or null when none came in time. */
    @Nullable
    Link accept(long timeoutNs) throws IOException;
}
