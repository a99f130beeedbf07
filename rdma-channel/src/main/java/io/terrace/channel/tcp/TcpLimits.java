package io.terrace.channel.tcp;

/**
 * Limits what other processes may claim of one process.
 *
 * @param connections a listener has at most
 * @param addressConnections that it has at most from one address
 * @param threads that serve them
 * @param operations in flight on one connection
 * @param bytesInFlight asked for and not arrived, on one connection
 * @param requestTimeoutMs ends a connection that asks for nothing at first, has asked for half of something, or takes
 *     nothing of its answers for so long
 * @param idleTimeoutMs a connection on which nothing happens ends after so long
 */
public record TcpLimits(
        int connections,
        int addressConnections,
        int threads,
        int operations,
        long bytesInFlight,
        long requestTimeoutMs,
        long idleTimeoutMs) {
    public static final TcpLimits DEFAULT = new TcpLimits(4096, 1024, 2, 256, 8 << 20, 10_000, 300_000);

    /** Ends a connection that takes something of its answers now and then, but has not taken one of them for so long. */
    public long answerTimeoutMs() {
        return 6 * requestTimeoutMs;
    }

    public TcpLimits {
        if (connections < 1 || addressConnections < 1 || threads < 1 || operations < 1 || bytesInFlight < 1) {
            throw new IllegalArgumentException("limits must be positive");
        }
        if (requestTimeoutMs < 1 || idleTimeoutMs < 1) {
            throw new IllegalArgumentException("timeouts must be positive");
        }
    }
}
