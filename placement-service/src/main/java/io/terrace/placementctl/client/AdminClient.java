package io.terrace.placementctl.client;

import io.terrace.protocol.PlacementAdminPB;
import io.terrace.protocol.proto.AdminProtos.StatusRequestProto;
import io.terrace.protocol.proto.AdminProtos.StatusResponseProto;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.retry.RetryPolicies;
import org.apache.hadoop.ipc.ProtobufRpcEngine2;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.ipc.RetriableException;
import org.apache.hadoop.ipc.StandbyException;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;
import org.jspecify.annotations.Nullable;

/**
 * Talks to the placement services of a cluster. Connections are tried once, calls take {@value #CALL_TIMEOUT_MS} ms at
 * most.
 */
public final class AdminClient implements AutoCloseable {

    static final int CALL_TIMEOUT_MS = 30_000;

    /** What a service answers while it is not, or not yet, the one to ask. */
    private static final Set<String> COMES_BACK =
            Set.of(StandbyException.class.getName(), RetriableException.class.getName());

    private final Configuration conf;
    private final List<Peer> peers = new ArrayList<>();

    /**
     * One NameNode's service: its status, or why it has none.
     *
     * @param absent whether nobody listens there; false also where it is not known
     */
    public record Peer(
            InetSocketAddress address,
            @Nullable PlacementAdminPB proxy,
            @Nullable StatusResponseProto status,
            String problem,
            boolean absent) {

        public String name() {
            return address.getHostString() + ":" + address.getPort();
        }
    }

    /** A call of the service. */
    @FunctionalInterface
    public interface Call<T> {
        T on(PlacementAdminPB service) throws ServiceException;
    }

    AdminClient(Configuration given, List<InetSocketAddress> addresses) {
        conf = new Configuration(given);
        conf.setInt("ipc.client.connect.max.retries", 0);
        conf.setInt("ipc.client.connect.max.retries.on.timeouts", 0);
        conf.setInt("ipc.client.connect.timeout", 5_000);
        RPC.setProtocolEngine(conf, PlacementAdminPB.class, ProtobufRpcEngine2.class);
        addresses.forEach(address -> peers.add(meet(address)));
    }

    private Peer meet(InetSocketAddress address) {
        if (address.isUnresolved()) {
            return new Peer(address, null, null, "unknown host " + address.getHostString(), true);
        }
        try {
            PlacementAdminPB proxy = RPC.getProtocolProxy(
                            PlacementAdminPB.class,
                            RPC.getProtocolVersion(PlacementAdminPB.class),
                            address,
                            UserGroupInformation.getCurrentUser(),
                            conf,
                            NetUtils.getDefaultSocketFactory(conf),
                            CALL_TIMEOUT_MS,
                            RetryPolicies.TRY_ONCE_THEN_FAIL)
                    .getProxy();
            return new Peer(address, proxy, proxy.status(null, StatusRequestProto.getDefaultInstance()), "", false);
        } catch (ServiceException e) {
            return silent(address, e.getCause() == null ? e : e.getCause());
        } catch (IOException e) {
            return silent(address, e);
        }
    }

    private static Peer silent(InetSocketAddress address, Throwable why) {
        return new Peer(address, null, null, firstLine(why), why instanceof ConnectException);
    }

    public List<Peer> peers() {
        return List.copyOf(peers);
    }

    /** Calls the active service. A NameNode that hung may still believe that it is: the latest epoch decides. */
    public <T> T active(Call<T> call) throws Refused, Unreachable {
        Peer active = null;
        long epoch = 0;
        for (Peer peer : peers) {
            if (peer.status != null && peer.status.getActive() && (active == null || peer.status.getEpoch() > epoch)) {
                active = peer;
                epoch = peer.status.getEpoch();
            }
        }
        if (active != null && active.proxy != null) {
            return on(active.proxy, call);
        }
        StringBuilder why = new StringBuilder("no placement service is active:");
        for (Peer peer : peers) {
            why.append("\n  ").append(peer.name()).append("  ").append(problem(peer));
        }
        throw new Unreachable(why.toString());
    }

    private static String problem(Peer peer) {
        if (peer.status == null) {
            return peer.problem;
        }
        return peer.status.getFailed() ? "failed, off until its NameNode is restarted" : "standby";
    }

    private static <T> T on(PlacementAdminPB service, Call<T> call) throws Refused, Unreachable {
        try {
            return call.on(service);
        } catch (ServiceException e) {
            if (e.getCause() instanceof RemoteException refusal && !COMES_BACK.contains(refusal.getClassName())) {
                throw new Refused(firstLine(refusal));
            }
            throw new Unreachable(firstLine(e.getCause() == null ? e : e.getCause()));
        }
    }

    /** Remote exceptions carry a stack trace in their message; the first line is for people. */
    private static String firstLine(Throwable e) {
        String message = e.getMessage() == null ? e.toString() : e.getMessage();
        if (e instanceof ConnectException) {
            return "connection refused";
        }
        return message.lines().findFirst().orElse(message);
    }

    @Override
    public void close() {
        for (Peer peer : peers) {
            if (peer.proxy != null) {
                RPC.stopProxy(peer.proxy);
            }
        }
    }
}
