package io.terrace.datanode.extent;

import io.terrace.channel.server.Principal;
import io.terrace.common.BlockKey;
import io.terrace.datanode.extent.GrantAttempt.Refused;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The grants of one tier's extents, as clients ask for them and give them back. A grant keeps the bytes of its extent.
 *
 * <p>Times in nanoseconds of one monotonic clock. Thread-safe: under the lock of the {@link LocalTier}.
 */
public final class TierGrants {

    private final Object lock;
    private final ExtentTable table;
    private final GrantLedger ledger;
    private final Predicate<String> isOff;

    /**
     * No grants.
     *
     * @param lock under which the table and the ledger are used
     * @param isOff whether a block pool is switched off; asked under the lock
     */
    TierGrants(Object lock, ExtentTable table, GrantLedger ledger, Predicate<String> isOff) {
        this.lock = lock;
        this.table = table;
        this.ledger = ledger;
        this.isOff = isOff;
    }

    /**
     * Gives a peer the right to read this block, if it is live, until the token ends at the latest.
     *
     * @param principal for whom it counts
     */
    public GrantAttempt grant(long peer, Principal principal, BlockKey key, long tokenEndsNs, long nowNs) {
        synchronized (lock) {
            if (isOff.test(key.pool())) {
                return GrantAttempt.refuse(Refused.OFF);
            }
            Extent extent = table.of(key.pool(), key.blockId());
            if (extent == null || extent.state != ExtentState.LIVE) {
                return GrantAttempt.refuse(Refused.NOT_RESIDENT);
            }
            if (!extent.key().equals(key)) {
                return GrantAttempt.refuse(Refused.STALE_STAMP);
            }
            if (extent.slot == Extent.NO_SLOT) {
                return GrantAttempt.refuse(Refused.NO_SLOT);
            }
            if (tokenEndsNs - nowNs <= 0) {
                return GrantAttempt.refuse(Refused.TOKEN_OVER);
            }
            GrantRecord grant = ledger.grant(peer, principal, extent, tokenEndsNs, nowNs);
            if (grant == null) {
                return GrantAttempt.refuse(Refused.TOO_MANY_GRANTS);
            }
            GrantRecord surplus = ledger.surplus(peer, extent);
            if (surplus != null) {
                table.revoke(surplus);
            }
            extent.lastReadNs = nowNs;
            return new GrantAttempt(grant, ledger.leaseNs(grant, nowNs), null);
        }
    }

    /** Lengthens a lease; answers it in nanoseconds from now, 0 or less when the grant may not go on. */
    public long renew(long peer, long grantId, long nowNs) {
        synchronized (lock) {
            return ledger.renew(peer, grantId, nowNs);
        }
    }

    /** The peer gives a grant back, or acknowledges that it was revoked. */
    public void released(long peer, long grantId, long nowNs) {
        synchronized (lock) {
            GrantRecord grant = ledger.end(peer, grantId);
            if (grant != null) {
                table.removeIfUnread(grant.extent(), nowNs);
            }
        }
    }

    /** The peer is gone; answers the most it can have read without having said so. */
    public long disconnected(long peer, long nowNs) {
        synchronized (lock) {
            long unreportedBytes = ledger.unreportedBytes(peer, nowNs);
            ledger.endPeer(peer).forEach(grant -> table.removeIfUnread(grant.extent(), nowNs));
            return unreportedBytes;
        }
    }

    /** Accounts what a peer says it read; null when it holds no such grant. */
    public @Nullable CountedReport reported(long peer, long grantId, long reads, long bytes, long nowNs) {
        synchronized (lock) {
            GrantRecord grant = ledger.held(peer, grantId);
            if (grant == null) {
                return null;
            }
            GrantLedger.Accepted accepted = ledger.report(peer, grant, reads, bytes, nowNs);
            if (accepted.isAny()) {
                grant.extent().lastReadNs = nowNs;
            }
            return new CountedReport(grant.extent(), accepted);
        }
    }

    /** Takes the next grant whose holder must be told to stop; null when there is none. */
    public @Nullable GrantRecord nextRevocation() {
        synchronized (lock) {
            return table.nextRevocation();
        }
    }
}
