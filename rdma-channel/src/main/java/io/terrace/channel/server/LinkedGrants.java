package io.terrace.channel.server;

import io.terrace.channel.Grant;
import io.terrace.channel.GrantAnswer;
import io.terrace.channel.GrantRequest;
import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.Message;
import io.terrace.channel.Refusal;
import io.terrace.channel.RefusalReason;
import io.terrace.channel.shm.LinkDirectory;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The grants of clients of this host: each gets a hard link to the extent, removed once the client has opened it. */
final class LinkedGrants implements GrantDispatcher.Grants<GrantSession> {
    private static final Logger LOG = LoggerFactory.getLogger(LinkedGrants.class);

    private final LinkDirectory links;
    private final GrantService owner;
    private final long linkTimeoutMs;
    private final MetricRegistry metricRegistry;

    LinkedGrants(LinkDirectory links, GrantService owner, long linkTimeoutMs, MetricRegistry metricRegistry) {
        this.links = links;
        this.owner = owner;
        this.linkTimeoutMs = linkTimeoutMs;
        this.metricRegistry = metricRegistry;
    }

    @Override
    public GrantAnswer grant(GrantSession session, GrantRequest request, Principal principal) {
        if (session.hasManyLinks()) {
            return new Refusal(RefusalReason.BUSY, "open what was granted before asking for more");
        }
        GrantAnswer answer = owner.grant(session.peer(), request);
        if (answer instanceof Grant grant) {
            long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(linkTimeoutMs);
            session.expectOpen(grant.grantId(), grant.linkName(), deadlineNs);
        }
        return answer;
    }

    @Override
    public SerialExecutor.@Nullable Call call(GrantSession session, Message message) throws MalformedMessageException {
        Peer peer = session.peer();
        if (message instanceof Message.Report report) {
            return report.reports().isEmpty() ? null : () -> owner.reported(peer, report.reports());
        }
        if (message instanceof Message.Release release) {
            return () -> release.grantIds().forEach(id -> released(session, id));
        }
        if (message instanceof Message.Revoked revoked) {
            return () -> released(session, revoked.grantId());
        }
        if (message instanceof Message.Opened opened) {
            unlink(session.takeLink(opened.grantId()));
            return null;
        }
        if (message instanceof Message.Renew renew) {
            return () -> session.send(new Message.Renewed(renew.grantIds().stream()
                    .map(id -> new Message.Lease(id, Math.max(0, owner.renew(peer, id))))
                    .toList()));
        }
        throw new MalformedMessageException("a client sent a server's message");
    }

    @Override
    public void ended(GrantSession session, boolean orderly) {
        removeLinks(session, 0, true);
        if (!orderly) {
            metricRegistry.increment(Metric.CHANNEL_PEERS_LOST);
        }
        try {
            owner.disconnected(session.peer(), orderly);
        } catch (RuntimeException | Error e) {
            LOG.error("The end of client {} of {} failed", session.number, session.user, e);
        }
    }

    /** Removes the links that the client did not open in time, or all it was told. */
    void removeLinks(GrantSession session, long nowNs, boolean all) {
        for (String link = session.takeOverdueLink(nowNs, all);
                link != null;
                link = session.takeOverdueLink(nowNs, all)) {
            metricRegistry.increment(Metric.CHANNEL_LINKS_EXPIRED);
            unlink(link);
        }
    }

    private void released(GrantSession session, long grantId) {
        unlink(session.takeLink(grantId));
        owner.released(session.peer(), grantId);
    }

    private void unlink(@Nullable String link) {
        if (link == null) {
            return;
        }
        try {
            if (LinkDirectory.isName(link)) {
                links.unlink(link);
            } else {
                Files.deleteIfExists(Path.of(link));
            }
        } catch (IOException | RuntimeException e) {
            LOG.warn("Cannot remove the link of a grant", e);
        }
    }
}
