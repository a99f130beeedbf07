package io.terrace.channel.server;

import io.terrace.channel.GrantAnswer;
import io.terrace.channel.GrantRequest;
import io.terrace.channel.ReadReport;
import java.util.List;

/**
 * Grants the extents of a DataNode: checks tokens, keeps the life of each extent and accounts what was read.
 *
 * <p>Calls come from a {@link GrantDispatcher}'s workers: one at a time for one {@link Peer}, several peers at once.
 * {@link #disconnected} is the last call for a peer. A RuntimeException out of any of them is logged by the server,
 * answered as {@code RefusalReason.FAILED} where an answer is due, and never ends the server.
 */
public interface GrantService {
    /**
     * Checks the token as a stock read would and gives a grant. Before a {@code Grant} is returned its hard link must
     * exist ({@code LinkDirectory.link}); the server removes it once the client opened it, at a deadline, or with the
     * connection.
     */
    GrantAnswer grant(Peer peer, GrantRequest request);

    /**
     * Whom a grant of this request would count for, by what the request proves; {@link Principal#UNPROVEN} where it should
     * and does not. Never waits for a disk, as {@link #grant} may.
     */
    Principal holder(Peer peer, GrantRequest request);

    /**
     * The holder still uses the grant and wants a longer lease.
     *
     * @return the new lease in milliseconds from now, never beyond the token's end; 0 or less refuses, and the grant
     *     ends with its present lease
     */
    long renew(Peer peer, long grantId);

    /** The holder gave the grant back, or acknowledged its revocation: it will not read through it any more. */
    void released(Peer peer, long grantId);

    /** Reads since the last report. The figures come from the client: bound them by what was granted. */
    void reported(Peer peer, List<ReadReport> reports);

    /**
     * The peer is gone; all its grants end.
     *
     * @param orderly whether it said goodbye, so that everything it read is reported
     */
    void disconnected(Peer peer, boolean orderly);
}
