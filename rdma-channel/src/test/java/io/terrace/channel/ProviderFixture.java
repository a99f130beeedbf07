package io.terrace.channel;

import java.net.SocketAddress;

/** What {@link ProviderContract} needs to know of one provider. */
public interface ProviderFixture extends AutoCloseable {
    Provider provider();

    /** An address that nobody listens on. */
    SocketAddress freshAddress() throws Exception;

    @Override
    default void close() throws Exception {}
}
