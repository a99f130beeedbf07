package io.terrace.channel.verbs.rdmacore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

final class SocketAddressesTest {
    @Test
    void anAddress_comesBackAsItWas() throws Exception {
        for (String host : new String[] {"10.9.0.1", "255.254.253.252", "2001:db8::17", "::1"}) {
            InetSocketAddress address = new InetSocketAddress(InetAddress.getByName(host), 40_001);
            ByteBuffer structure = ByteBuffer.allocateDirect(SocketAddresses.BYTES);
            assertThat(SocketAddresses.get(SocketAddresses.put(address, structure)))
                    .isEqualTo(address);
        }
    }

    @Test
    void anInternetAddress_isInNetworkOrder() throws Exception {
        ByteBuffer structure = ByteBuffer.allocateDirect(SocketAddresses.BYTES);
        SocketAddresses.put(new InetSocketAddress(InetAddress.getByName("10.9.0.1"), 0x1234), structure);
        byte[] bytes = new byte[8];
        structure.get(0, bytes);
        assertThat(bytes).containsExactly(2, 0, 0x12, 0x34, 10, 9, 0, 1);
    }

    @Test
    void anotherKindOfAddress_isRefused() {
        assertThatThrownBy(() -> SocketAddresses.put(
                        UnixDomainSocketAddress.of("/tmp/s"), ByteBuffer.allocate(SocketAddresses.BYTES)))
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> SocketAddresses.put(
                        InetSocketAddress.createUnresolved("nowhere", 1), ByteBuffer.allocate(SocketAddresses.BYTES)))
                .isInstanceOf(IOException.class);
    }
}
