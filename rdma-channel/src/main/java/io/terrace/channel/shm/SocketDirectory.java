package io.terrace.channel.shm;

import io.terrace.common.GuardedDirectory;
import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/**
 * The directory of the DataNodes' Unix sockets, checked so that nobody can pose as a DataNode: whoever may make a socket
 * there is its owner or root.
 *
 * <p>It is a {@link GuardedDirectory}, as {@code dfs.domain.socket.path} must be for stock.
 */
public final class SocketDirectory {
    /** How the sockets' names end; before it stands the DataNode's uuid. */
    public static final String SOCKET_SUFFIX = ".sock";

    /** Bytes that a socket's path may have in Linux's {@code sockaddr_un}. */
    private static final int MAX_SOCKET_PATH_BYTES = 107;

    private static final int SOCKET_TYPE = 0140000;
    private static final int TYPE_MASK = 0170000;
    private static final int BACKLOG = 128;
    private static final Path SELF = Path.of("/proc/self");

    private final Path path;

    private SocketDirectory(Path path) {
        this.path = path;
    }

    /**
     * Checks a directory.
     *
     * @throws IOException when it does not exist or somebody else could put a socket there; the message names the
     *     component and the remedy
     */
    public static SocketDirectory check(Path path) throws IOException {
        Path real = path.toRealPath();
        if (!Files.isDirectory(real)) {
            throw new IOException(path + " is no directory");
        }
        GuardedDirectory.check(real, "anybody could pose as a DataNode", "terrace.channel.dir");
        return new SocketDirectory(real);
    }

    /**
     * Requires that it belongs to somebody who is believed to be a DataNode: its owner is told block tokens, and the owner's
     * answers are not verified.
     *
     * @param users beside root and {@code ownUid}, by name or number
     * @throws IOException that names the owner and the remedy
     */
    public void requireOwner(Collection<String> users, int ownUid) throws IOException {
        int owner = GuardedDirectory.uid(path);
        if (owner == GuardedDirectory.ROOT || owner == ownUid || users.contains(Integer.toString(owner))) {
            return;
        }
        String name = ownerOf(path).getName();
        if (!users.contains(name)) {
            throw new IOException(path + " belongs to " + name + ", who is not known to run DataNodes; set"
                    + " terrace.channel.owner to the user that does");
        }
    }

    /** The user of this process. */
    public static int ownUid() throws IOException {
        return GuardedDirectory.uid(SELF.toRealPath());
    }

    public Path path() {
        return path;
    }

    /**
     * Where a DataNode's socket goes.
     *
     * @throws IOException when the path is too long for a socket
     */
    public Path socket(String datanode) throws IOException {
        Path socket = path.resolve(datanode + SOCKET_SUFFIX);
        if (socket.toString().getBytes(StandardCharsets.UTF_8).length > MAX_SOCKET_PATH_BYTES) {
            throw new IOException(socket + " is too long for a Unix socket (" + MAX_SOCKET_PATH_BYTES
                    + " bytes); set terrace.channel.dir to a shorter path");
        }
        return socket;
    }

    /**
     * Listens on a socket that every user may connect to, in place of one that a dead process left.
     *
     * @throws IOException when another process listens there, or no socket can be made
     */
    public static ServerSocketChannel listen(Path socket) throws IOException {
        removeLeftover(socket);
        ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            listener.bind(UnixDomainSocketAddress.of(socket), BACKLOG);
            Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-rw-rw-"));
            return listener;
        } catch (IOException | RuntimeException e) {
            listener.close();
            throw e;
        }
    }

    /** The sockets that are there now, at most so many. */
    public List<Path> sockets(int most) throws IOException {
        try (Stream<Path> entries = Files.list(path)) {
            List<Path> sockets = new ArrayList<>();
            for (Path entry : (Iterable<Path>) entries::iterator) {
                if (sockets.size() < most && entry.toString().endsWith(SOCKET_SUFFIX) && isSocket(entry)) {
                    sockets.add(entry);
                }
            }
            return sockets;
        }
    }

    /** Who made the socket, or the directory: the user that the process behind it must be. */
    public static UserPrincipal ownerOf(Path made) throws IOException {
        return Files.getOwner(made, LinkOption.NOFOLLOW_LINKS);
    }

    private static void removeLeftover(Path socket) throws IOException {
        if (!Files.exists(socket, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        try (SocketChannel probe = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
            throw new IOException("another process serves " + socket + " (" + probe + "); is a DataNode with the same"
                    + " uuid running?");
        } catch (ConnectException e) {
            Files.deleteIfExists(socket);
        }
    }

    private static boolean isSocket(Path entry) {
        try {
            return (GuardedDirectory.mode(entry) & TYPE_MASK) == SOCKET_TYPE;
        } catch (IOException e) {
            return false; // gone meanwhile
        }
    }
}
