package io.terrace.datanode.extent;

/** A client process's right to read one extent until its lease ends. Owned by {@link GrantLedger}. */
public final class GrantRecord {

    private final long id;
    private final long peer;
    private final PrincipalAccounts.Account account;
    private final Extent extent;
    /** No lease goes beyond this: the token on which the grant was given ends then. */
    private final long tokenEndsNs;

    long endsNs;
    boolean ended;
    /** Its holder has too many of this extent, and is told to give this one back. */
    boolean surplus;
    /** Accepted of what its holder reported. */
    long reads;

    long bytes;

    GrantRecord(long id, long peer, PrincipalAccounts.Account account, Extent extent, long tokenEndsNs) {
        this.id = id;
        this.peer = peer;
        this.account = account;
        this.extent = extent;
        this.tokenEndsNs = tokenEndsNs;
    }

    /** Unique in this incarnation of the DataNode; positive. */
    public long id() {
        return id;
    }

    /** The session it was given to. */
    public long peer() {
        return peer;
    }

    /** What may be read. */
    public Extent extent() {
        return extent;
    }

    /** Whether what may be read is on its way out, for all who hold grants of it. */
    public boolean extentRetires() {
        return extent.state() != ExtentState.LIVE;
    }

    PrincipalAccounts.Account account() {
        return account;
    }

    long tokenEndsNs() {
        return tokenEndsNs;
    }
}
