package io.terrace.bench.simulation.cluster;

import io.terrace.bench.simulation.kernel.Connection;
import io.terrace.channel.Grant;
import io.terrace.channel.GrantAnswer;
import io.terrace.channel.GrantRequest;
import io.terrace.channel.ReadReport;
import io.terrace.channel.RefusalReason;
import io.terrace.channel.server.Peer;
import io.terrace.common.BlockKey;
import io.terrace.common.StorageTier;
import io.terrace.datanode.extent.GrantRecord;
import io.terrace.datanode.grant.TierGrantService;
import io.terrace.datanode.grant.TokenVerifier;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The protocol of the grant server, without sockets, around the real {@link TierGrantService}. Keeps the links that a
 * client was given and has not opened yet.
 */
public final class GrantServerDriver {

    private static final long LINK_NS = 300_000_000L;

    /** The messages to a client. */
    public interface Caller {
        void revoked(long grantId, int slot, long sequence);
    }

    private static final class Session {
        final Caller caller;
        final Connection connection;
        final Map<Long, String> links = new LinkedHashMap<>();

        Session(Caller caller, Connection connection) {
            this.caller = caller;
            this.connection = connection;
        }
    }

    private final SimulatedDataNode dataNode;
    private final TierGrantService grantService;
    private final Map<Long, Session> sessions = new HashMap<>();
    private long lastLink;

    GrantServerDriver(SimulatedDataNode dataNode) {
        this.dataNode = dataNode;
        this.grantService = new TierGrantService(
                dataNode.tier(),
                StorageTier.MEMORY,
                extent -> {
                    String link = dataNode.incarnation() + "-" + ++lastLink;
                    dataNode.process()
                            .blockFor(dataNode.simulatedCluster().scheduler().between(5_000, 200_000));
                    dataNode.mount().link(extent, link);
                    return link;
                },
                this::check,
                dataNode.accessRecorder(),
                (peer, reads, bytes) -> {},
                dataNode.metricRegistry(),
                dataNode.process()::nanoTime);
    }

    /** A token in the simulation is only the virtual time at which it expires. */
    static byte[] token(long endsNs) {
        return ByteBuffer.allocate(Long.BYTES).putLong(endsNs).array();
    }

    public static long endsNs(byte[] token) {
        return ByteBuffer.wrap(token).getLong();
    }

    private TokenVerifier.Allowed check(BlockKey block, byte[] token) throws TokenVerifier.Denied {
        long leftMs = (endsNs(token) - dataNode.simulatedCluster().scheduler().nowNs()) / 1_000_000;
        if (leftMs <= 0) {
            throw new TokenVerifier.Denied(RefusalReason.EXPIRED_TOKEN, "the token is over");
        }
        return new TokenVerifier.Allowed(
                dataNode.simulatedCluster().hooks().ignoresTokens() ? TokenVerifier.NO_END : leftMs, "user");
    }

    void open(Peer peer, Caller caller, Connection connection) {
        sessions.put(peer.session(), new Session(caller, connection));
    }

    void ask(Peer peer, BlockKey block, byte[] token, Consumer<GrantAnswer> reply) {
        Session session = sessions.get(peer.session());
        if (session == null) {
            return;
        }
        BlockKey asked = dataNode.simulatedCluster().hooks().asked(dataNode, block);
        GrantAnswer answer = grantService.grant(peer, new GrantRequest(asked, token, false));
        if (answer instanceof Grant grant) {
            session.links.put(grant.grantId(), grant.linkName());
            dataNode.simulatedCluster().observer().granted(dataNode, peer, grant);
            dataNode.process().after(LINK_NS, "link timeout", () -> takeLink(session, grant.grantId()));
        }
        // If a worker is slow to send its answer, a revocation may overtake it.
        dataNode.process().blockFor(dataNode.simulatedCluster().scheduler().between(0, 100_000));
        session.connection.toClient("answer", () -> reply.accept(answer));
    }

    private void takeLink(Session session, long grantId) {
        String link = session.links.remove(grantId);
        if (link != null) {
            dataNode.simulatedCluster().hooks().unlink(dataNode.mount(), link);
        }
    }

    void opened(Peer peer, long grantId) {
        Session session = sessions.get(peer.session());
        if (session != null) {
            takeLink(session, grantId);
        }
    }

    void renew(Peer peer, List<Long> grantIds, Consumer<Map<Long, Long>> reply) {
        Session session = sessions.get(peer.session());
        if (session == null) {
            return;
        }
        Map<Long, Long> leasesMs = new LinkedHashMap<>();
        for (long grantId : grantIds) {
            leasesMs.put(grantId, Math.max(0, grantService.renew(peer, grantId)));
        }
        session.connection.toClient("renewed", () -> reply.accept(leasesMs));
    }

    void released(Peer peer, long grantId) {
        opened(peer, grantId);
        grantService.released(peer, grantId);
    }

    void reported(Peer peer, List<ReadReport> reports) {
        if (sessions.containsKey(peer.session())) {
            grantService.reported(peer, reports);
        }
    }

    void disconnected(Peer peer, boolean orderly) {
        Session session = sessions.remove(peer.session());
        if (session != null) {
            List.copyOf(session.links.keySet()).forEach(grantId -> takeLink(session, grantId));
            grantService.disconnected(peer, orderly);
        }
    }

    void revoke(GrantRecord grant) {
        Session session = sessions.get(grant.peer());
        if (session != null && dataNode.simulatedCluster().hooks().sendsRevocations()) {
            int slot = grant.extent().slot();
            long sequence = grant.extent().sequence();
            long id = grant.id();
            session.connection.toClient("revoke", () -> session.caller.revoked(id, slot, sequence));
            dataNode.simulatedCluster().hooks().revokeSent(dataNode, grant);
        }
    }

    public int pendingLinks() {
        int links = 0;
        for (Session session : sessions.values()) {
            links += session.links.size();
        }
        return links;
    }
}
