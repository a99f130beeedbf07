package io.terrace.channel.tcp;

import io.terrace.channel.transport.Provider;
import io.terrace.channel.transport.ProviderContract;
import io.terrace.channel.transport.ProviderFixture;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.nio.file.Path;

final class TcpProviderTest extends ProviderContract {
    @Override
    protected ProviderFixture fixture(Path dir) {
        return new ProviderFixture() {
            private final Provider provider = new TcpProvider(TcpLimits.DEFAULT);

            @Override
            public Provider provider() {
                return provider;
            }

            @Override
            public SocketAddress freshAddress() throws IOException {
                try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                    return new InetSocketAddress(InetAddress.getLoopbackAddress(), probe.getLocalPort());
                }
            }
        };
    }
}
