package io.terrace.channel.shm;

import io.terrace.channel.transport.Provider;
import io.terrace.channel.transport.ProviderContract;
import io.terrace.channel.transport.ProviderFixture;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

class ShmProviderTest extends ProviderContract {
    @Override
    protected ProviderFixture fixture(Path dir) {
        AtomicInteger number = new AtomicInteger();
        Provider provider = new ShmProvider(dir.resolve("links"));
        return new ProviderFixture() {
            @Override
            public Provider provider() {
                return provider;
            }

            @Override
            public SocketAddress freshAddress() {
                return UnixDomainSocketAddress.of(dir.resolve(number.incrementAndGet() + ".sock"));
            }
        };
    }
}
