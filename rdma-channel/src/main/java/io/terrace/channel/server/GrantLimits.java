package io.terrace.channel.server;

/**
 * Limits what a {@link GrantServer} spends.
 *
 * @param connections clients at once
 * @param connectionsPerUser clients of one operating system user at once
 * @param grants made at one time, by all clients
 * @param messageTimeoutMs for the first message, for the rest of a message begun, and for taking an answer
 * @param idleTimeoutMs a client that sends nothing for so long is cut
 * @param linkTimeoutMs a link that is not opened in time is removed
 */
public record GrantLimits(
        int connections,
        int connectionsPerUser,
        int grants,
        long messageTimeoutMs,
        long idleTimeoutMs,
        long linkTimeoutMs) {
    public static final GrantLimits DEFAULT = new GrantLimits(1024, 256, 8, 5_000, 300_000, 5_000);

    public GrantLimits {
        if (connections < 1 || connectionsPerUser < 1 || grants < 1) {
            throw new IllegalArgumentException("connections and grants must be positive");
        }
        if (messageTimeoutMs < 1 || idleTimeoutMs < 1 || linkTimeoutMs < 1) {
            throw new IllegalArgumentException("timeouts must be positive");
        }
    }
}
