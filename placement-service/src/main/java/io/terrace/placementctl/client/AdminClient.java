package io.terrace.placementctl.client;

import io.terrace.common.DaemonThreads;
import io.terrace.protocol.PlacementAdminPB;
import io.terrace.protocol.proto.AdminProtos.StatusRequestProto;
import io.terrace.protocol.proto.AdminProtos.StatusResponseProto;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.retry.RetryPolicies;
import org.apache.hadoop.ipc.ProtobufRpcEngine2;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.ipc.RetriableException;
import org.apache.hadoop.ipc.StandbyException;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.authorize.AuthorizationException;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;
import org.jspecify.annotations.Nullable;

/**
 * Talks to the placement services of a cluster. All are asked for their status at the same time, for {@value #STATUS_TIMEOUT_MS} ms
 * at most, so that one that hangs delays a command no longer. Connections are tried once, calls take
 * {@value #CALL_TIMEOUT_MS} ms at most.
 */
public final class AdminClient implements AutoCloseable {

    static final int CALL_TIMEOUT_MS = 30_000;
    static final int STATUS_TIMEOUT_MS = 5_000;

    /** Less, so that a host that is gone is called so. */
    private static final int CONNECT_TIMEOUT_MS = 4_000;

    private final Configuration conf;
    private final List<Peer> peers = new ArrayList<>();

    /**
     * One NameNode's service: its status, or why it has none.
     *
     * @param absent whether nobody listens there; false also where it is not known
     * @param forbidden whether the service does not let this user ask anything
     */
    public record Peer(
            InetSocketAddress address,
            @Nullable PlacementAdminPB proxy,
            @Nullable StatusResponseProto status,
            String problem,
            boolean absent,
            boolean forbidden) {

        private static Peer silent(InetSocketAddress address, String problem) {
            return new Peer(address, null, null, problem, false, false);
        }

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
        conf.setInt("ipc.client.connect.timeout", CONNECT_TIMEOUT_MS);
        RPC.setProtocolEngine(conf, PlacementAdminPB.class, ProtobufRpcEngine2.class);
        ExecutorService meeting =
                Executors.newFixedThreadPool(addresses.size(), DaemonThreads.named("placementctl-status"));
        try {
            UserGroupInformation user = UserGroupInformation.getCurrentUser();
            List<Future<Peer>> met = addresses.stream()
                    .map(address -> meeting.submit(() -> meet(address, user)))
                    .toList();
            long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(STATUS_TIMEOUT_MS);
            for (int i = 0; i < addresses.size(); i++) {
                peers.add(awaited(met.get(i), addresses.get(i), endNs));
            }
        } catch (IOException e) {
            addresses.forEach(address -> peers.add(silent(address, e)));
        } finally {
            meeting.shutdownNow();
        }
    }

    private static Peer awaited(Future<Peer> met, InetSocketAddress address, long endNs) {
        try {
            return met.get(Math.max(0, endNs - System.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            met.cancel(true);
            String why = "no answer within " + STATUS_TIMEOUT_MS / 1000 + " s: it hangs, or is too busy";
            return Peer.silent(address, why);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Peer.silent(address, "interrupted");
        } catch (ExecutionException e) {
            return silent(address, e.getCause() == null ? e : e.getCause());
        }
    }

    private Peer meet(InetSocketAddress address, UserGroupInformation user) throws IOException {
        if (address.isUnresolved()) {
            return Peer.silent(address, "unknown host " + address.getHostString());
        }
        PlacementAdminPB proxy = RPC.getProtocolProxy(
                        PlacementAdminPB.class,
                        RPC.getProtocolVersion(PlacementAdminPB.class),
                        address,
                        user,
                        conf,
                        NetUtils.getDefaultSocketFactory(conf),
                        CALL_TIMEOUT_MS,
                        RetryPolicies.TRY_ONCE_THEN_FAIL)
                .getProxy();
        try {
            return new Peer(
                    address, proxy, proxy.status(null, StatusRequestProto.getDefaultInstance()), "", false, false);
        } catch (ServiceException e) {
            RPC.stopProxy(proxy);
            return silent(address, e.getCause() == null ? e : e.getCause());
        }
    }

    private static Peer silent(InetSocketAddress address, Throwable why) {
        boolean forbidden = why instanceof RemoteException refusal
                && refusal.getClassName().equals(AuthorizationException.class.getName());
        return new Peer(address, null, null, firstLine(why), why instanceof ConnectException, forbidden);
    }

    public List<Peer> peers() {
        return List.copyOf(peers);
    }

    /** The active service; null where none is. A NameNode that hung may still believe that it is: the latest epoch decides. */
    public @Nullable Peer active() {
        return peers.stream()
                .filter(peer -> peer.status != null && peer.status.getActive())
                .max(Comparator.comparingLong(AdminClient::epoch))
                .orElse(null);
    }

    private static long epoch(Peer peer) {
        return peer.status == null ? 0 : peer.status.getEpoch();
    }

    /** Calls one service, active or not, that told its status. */
    public <T> T of(Peer peer, Call<T> call) throws Refused, Unreachable {
        if (peer.proxy == null) {
            throw new Unreachable(peer.name() + ": " + peer.problem);
        }
        return on(peer.proxy, call);
    }

    /** Calls the active service. */
    public <T> T active(Call<T> call) throws Refused, Unreachable {
        Peer active = active();
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
            if (e.getCause() instanceof RemoteException refusal) {
                if (refusal.getClassName().equals(RetriableException.class.getName())) {
                    throw Unreachable.busy(firstLine(refusal));
                }
                if (!refusal.getClassName().equals(StandbyException.class.getName())) {
                    throw new Refused(firstLine(refusal), refusal.getClassName());
                }
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
