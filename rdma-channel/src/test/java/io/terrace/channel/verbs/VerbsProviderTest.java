package io.terrace.channel.verbs;

import io.terrace.channel.transport.Provider;
import io.terrace.channel.transport.ProviderContract;
import io.terrace.channel.transport.ProviderFixture;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.condition.EnabledIf;

/** The contract that every provider keeps, over a real device. */
@EnabledIf(
        value = "io.terrace.channel.verbs.VerbsFixture#hasDevice",
        disabledReason = "no RDMA verbs here; bin/terrace test verbs brings a device up")
final class VerbsProviderTest extends ProviderContract {
    @Override
    protected ProviderFixture fixture(Path dir) throws Exception {
        VerbsProvider provider = VerbsFixture.provider(VerbsLimits.DEFAULT);
        InetSocketAddress first = VerbsFixture.address(provider);
        return new ProviderFixture() {
            private int port = first.getPort();

            @Override
            public Provider provider() {
                return provider;
            }

            @Override
            public SocketAddress freshAddress() {
                return new InetSocketAddress(first.getAddress(), port++);
            }

            /** An emulated guest may stand still for a while. */
            @Override
            public long patienceNs() {
                return TimeUnit.SECONDS.toNanos(20);
            }

            /** The device reads what was pinned: an owner makes a range void before it cuts its file. */
            @Override
            public boolean noticesCuts() {
                return false;
            }

            @Override
            public void close() throws Exception {
                provider.close();
            }
        };
    }
}
