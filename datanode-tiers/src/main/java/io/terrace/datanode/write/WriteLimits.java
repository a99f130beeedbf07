package io.terrace.datanode.write;

/**
 * Limits what clients that write may claim.
 *
 * @param connections served at one time; each has a thread, and a buffer of 320 KB while it writes, and the same again
 *     where the block is sent on
 * @param silenceNs a client that sends or takes nothing for so long while it writes is cut
 * @param idleNs a connection between two blocks is kept for so long
 * @param forwardLagBytes no more is received while the next DataNode lacks more than that
 */
public record WriteLimits(int connections, long silenceNs, long idleNs, long forwardLagBytes) {
    public WriteLimits {
        if (connections < 1 || silenceNs < 1 || idleNs < 0 || forwardLagBytes < 1) {
            throw new IllegalArgumentException("limits must be positive");
        }
    }
}
