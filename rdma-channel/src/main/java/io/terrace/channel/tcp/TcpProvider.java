package io.terrace.channel.tcp;

import io.terrace.channel.tcp.server.TcpListener;
import io.terrace.channel.transport.Link;
import io.terrace.channel.transport.Listener;
import io.terrace.channel.transport.Provider;
import java.io.IOException;
import java.net.SocketAddress;

/** Reaches the memory of a process on any host; addresses are internet sockets. */
public final class TcpProvider implements Provider {
    private final TcpLimits limits;

    public TcpProvider(TcpLimits limits) {
        this.limits = limits;
    }

    @Override
    public String name() {
        return "tcp";
    }

    @Override
    public Listener listen(SocketAddress where) throws IOException {
        return TcpListener.open(where, limits, null);
    }

    @Override
    public Link connect(SocketAddress where, long timeoutNs) throws IOException {
        return TcpLink.connect(where, limits, timeoutNs);
    }
}
