package io.terrace.channel.shm;

import io.terrace.channel.transport.Link;
import io.terrace.channel.transport.Listener;
import io.terrace.channel.transport.Provider;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.file.Path;

/**
 * Reaches the memory of a process on the same host: a key names a hard link of the extent file, and whoever can open it
 * reads the file's pages themselves, with nothing of the owner's CPU.
 *
 * <p>Addresses are Unix sockets.
 */
public final class ShmProvider implements Provider {
    private final Path links;

    /** @param links the directory that a listener's links lie in; both sides see it under this path */
    public ShmProvider(Path links) {
        this.links = links;
    }

    @Override
    public String name() {
        return "shm";
    }

    @Override
    public Listener listen(SocketAddress where) throws IOException {
        return ShmListener.open(where, LinkDirectory.create(links));
    }

    @Override
    public Link connect(SocketAddress where, long timeoutNs) throws IOException {
        return new ShmLink(FramedSocket.connect(where, timeoutNs), links);
    }
}
