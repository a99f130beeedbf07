package io.terrace.placementctl.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.protocol.PlacementAdminPB;
import io.terrace.protocol.proto.AdminProtos.PinsRequestProto;
import io.terrace.protocol.proto.AdminProtos.PinsResponseProto;
import io.terrace.protocol.proto.AdminProtos.PlacementAdminService;
import io.terrace.protocol.proto.AdminProtos.StatusResponseProto;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.ipc.ProtobufRpcEngine2;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.ipc.RetriableException;
import org.apache.hadoop.ipc.StandbyException;
import org.apache.hadoop.security.authorize.AuthorizationException;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class AdminClientTest {

    private final Configuration conf = new Configuration();
    private final List<RPC.Server> servers = new ArrayList<>();

    @BeforeEach
    void useProtobuf() {
        RPC.setProtocolEngine(conf, PlacementAdminPB.class, ProtobufRpcEngine2.class);
    }

    @AfterEach
    void stop() {
        servers.forEach(RPC.Server::stop);
    }

    /** A service that answers pins with what it is given, or fails so. */
    private InetSocketAddress service(
            boolean active, long epoch, Exception statusFails, Exception pinsFail, AtomicInteger calls)
            throws IOException {
        PlacementAdminPB answers = (PlacementAdminPB) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {PlacementAdminPB.class}, (proxy, method, arguments) -> {
                    boolean status = method.getName().equals("status");
                    Exception fails = status ? statusFails : pinsFail;
                    if (!status) {
                        calls.incrementAndGet();
                    }
                    if (fails != null) {
                        throw new ServiceException(fails);
                    }
                    return status
                            ? StatusResponseProto.newBuilder()
                                    .setNameNode("127.0.0.1:8020")
                                    .setBlockPoolId("pool")
                                    .setActive(active)
                                    .setEpoch(epoch)
                                    .setServe(true)
                                    .setMoves(true)
                                    .setPolicy("adaptive")
                                    .setMoveBytesPerSecond(1)
                                    .build()
                            : PinsResponseProto.newBuilder().setMost(1).build();
                });
        RPC.Server server = new RPC.Builder(conf)
                .setProtocol(PlacementAdminPB.class)
                .setInstance(PlacementAdminService.newReflectiveBlockingService(answers))
                .setBindAddress("127.0.0.1")
                .setPort(0)
                .setNumHandlers(1)
                .build();
        server.start();
        servers.add(server);
        return new InetSocketAddress("127.0.0.1", server.getListenerAddress().getPort());
    }

    private static PinsResponseProto pins(AdminClient client) throws Refused, Unreachable {
        return client.active(service -> service.pins(null, PinsRequestProto.getDefaultInstance()));
    }

    @Test
    void twoThatSayTheyAreActive_theLatestEpochIsCalled() throws Exception {
        AtomicInteger hung = new AtomicInteger();
        AtomicInteger took = new AtomicInteger();
        List<InetSocketAddress> both = List.of(service(true, 7, null, null, hung), service(true, 9, null, null, took));
        try (AdminClient client = new AdminClient(conf, both)) {
            assertThat(pins(client)).isNotNull();
        }
        assertThat(took).hasValue(1);
        assertThat(hung).hasValue(0);
    }

    @Test
    void activeThatStandsDown_isNoRefusal() throws Exception {
        for (Exception why : List.of(new StandbyException("not active"), new RetriableException("busy"))) {
            try (AdminClient client =
                    new AdminClient(conf, List.of(service(true, 1, null, why, new AtomicInteger())))) {
                assertThatThrownBy(() -> pins(client)).isInstanceOf(Unreachable.class);
            }
        }
        try (AdminClient client = new AdminClient(
                conf, List.of(service(true, 1, null, new IOException("no such file"), new AtomicInteger())))) {
            assertThatThrownBy(() -> pins(client)).isInstanceOf(Refused.class).hasMessageContaining("no such file");
        }
    }

    @Test
    void peer_isAbsentOnlyWhereNobodyListens() throws Exception {
        InetSocketAddress refuses = service(true, 1, new AuthorizationException("not you"), null, new AtomicInteger());
        InetSocketAddress closed = service(true, 1, null, null, new AtomicInteger());
        servers.get(1).stop();
        servers.get(1).join();
        InetSocketAddress unknown = InetSocketAddress.createUnresolved("no.such.host.invalid", 8899);
        try (AdminClient client = new AdminClient(conf, List.of(refuses, closed, unknown))) {
            assertThat(client.peers()).extracting(AdminClient.Peer::absent).containsExactly(false, true, false);
            assertThat(client.peers().get(0).problem()).contains("not you");
        }
    }

    /** A stopped process accepts connections, and says nothing. */
    @Test
    @Timeout(25)
    void serviceThatHangs_delaysACommandBySecondsAlone() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                ServerSocket alike = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            List<InetSocketAddress> all = List.of(
                    new InetSocketAddress("127.0.0.1", silent.getLocalPort()),
                    new InetSocketAddress("127.0.0.1", alike.getLocalPort()),
                    service(true, 7, null, null, new AtomicInteger()));
            long beganNs = System.nanoTime();
            try (AdminClient client = new AdminClient(conf, all)) {
                assertThat(pins(client)).isNotNull();
                assertThat(client.peers()).extracting(AdminClient.Peer::absent).containsOnly(false);
                assertThat(client.peers().get(0).problem()).contains("no answer within 5 s");
            }
            assertThat(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - beganNs))
                    .isLessThan(9);
        }
    }
}
