package io.terrace.placementctl;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.protocol.proto.AdminProtos.ExplainResponseProto;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExplainCommandTest {

    @TempDir
    Path dir;

    private String explained(String target) throws IOException {
        CtlSession session = CtlSession.of(dir.resolve("conf"), URI.create("hdfs://127.0.0.1:1"), "127.0.0.1:1");
        ExplainResponseProto answer = ExplainResponseProto.newBuilder()
                .setPath("/a/blk_x")
                .setBlockCount(3)
                .setPinned(false)
                .build();
        try (FakeService service =
                new FakeService((call, request) -> call.equals("status") ? FakeService.status(true, 3) : answer)) {
            assertThat(session.run("explain", target, "--service", service.address()))
                    .as(session.err)
                    .isZero();
        }
        return session.out;
    }

    @Test
    void blocksThatAreNotShown_areCounted_unlessOneWasNamed() throws IOException {
        assertThat(explained("/a/blk_x")).contains("... and 3 more blocks");
        assertThat(explained("blk_7")).doesNotContain("more blocks");
    }
}
