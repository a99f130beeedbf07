package io.terrace.channel.shm;

import io.terrace.channel.transport.Access;
import io.terrace.channel.transport.ExtentRange;
import io.terrace.channel.transport.Link;
import io.terrace.channel.transport.Listener;
import io.terrace.channel.transport.RegionKey;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The owner's end of shm: keys are hard links in a directory that cannot be listed. */
final class ShmListener implements Listener {
    private final ServerSocketChannel server;
    private final Selector selector;
    private final SocketAddress address;
    private final LinkDirectory links;
    private final Set<String> registered = ConcurrentHashMap.newKeySet();

    private ShmListener(ServerSocketChannel server, Selector selector, SocketAddress address, LinkDirectory links) {
        this.server = server;
        this.selector = selector;
        this.address = address;
        this.links = links;
    }

    static ShmListener open(SocketAddress where, LinkDirectory links) throws IOException {
        ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            server.bind(where);
            server.configureBlocking(false);
            Selector selector = Selector.open();
            server.register(selector, SelectionKey.OP_ACCEPT);
            return new ShmListener(server, selector, where, links);
        } catch (IOException | RuntimeException e) {
            server.close();
            throw e;
        }
    }

    @Override
    public SocketAddress address() {
        return address;
    }

    @Override
    public RegionKey register(ExtentRange range, Access access) throws IOException {
        if (Files.size(range.file()) != range.lengthBytes()) {
            throw new IOException(range.file() + " is not " + range.lengthBytes() + " bytes long");
        }
        String name = links.link(range.file());
        registered.add(name);
        return RegionKey.of(name, range.address(), range.lengthBytes(), access);
    }

    @Override
    public void deregister(RegionKey key) throws IOException {
        if (registered.remove(key.digits())) {
            links.unlink(key.digits());
        }
    }

    @Override
    public @Nullable Link accept(long timeoutNs) throws IOException {
        long timeoutMs = TimeUnit.NANOSECONDS.toMillis(timeoutNs);
        if (timeoutMs > 0) {
            selector.select(timeoutMs);
        } else {
            selector.selectNow();
        }
        selector.selectedKeys().clear();
        SocketChannel channel = server.accept();
        return channel == null ? null : new ShmLink(new FramedSocket(channel), links.path());
    }

    @Override
    public void close() throws IOException {
        for (String name : registered) {
            links.unlink(name);
        }
        selector.close();
        server.close();
        if (address instanceof UnixDomainSocketAddress unix) {
            Files.deleteIfExists(Path.of(unix.getPath().toString()));
        }
    }
}
