package io.terrace.placementctl;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.terrace.protocol.proto.AdminProtos.DoctorResponseProto;
import io.terrace.protocol.proto.AdminProtos.TiersResponseProto;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.ipc.RetriableException;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.authorize.AuthorizationException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is said of a service that is active and has no time, or does not let somebody in: not that it cannot be reached. */
class BusyServiceTest {

    private static final IOException BUSY =
            new RetriableException("placement answers 2 such questions at a time; ask again");

    @TempDir
    Path dir;

    private CtlSession session;

    @BeforeEach
    void makeConfiguration() throws IOException {
        session = CtlSession.of(dir.resolve("conf"), URI.create("hdfs://127.0.0.1:1"), "127.0.0.1:1");
    }

    private static FakeService failing(IOException why) throws IOException {
        return new FakeService((call, request) -> {
            if (call.equals("status")) {
                return FakeService.status(true, 3);
            }
            throw why;
        });
    }

    @Test
    void command_ofABusyService_saysThatItIsBusy() throws IOException {
        try (FakeService service = failing(BUSY)) {
            assertThat(session.run("pins", "--service", service.address())).isEqualTo(3);
            assertThat(session.err)
                    .isEqualTo(
                            "placementctl: the placement service is busy: placement answers 2 such questions at a time;"
                                    + " ask again\n");
        }
    }

    @Test
    void command_thatTheServiceFailedToAnswer_isNotCalledBusy() throws IOException {
        try (FakeService service = failing(new IOException("the placement loop failed to answer"))) {
            assertThat(session.run("pins", "--service", service.address())).isEqualTo(1);
            assertThat(session.err).isEqualTo("placementctl: the placement loop failed to answer\n");
            assertThat(session.run("doctor", "--service", service.address())).isEqualTo(1);
            assertThat(session.out)
                    .contains("service.refused", "failed to answer", "see the log of that NameNode")
                    .doesNotContain("busy");
        }
    }

    @Test
    void doctor_ofABusyService_doesNotCallItUnreachable() throws IOException {
        try (FakeService service = failing(BUSY)) {
            session.run("doctor", "--service", service.address());
            assertThat(session.out)
                    .contains("NOTE  services  service.busy", "ask again")
                    .doesNotContain("service.unreachable");
        }
    }

    @Test
    void doctor_asksABusyServiceAgain() throws IOException {
        AtomicInteger asked = new AtomicInteger();
        try (FakeService service = new FakeService((call, request) -> {
            if (call.equals("status")) {
                return FakeService.status(true, 3);
            }
            if (asked.incrementAndGet() < 3) {
                throw BUSY;
            }
            return DoctorResponseProto.getDefaultInstance();
        })) {
            session.run("doctor", "--service", service.address());
            assertThat(session.out).doesNotContain("service.");
        }
    }

    @Test
    void doctor_ofALoopThatDoesNotAnswer_warns() throws IOException {
        try (FakeService service = failing(new RetriableException("placement is busy or restarting"))) {
            assertThat(session.run("doctor", "--service", service.address())).isEqualTo(1);
            assertThat(session.out).contains("WARNING  services  service.busy");
        }
    }

    /** The ACL holds for each call, so such a user does not even get the status. */
    @Test
    void doctor_ofAUserWhomTheAclKeepsOut_namesTheAcl() throws IOException {
        try (FakeService service = new FakeService((call, request) -> {
            throw new AuthorizationException("User somebody is not authorized for protocol");
        })) {
            assertThat(session.run("doctor", "--service", service.address())).isEqualTo(3);
            assertThat(session.out)
                    .contains("service.refused", "somebody is not authorized", "security.terrace.admin.protocol.acl")
                    .doesNotContain("service.unreachable", "none-active");
        }
    }

    @Test
    void doctor_whereNoServiceIsConfigured_showsWhatItFound() throws IOException {
        CtlSession bare = new CtlSession(Files.createDirectory(dir.resolve("bare")));
        Files.writeString(
                bare.conf.resolve("hdfs-site.xml"), CtlSession.site("terrace.datanode.memory.capacity", "much"));
        assertThat(bare.run("doctor")).isEqualTo(3);
        assertThat(bare.out).contains("terrace.datanode.memory.capacity", "none-active", "--conf");
        assertThat(bare.err).isEmpty();
    }

    @Test
    void doctor_thatIsRefused_saysSo() throws IOException {
        try (FakeService service = failing(new AccessControlException("somebody may not"))) {
            assertThat(session.run("doctor", "--service", service.address())).isEqualTo(1);
            assertThat(session.out)
                    .contains("service.refused", "somebody may not")
                    .doesNotContain("service.unreachable");
        }
    }

    @Test
    void stats_ofABusyService_saysWhy() throws IOException {
        AtomicInteger asked = new AtomicInteger();
        try (FakeService service = new FakeService((call, request) -> {
            if (call.equals("status")) {
                return FakeService.status(true, 3);
            }
            if (asked.incrementAndGet() == 1) {
                return TiersResponseProto.getDefaultInstance();
            }
            throw BUSY;
        })) {
            assertThat(session.run("stats", "1", "1", "--json", "--service", service.address()))
                    .isEqualTo(3);
            assertThat(session.json().get("note").asText()).contains("placement answers 2 such questions");
        }
    }

    @Test
    void watch_withJson_printsJsonAlone() throws IOException {
        assertThat(session.run("top", "--json", "--watch=1", "--times", "1", "--service", "127.0.0.1:1"))
                .isEqualTo(3);
        assertThat(session.out.lines().toList()).singleElement().satisfies(line -> assertThat(
                        new ObjectMapper().readTree(line).get("note").asText())
                .startsWith("no placement service is active"));
    }
}
