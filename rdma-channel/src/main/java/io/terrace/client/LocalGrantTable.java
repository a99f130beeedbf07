package io.terrace.client;

import io.terrace.channel.Message;
import io.terrace.channel.MessageCodec;
import io.terrace.channel.ReadReport;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The grants of one DataNode that a client holds: which leases to renew, which to give back, what to report.
 *
 * <p>Time is passed in, messages go out through a callback. Grants are entered and tended by the link's control thread and
 * leave on whichever thread ends them.
 */
final class LocalGrantTable {
    private final ClientConfig.Local settings;
    private final IntSupplier heldByProcess;
    private final Consumer<Message> outbox;
    private final Map<Long, LocalGrant> grants = new ConcurrentHashMap<>();
    private long renewAskedNs;
    private boolean renewAsked;

    /** @param heldByProcess grants of all DataNodes, which the limit is for */
    LocalGrantTable(ClientConfig.Local settings, IntSupplier heldByProcess, Consumer<Message> outbox) {
        this.settings = settings;
        this.heldByProcess = heldByProcess;
        this.outbox = outbox;
    }

    void enter(LocalGrant grant) {
        grants.put(grant.id(), grant);
    }

    @Nullable
    LocalGrant get(long grantId) {
        return grants.get(grantId);
    }

    void leave(LocalGrant grant) {
        grants.remove(grant.id());
    }

    boolean isEmpty() {
        return grants.isEmpty();
    }

    void endAll(LocalGrant.End how) {
        grants.values().forEach(grant -> grant.end(how));
    }

    /** Renews what is used and half over, gives back what is idle or too much. */
    void maintain(long nowNs) {
        List<Long> renew = new ArrayList<>();
        List<LocalGrant> unused = new ArrayList<>();
        for (LocalGrant grant : grants.values()) {
            if (grant.takeUsed()) {
                grant.lastUsedNs = nowNs;
            } else {
                unused.add(grant);
            }
            long leftMs = grant.leaseLeftMs(nowNs);
            boolean idle = nowNs - grant.lastUsedNs > TimeUnit.MILLISECONDS.toNanos(settings.grantIdleMs());
            if (leftMs <= 0 || idle) {
                grant.end(LocalGrant.End.RELEASED);
            } else if (grant.renewable && leftMs < grant.leaseMs() / 2 && renew.size() < MessageCodec.MAX_LIST) {
                renew.add(grant.id());
            }
        }
        if (!renew.isEmpty() && !renewAsked) {
            renewAsked = true;
            renewAskedNs = nowNs;
            outbox.accept(new Message.Renew(renew));
        }
        makeRoom(unused);
    }

    /** Takes in the answer to the last renewal. */
    void renewed(List<Message.Lease> leases) {
        for (Message.Lease lease : leases) {
            LocalGrant grant = grants.get(lease.grantId());
            if (grant != null) {
                grant.renewable = lease.leaseMs() > 0;
                if (grant.renewable) {
                    // The lease is counted from the request, so it ends here before it ends on the DataNode.
                    grant.extendLease(renewAskedNs + TimeUnit.MILLISECONDS.toNanos(lease.leaseMs()));
                }
            }
        }
        renewAsked = false;
    }

    /** Reports what was read since the last time. */
    void report() {
        List<ReadReport> reports = new ArrayList<>();
        for (LocalGrant grant : grants.values()) {
            ReadReport report = grant.takeReport();
            if (report != null) {
                reports.add(report);
                if (reports.size() == MessageCodec.MAX_LIST) {
                    outbox.accept(new Message.Report(reports));
                    reports.clear();
                }
            }
        }
        if (!reports.isEmpty()) {
            outbox.accept(new Message.Report(reports));
        }
    }

    /** Near the limit, gives back an eighth: those that were not used for longest. */
    private void makeRoom(List<LocalGrant> unused) {
        int eighth = settings.grantsMax() / 8;
        if (heldByProcess.getAsInt() > settings.grantsMax() - eighth) {
            unused.sort(Comparator.comparingLong(grant -> grant.lastUsedNs));
            unused.stream().limit(eighth + 1L).forEach(grant -> grant.end(LocalGrant.End.RELEASED));
        }
    }
}
