package io.terrace.channel;

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

    /** How long after a file was cut its readers may still be given what it had. */
    default long cutUnnoticedNs() {
        return 0;
    }

    @Override
    default void close() throws Exception {}
}
