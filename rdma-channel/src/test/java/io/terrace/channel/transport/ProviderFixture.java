package io.terrace.channel.transport;

import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;

/** What {@link ProviderContract} needs to know of one provider. */
public interface ProviderFixture extends AutoCloseable {
    Provider provider();

    /** An address that nobody listens on. */
    SocketAddress freshAddress() throws Exception;

    /** How long something may take that succeeds. */
    default long patienceNs() {
        return TimeUnit.SECONDS.toNanos(1);
    }

    /** Whether a read meets the file as it is now, or the pages that were pinned when it was registered. */
    default boolean noticesCuts() {
        return true;
    }

    @Override
    default void close() throws Exception {}
}
