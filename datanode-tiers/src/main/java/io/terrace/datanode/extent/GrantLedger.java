package io.terrace.datanode.extent;

import io.terrace.channel.server.Principal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Who may read which extent, until when, and what they said they read.
 *
 * <p>Bounded by {@link Limits}. A grant ends by release, by the end of its connection, by the acknowledgement of a revoke,
 * or at the latest when its lease plus the operation deadline has passed; whichever comes first, exactly once. Reports are
 * accepted up to what one process can plausibly have read, counted for each {@link Principal}, so a user who forges them gains
 * a bounded influence, over however many connections.
 *
 * <p>Times in nanoseconds of one monotonic clock, passed in. Not thread-safe: owned by {@link LocalTier}.
 */
public final class GrantLedger {

    /**
     * What the ledger admits.
     *
     * @param grants held at one time by everybody
     * @param grantsPerPeer held at one time by one connection
     * @param leaseNs the longest lease given
     * @param deadlineNs how long an operation begun under a lease may still run after it
     * @param bytesPerSecond what one process can plausibly read: what is believed of one holder
     * @param readsPerSecond how often one process can plausibly read: likewise
     */
    public record Limits(
            int grants, int grantsPerPeer, long leaseNs, long deadlineNs, long bytesPerSecond, long readsPerSecond) {}

    /** What of a report counts. */
    public record Accepted(long reads, long bytes) {
        /** Whether anything counts. */
        public boolean isAny() {
            return reads > 0 || bytes > 0;
        }
    }

    /** What a client reads through one grant before it reports early: the default of {@code terrace.client.report.bytes}. */
    private static final long KEPT_BACK_BYTES = 256L << 20;

    private final Limits limits;
    private final PrincipalAccounts holders;
    private final Map<Long, GrantRecord> byId = new HashMap<>();
    private final Map<Long, PeerGrants> peers = new HashMap<>();
    private final Map<Extent, Set<GrantRecord>> byExtent = new IdentityHashMap<>();
    private final TreeSet<GrantRecord> byEnd = new TreeSet<>((a, b) -> {
        int order = Long.compare(a.endsNs - b.endsNs, 0);
        return order != 0 ? order : Long.compare(a.id(), b.id());
    });
    private long nextId;

    /** An empty ledger. */
    public GrantLedger(Limits limits) {
        this(limits, 1);
    }

    /** An empty ledger whose grants are numbered from here, apart from those of another one. */
    public GrantLedger(Limits limits, long firstId) {
        this.limits = limits;
        this.holders = new PrincipalAccounts(limits);
        this.nextId = firstId;
    }

    /**
     * A new grant that ends with its token at the latest.
     *
     * @return null when the ledger or this peer is at its limit, or the holder has as many as are left for everybody else
     */
    public @Nullable GrantRecord grant(long peer, Principal principal, Extent extent, long tokenEndsNs, long nowNs) {
        if (!holders.mayTake(principal)) {
            return null;
        }
        PeerGrants ofPeer = peers.computeIfAbsent(peer, p -> new PeerGrants(nowNs));
        if (ofPeer.size() >= limits.grantsPerPeer() || ofPeer.hasMostOf(extent)) {
            return null;
        }
        GrantRecord grant = new GrantRecord(nextId++, peer, holders.take(principal, nowNs), extent, tokenEndsNs);
        grant.endsNs = nowNs + leaseNs(grant, nowNs) + limits.deadlineNs();
        byId.put(grant.id(), grant);
        ofPeer.add(grant);
        byExtent.computeIfAbsent(extent, e -> new LinkedHashSet<>()).add(grant);
        byEnd.add(grant);
        extent.grants++;
        return grant;
    }

    /**
     * The grant that its holder must give back because a peer has more than {@link PeerGrants#SOFT_LIMIT} of one extent, told
     * once; null when there is none.
     */
    public @Nullable GrantRecord surplus(long peer, Extent extent) {
        PeerGrants ofPeer = peers.get(peer);
        return ofPeer == null ? null : ofPeer.surplus(extent);
    }

    /** The lease that a grant may have from now on; 0 or less when its token is over. */
    public long leaseNs(GrantRecord grant, long nowNs) {
        return Math.min(limits.leaseNs(), grant.tokenEndsNs() - nowNs);
    }

    /** Lengthens the lease of a grant on a live extent; answers the new lease, 0 or less when there is none. */
    public long renew(long peer, long grantId, long nowNs) {
        GrantRecord grant = held(peer, grantId);
        if (grant == null || grant.extent().state != ExtentState.LIVE) {
            return 0;
        }
        long leaseNs = leaseNs(grant, nowNs);
        long endsNs = nowNs + leaseNs + limits.deadlineNs();
        if (leaseNs > 0 && endsNs - grant.endsNs > 0) {
            byEnd.remove(grant);
            grant.endsNs = endsNs;
            byEnd.add(grant);
        }
        return leaseNs;
    }

    /** The grant, if this peer holds it. */
    public @Nullable GrantRecord held(long peer, long grantId) {
        GrantRecord grant = byId.get(grantId);
        return grant != null && grant.peer() == peer ? grant : null;
    }

    /** Ends a grant of this peer; null when it holds no such grant (any more). */
    public @Nullable GrantRecord end(long peer, long grantId) {
        GrantRecord grant = held(peer, grantId);
        if (grant != null) {
            end(grant);
        }
        return grant;
    }

    /** Ends all grants of a connection that is gone. */
    public List<GrantRecord> endPeer(long peer) {
        PeerGrants ofPeer = peers.remove(peer);
        if (ofPeer == null) {
            return List.of();
        }
        List<GrantRecord> ended = ofPeer.all();
        ended.forEach(this::end);
        return ended;
    }

    /** Ends every grant whose lease and deadline are over. */
    public List<GrantRecord> endOverdue(long nowNs) {
        List<GrantRecord> ended = new ArrayList<>(0);
        holders.forgetRested(nowNs);
        while (!byEnd.isEmpty() && byEnd.first().endsNs - nowNs <= 0) {
            GrantRecord first = byEnd.first();
            end(first);
            ended.add(first);
        }
        return ended;
    }

    /** The grants held on an extent. */
    public Collection<GrantRecord> of(Extent extent) {
        Set<GrantRecord> grants = byExtent.get(extent);
        return grants == null ? List.of() : List.copyOf(grants);
    }

    /**
     * How much of what this peer says it read through a grant it holds is plausible, and so counts. Bytes may come in a
     * later report than their read, but no read is longer than the extent.
     */
    public Accepted report(long peer, GrantRecord grant, long reads, long bytes, long nowNs) {
        PeerGrants ofPeer = peers.get(peer);
        if (ofPeer == null || grant.ended || reads < 0 || bytes < 0) {
            return new Accepted(0, 0);
        }
        long acceptedReads = grant.account().reads.take(nowNs, reads);
        long length = grant.extent().lengthBytes();
        long readsSoFar = grant.reads + acceptedReads;
        long mostBytes = readsSoFar > Long.MAX_VALUE / length ? Long.MAX_VALUE : readsSoFar * length;
        long acceptedBytes = grant.account().bytes.take(nowNs, Math.min(bytes, mostBytes - grant.bytes));
        grant.reads = readsSoFar;
        grant.bytes += acceptedBytes;
        ofPeer.lastReportNs = nowNs;
        return new Accepted(acceptedReads, acceptedBytes);
    }

    /** The most that a connection which ends now can have read without having reported it. */
    public long unreportedBytes(long peer, long nowNs) {
        PeerGrants ofPeer = peers.get(peer);
        if (ofPeer == null || ofPeer.size() == 0) {
            return 0;
        }
        double seconds = Math.max(0, nowNs - ofPeer.lastReportNs) / 1e9;
        double keptBack = (double) ofPeer.size() * KEPT_BACK_BYTES;
        return (long) Math.min(seconds * limits.bytesPerSecond(), keptBack);
    }

    /** Grants held now. */
    public int size() {
        return byId.size();
    }

    /** Users who hold grants, and those whose accounts are kept without grants. */
    int holders() {
        return holders.size();
    }

    private void end(GrantRecord grant) {
        grant.ended = true;
        holders.giveBack(grant.account());
        byId.remove(grant.id());
        byEnd.remove(grant);
        PeerGrants ofPeer = peers.get(grant.peer());
        if (ofPeer != null) {
            ofPeer.remove(grant);
        }
        Set<GrantRecord> ofExtent = byExtent.get(grant.extent());
        if (ofExtent != null) {
            ofExtent.remove(grant);
            if (ofExtent.isEmpty()) {
                byExtent.remove(grant.extent());
            }
        }
        grant.extent().grants--;
        if (grant.extent().grants < 0) {
            throw new IllegalStateException("grant " + grant.id() + " ended twice on " + grant.extent());
        }
    }
}
