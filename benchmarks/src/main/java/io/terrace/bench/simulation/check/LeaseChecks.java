package io.terrace.bench.simulation.check;

import io.terrace.bench.simulation.cluster.SimulatedClient;
import io.terrace.bench.simulation.cluster.SimulatedDataNode;
import io.terrace.bench.simulation.kernel.Invariant;
import io.terrace.bench.simulation.kernel.OsProcess;
import io.terrace.bench.simulation.kernel.Violation;
import io.terrace.datanode.extent.Extent;
import java.util.HashMap;
import java.util.Map;

/** The leases that clients of one DataNode process hold, as the clients count them, in the scheduler's time. */
final class LeaseChecks {

    private static final class Lease {
        final SimulatedClient client;
        final Extent extent;
        final long begunNs;
        final long tokenEndsNs;
        long endsNs;

        Lease(SimulatedClient client, Extent extent, long begunNs, long endsNs, long tokenEndsNs) {
            this.client = client;
            this.extent = extent;
            this.begunNs = begunNs;
            this.endsNs = endsNs;
            this.tokenEndsNs = tokenEndsNs;
        }
    }

    private final Map<Long, Lease> held = new HashMap<>();
    private final Map<Long, Long> over = new HashMap<>();
    private final long deadlineNs;

    /** @param deadlineNs how long an operation begun under a lease may still run after it */
    LeaseChecks(long deadlineNs) {
        this.deadlineNs = deadlineNs;
    }

    /**
     * A client holds this grant from now on, until that time by its own clock, and no longer than its token is valid.
     */
    void begin(long grantId, SimulatedClient client, Extent extent, long nowNs, long endsNs, long tokenEndsNs) {
        held.put(grantId, new Lease(client, extent, nowNs, endsNs, tokenEndsNs));
    }

    void renew(long grantId, long endsNs) {
        Lease lease = held.get(grantId);
        if (lease != null) {
            lease.endsNs = endsNs;
        }
    }

    /** The client stops reading through it; a read that has just ended may still be used. */
    void end(long grantId) {
        long endsNs = endsNs(grantId);
        if (held.remove(grantId) != null) {
            over.put(grantId, endsNs);
        }
    }

    /** When the client must stop using bytes that it reads through the grant; the smallest time if it never had it. */
    long endsNs(long grantId) {
        Lease lease = held.get(grantId);
        return lease == null ? over.getOrDefault(grantId, 0L) : Math.min(lease.endsNs, lease.tokenEndsNs);
    }

    /** The extent was retired long ago: its holders were told by now, and stopped unless they cannot. */
    void checkTold(SimulatedDataNode dataNode, Extent extent, long retiredNs) {
        for (Map.Entry<Long, Lease> entry : held.entrySet()) {
            Lease lease = entry.getValue();
            OsProcess holder = lease.client.process();
            Violation.unless(
                    lease.extent != extent
                            || lease.begunNs >= retiredNs
                            || !holder.isAlive()
                            || holder.isBlocked()
                            || holder.stoodStillSince(retiredNs),
                    Invariant.FREED_IN_TIME,
                    "%s retired %s long ago, and %s still has grant %d on it",
                    dataNode,
                    extent,
                    holder.name(),
                    entry.getKey());
        }
    }

    /** The bytes of this extent are about to be freed: all reads under its leases have ended too. */
    void checkFree(SimulatedDataNode dataNode, Extent extent, long nowNs) {
        for (Map.Entry<Long, Lease> entry : held.entrySet()) {
            Lease lease = entry.getValue();
            Violation.unless(
                    lease.extent != extent || !lease.client.process().isAlive() || lease.endsNs + deadlineNs <= nowNs,
                    Invariant.FREED_WITHOUT_LEASE,
                    "%s frees %s, on which %s has grant %d, and may read for %.3f ms yet",
                    dataNode,
                    extent,
                    lease.client.process().name(),
                    entry.getKey(),
                    (lease.endsNs + deadlineNs - nowNs) / 1e6);
        }
    }
}
