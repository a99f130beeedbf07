package io.terrace.placementctl;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.protocol.proto.AdminProtos.ChangeResponseProto;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How a change of many blocks ends where some were refused, or were where they should be. */
class PartlyRefusedTest {

    @TempDir
    Path dir;

    private CtlSession session;

    private int promote(int accepted, int refused, int inMemory, int open) throws IOException {
        ChangeResponseProto.Builder answer = ChangeResponseProto.newBuilder()
                .setAccepted(accepted)
                .setRefused(refused)
                .setInMemory(inMemory);
        for (int i = 0; i < open; i++) {
            answer.addOpenMoveIds(i);
        }
        session = CtlSession.of(dir.resolve("conf"), URI.create("hdfs://127.0.0.1:1"), "127.0.0.1:1");
        try (FakeService service = new FakeService(
                (call, request) -> call.equals("status") ? FakeService.status(true, 3) : answer.build())) {
            return session.run("promote", "/a", "--service", service.address());
        }
    }

    @Test
    void blocksThatWereRefused_areAFailure() throws IOException {
        assertThat(promote(256, 256, 0, 0)).isEqualTo(1);
        assertThat(session.out).startsWith("256 blocks to be promoted, 256 refused.");
    }

    @Test
    void blocksThatAreThereAlready_areNone() throws IOException {
        assertThat(promote(0, 2, 1, 1)).isZero();
        assertThat(session.out).startsWith("2 blocks are in memory already, or on their way.");
        assertThat(promote(1, 2, 2, 0)).isZero();
        assertThat(session.out)
                .startsWith("1 block to be promoted, 0 refused.")
                .contains("2 blocks are in memory already, or on their way.");
    }

    @Test
    void nothingToDo_isAFailure() throws IOException {
        assertThat(promote(0, 0, 0, 0)).isEqualTo(1);
        assertThat(promote(0, 1, 0, 0)).isEqualTo(1);
        assertThat(session.out).startsWith("Refused; nothing was changed.");
    }
}
