package io.terrace.channel;

import java.util.Objects;

/**
 * One client process on one connection, as the DataNode knows it.
 *
 * @param session never used again by this server; grants belong to a session
 * @param user operating system user of the process, from the kernel and not from the client
 * @param group its primary group
 * @param client what the client calls itself; for logs only
 */
public record Peer(long session, String user, String group, String client) {
    public Peer {
        Objects.requireNonNull(user, "user");
        Objects.requireNonNull(group, "group");
        Objects.requireNonNull(client, "client");
    }
}
