package io.terrace.channel.server;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One client process on one connection, as the DataNode knows it.
 *
 * @param session never used again by this server; grants belong to a session
 * @param user on this host the operating system user of the process, from the kernel and not from the client; on another
 *     host what the client says, for logs and metrics only
 * @param group its primary group; empty on another host
 * @param sameHost whether its connection comes from this host, as stock tells its local readers
 * @param client what the client calls itself; for logs only
 * @param address of its host, {@link #THIS_HOST} for the DataNode's own; null if it is not known
 */
public record Peer(long session, String user, String group, boolean sameHost, String client, @Nullable String address) {

    public static final String THIS_HOST = "";

    /** Of which no address is known unless it is on this host. */
    public Peer(long session, String user, String group, boolean sameHost, String client) {
        this(session, user, group, sameHost, client, sameHost ? THIS_HOST : null);
    }

    public Peer {
        Objects.requireNonNull(user, "user");
        Objects.requireNonNull(group, "group");
        Objects.requireNonNull(client, "client");
    }
}
