package io.terrace.placementctl;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.protocol.PlacementAdminPB;
import io.terrace.protocol.proto.AdminProtos.PlacementAdminService;
import io.terrace.protocol.proto.AdminProtos.StatusResponseProto;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.ipc.ProtobufRpcEngine2;
import org.apache.hadoop.ipc.RPC;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an operator is told of a NameNode whose placement loop failed too often: that it is no standby. */
class FailedServiceTest {
    private static final StatusResponseProto FAILED = StatusResponseProto.newBuilder()
            .setNameNode("nn1:8020")
            .setBlockPoolId("BP-1")
            .setActive(false)
            .setFailed(true)
            .setEpoch(3)
            .setServe(true)
            .setMoves(true)
            .setPolicy("adaptive")
            .setMoveBytesPerSecond(1)
            .build();

    @TempDir
    Path dir;

    private RPC.Server server;
    private CtlSession session;

    @BeforeEach
    void start() throws IOException {
        Configuration conf = new Configuration(false);
        RPC.setProtocolEngine(conf, PlacementAdminPB.class, ProtobufRpcEngine2.class);
        // Nothing but status is asked of a service that is not active.
        PlacementAdminPB service = (PlacementAdminPB) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {PlacementAdminPB.class}, (proxy, method, arguments) -> {
                    assertThat(method.getName()).isEqualTo("status");
                    return FAILED;
                });
        server = new RPC.Builder(conf)
                .setProtocol(PlacementAdminPB.class)
                .setInstance(PlacementAdminService.newReflectiveBlockingService(service))
                .setBindAddress("127.0.0.1")
                .setPort(0)
                .setNumHandlers(1)
                .build();
        server.start();
        session = CtlSession.of(
                dir.resolve("conf"),
                URI.create("hdfs://127.0.0.1:1"),
                "127.0.0.1:" + server.getListenerAddress().getPort());
    }

    @AfterEach
    void stop() {
        server.stop();
    }

    @Test
    void status_ofAFailedService_saysSo() {
        assertThat(session.run("status")).isEqualTo(3);
        assertThat(session.out).contains("failed in NameNode nn1:8020: off until that NameNode is restarted");
        assertThat(session.out).doesNotContain("standby");
    }

    @Test
    void doctor_ofAFailedService_namesItAndTheRemedy() {
        assertThat(session.run("doctor")).isEqualTo(3);
        assertThat(session.out).contains("service.failed", "none-active").contains("fail over to another");
    }

    @Test
    void otherCommands_ofAFailedService_sayWhyNoneIsActive() {
        assertThat(session.run("tiers")).isEqualTo(3);
        assertThat(session.err).contains("failed, off until its NameNode is restarted");
    }
}
