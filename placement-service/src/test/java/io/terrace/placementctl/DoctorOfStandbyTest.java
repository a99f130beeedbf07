package io.terrace.placementctl;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.protocol.proto.AdminProtos.DoctorResponseProto;
import io.terrace.protocol.proto.AdminProtos.FindingProto;
import io.terrace.protocol.proto.DataNodeProtos.ConditionProto;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.ipc.RetriableException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code doctor} shows of the NameNode that decides nothing now, and would after a failover. */
class DoctorOfStandbyTest {

    @TempDir
    Path dir;

    private static FakeService service(boolean active, String... ids) throws IOException {
        DoctorResponseProto.Builder answer = DoctorResponseProto.newBuilder();
        for (String id : ids) {
            answer.addFindings(FindingProto.newBuilder()
                    .setWhere("NameNode")
                    .setFinding(ConditionProto.newBuilder()
                            .setId(id)
                            .setSeverity(ConditionProto.Severity.ERROR)
                            .setText("text of " + id)));
        }
        return new FakeService(
                (call, request) -> call.equals("status") ? FakeService.status(active, 3) : answer.build());
    }

    private String doctorOfAStandbyThatThrows(IOException why) throws IOException {
        try (FakeService standby = new FakeService((call, request) -> {
            if (call.equals("status")) {
                return FakeService.status(false, 3);
            }
            throw why;
        })) {
            CtlSession session =
                    CtlSession.of(dir.resolve("conf"), URI.create("hdfs://127.0.0.1:1"), standby.address());
            assertThat(session.run("doctor")).isEqualTo(3);
            return session.out;
        }
    }

    /** A NOTE would not count. */
    @Test
    void standbyThatFails_isNotCalledBusy() throws IOException {
        assertThat(doctorOfAStandbyThatThrows(new IOException("it shuts down")))
                .contains("  service.refused", "it shuts down")
                .doesNotContain("service.busy");
    }

    @Test
    void standbyWhoseLoopHangs_isNotCalledBusy() throws IOException {
        assertThat(doctorOfAStandbyThatThrows(
                        new RetriableException("the placement loop does not answer, or restarts")))
                .contains("WARNING  ", "  service.unreachable", "does not answer, or restarts")
                .doesNotContain("service.busy");
    }

    @Test
    void standbyThatOthersAsk_isCalledBusy() throws IOException {
        assertThat(doctorOfAStandbyThatThrows(
                        new RetriableException("placement answers 2 such questions at a time; ask again")))
                .contains("  service.busy", " 0 warnings")
                .doesNotContain("service.unreachable");
    }

    private static String property(String key, String value) {
        return "<property><name>" + key + "</name><value>" + value + "</value></property>";
    }

    @Test
    void mistakesOfTheStandbysOwnFiles_areShownWithItsName() throws IOException {
        try (FakeService active = service(true, "pins.left-out");
                FakeService standby = service(false, "policy.file", "orders.unreadable")) {
            Path conf = Files.createDirectory(dir.resolve("conf"));
            Files.writeString(
                    conf.resolve("hdfs-site.xml"),
                    "<configuration>"
                            + String.join(
                                    "",
                                    List.of(
                                            property("fs.defaultFS", "hdfs://ns"),
                                            property("dfs.nameservices", "ns"),
                                            property("dfs.ha.namenodes.ns", "a,b"),
                                            property("dfs.namenode.rpc-address.ns.a", "127.0.0.1:1"),
                                            property("dfs.namenode.rpc-address.ns.b", "127.0.0.1:2"),
                                            property("terrace.placement.rpc-address.ns.a", active.address()),
                                            property("terrace.placement.rpc-address.ns.b", standby.address())))
                            + "</configuration>");
            CtlSession session = new CtlSession(conf);

            assertThat(session.run("doctor")).isEqualTo(1);

            assertThat(session.out)
                    .contains("ERROR  NameNode  pins.left-out")
                    .containsPattern("ERROR {2}(localhost|127.0.0.1):"
                            + standby.address().replaceAll(".*:", "") + " {2}policy.file")
                    .doesNotContain("orders.unreadable");
        }
    }
}
