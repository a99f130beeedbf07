package io.terrace.channel.transport;

import java.io.IOException;
import java.net.SocketAddress;

/**
 * One way to reach another process's memory, after the verbs model: ranges are registered and have keys; one-sided reads
 * and writes need nothing of the owner's CPU where the medium can; two-sided messages carry control; completions tell the
 * end of each operation, within its deadline.
 *
 * <p>All providers pass the same suite of tests (ProviderContract).
 */
public interface Provider {
    /** {@code shm}, {@code tcp} or {@code verbs}. */
    String name();

    /** Offers ranges at an address of this provider's kind. */
    Listener listen(SocketAddress where) throws IOException;

    /**
     * Connects to a listener.
     *
     * @throws IOException when nobody listens there, or not in time
     */
    Link connect(SocketAddress where, long timeoutNs) throws IOException;
}
