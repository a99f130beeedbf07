package io.terrace.channel.server;

import io.terrace.channel.Grant;
import io.terrace.channel.GrantAnswer;
import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.Message;
import io.terrace.channel.Message.Ask;
import io.terrace.channel.Message.Granted;
import io.terrace.channel.Message.Hello;
import io.terrace.channel.Message.Lease;
import io.terrace.channel.Message.Opened;
import io.terrace.channel.Message.Refused;
import io.terrace.channel.Message.Release;
import io.terrace.channel.Message.Renew;
import io.terrace.channel.Message.Renewed;
import io.terrace.channel.Message.Report;
import io.terrace.channel.Message.Revoked;
import io.terrace.channel.Refusal;
import io.terrace.channel.RefusalReason;
import io.terrace.channel.shm.LinkDirectory;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a {@link GrantServer} says to each message of a client: which call of the {@link GrantService} it means, and what
 * goes back. Knows nothing of sockets and threads.
 */
final class GrantDispatcher {
    private static final Logger LOG = LoggerFactory.getLogger(GrantDispatcher.class);

    private final Message.Welcome welcome;
    private final LinkDirectory links;
    private final GrantService owner;
    private final long linkTimeoutMs;
    private final MetricRegistry metricRegistry;
    private final BiConsumer<GrantSession, Message> post;

    GrantDispatcher(
            Message.Welcome welcome,
            LinkDirectory links,
            GrantService owner,
            long linkTimeoutMs,
            MetricRegistry metricRegistry,
            BiConsumer<GrantSession, Message> post) {
        this.welcome = welcome;
        this.links = links;
        this.owner = owner;
        this.linkTimeoutMs = linkTimeoutMs;
        this.metricRegistry = metricRegistry;
        this.post = post;
    }

    /**
     * Takes one message in, on the selector thread.
     *
     * @return the call of the owner that it means, for a worker; null when nothing is left to do
     * @throws MalformedMessageException when no client in its senses would say that now
     */
    @Nullable
    Runnable take(GrantSession session, Message message) throws MalformedMessageException {
        Peer peer = session.peer;
        if (peer == null) {
            if (!(message instanceof Hello hello)) {
                throw new MalformedMessageException("a client that does not say hello");
            }
            session.peer = new Peer(session.number, session.user, session.group, true, hello.client());
            post.accept(session, welcome);
            return null;
        }
        if (message instanceof Ask ask) {
            return () -> answer(session, peer, ask);
        }
        if (message instanceof Opened opened) {
            unlink(session.takeLink(opened.grantId()));
            return null;
        }
        if (message instanceof Renew renew) {
            return () -> renew(session, peer, renew);
        }
        if (message instanceof Release release) {
            release.grantIds().forEach(grantId -> unlink(session.takeLink(grantId)));
            return () -> release.grantIds().forEach(grantId -> owner.released(peer, grantId));
        }
        if (message instanceof Revoked revoked) {
            unlink(session.takeLink(revoked.grantId()));
            return () -> owner.released(peer, revoked.grantId());
        }
        if (message instanceof Report report) {
            return report.reports().isEmpty() ? null : () -> owner.reported(peer, report.reports());
        }
        if (message instanceof Message.Goodbye) {
            session.orderly = true;
            return null;
        }
        throw new MalformedMessageException("a client that speaks as a server");
    }

    /** The call that tells the owner of a session's end; null when it never said hello. */
    @Nullable
    Runnable end(GrantSession session) {
        Peer peer = session.peer;
        if (peer == null) {
            return null;
        }
        if (!session.orderly) {
            metricRegistry.increment(Metric.CHANNEL_PEERS_LOST);
        }
        return () -> owner.disconnected(peer, session.orderly);
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

    private void answer(GrantSession session, Peer peer, Ask ask) {
        GrantAnswer answer;
        try {
            answer = session.hasManyLinks()
                    ? new Refusal(RefusalReason.BUSY, "open what was granted before asking for more")
                    : owner.grant(peer, ask.request());
        } catch (RuntimeException | Error e) {
            LOG.error("Cannot grant {} to {}", ask.request(), peer, e);
            answer = new Refusal(RefusalReason.FAILED, "the DataNode failed; see its log");
        }
        if (answer instanceof Grant grant) {
            metricRegistry.increment(Metric.CHANNEL_GRANTS);
            long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(linkTimeoutMs);
            session.expectOpen(grant.grantId(), grant.linkName(), deadlineNs);
            post.accept(session, new Granted(ask.requestId(), grant));
        } else if (answer instanceof Refusal refusal) {
            metricRegistry.increment(Metric.CHANNEL_GRANTS_REFUSED);
            post.accept(session, new Refused(ask.requestId(), refusal));
        }
    }

    private void renew(GrantSession session, Peer peer, Renew renew) {
        List<Lease> leases = new ArrayList<>(renew.grantIds().size());
        for (long grantId : renew.grantIds()) {
            leases.add(new Lease(grantId, Math.max(0, owner.renew(peer, grantId))));
        }
        post.accept(session, new Renewed(leases));
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
