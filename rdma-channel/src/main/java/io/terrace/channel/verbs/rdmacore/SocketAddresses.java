package io.terrace.channel.verbs.rdmacore;

import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** {@code struct sockaddr_in} and {@code struct sockaddr_in6}. */
final class SocketAddresses {
    /** Room for either. */
    static final int BYTES = 28;

    private static final short INET = 2;
    private static final short INET6 = 10;

    private SocketAddresses() {}

    static ByteBuffer put(SocketAddress address, ByteBuffer target) throws IOException {
        if (!(address instanceof InetSocketAddress internet) || internet.isUnresolved()) {
            throw new IOException(address + " is no internet address");
        }
        InetAddress host = internet.getAddress();
        target.order(ByteOrder.nativeOrder());
        target.putShort(0, host instanceof Inet6Address ? INET6 : INET);
        ByteBuffer rest = target.duplicate().order(ByteOrder.BIG_ENDIAN);
        rest.putShort(2, (short) internet.getPort()).putInt(4, 0);
        if (host instanceof Inet6Address six) {
            rest.put(8, six.getAddress());
            target.putInt(24, six.getScopeId());
        } else {
            rest.put(4, host.getAddress()).putLong(8, 0);
        }
        return target;
    }

    static InetSocketAddress get(ByteBuffer source) throws IOException {
        short family = source.order(ByteOrder.nativeOrder()).getShort(0);
        byte[] host = new byte[family == INET6 ? 16 : 4];
        source.get(family == INET6 ? 8 : 4, host);
        int port = Short.toUnsignedInt(
                source.duplicate().order(ByteOrder.BIG_ENDIAN).getShort(2));
        return new InetSocketAddress(InetAddress.getByAddress(host), port);
    }
}
