package io.terrace.placementctl;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.protocol.proto.AdminProtos.ChangeResponseProto;
import io.terrace.protocol.proto.AdminProtos.MoveProto;
import io.terrace.protocol.proto.AdminProtos.MovesResponseProto;
import io.terrace.protocol.proto.DataNodeProtos.OrderKindProto;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
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

    /** Those that are in memory already have messages, too. */
    @Test
    void wait_saysOnlyWhyBlocksWereRefused() throws IOException {
        assertSaysOnlyWhyBlocksWereRefused(ChangeResponseProto.newBuilder()
                .setRefused(2)
                .setInMemory(1)
                .addMessages("pins reserve the memory")
                .addMessages("it is in memory on dn1 already")
                .setAccepted(0));
    }

    /** One message is of all blocks beyond those that one call takes. */
    @Test
    void wait_ofMoreBlocksThanOneCallTakes_saysOnlyWhyBlocksWereRefused() throws IOException {
        assertSaysOnlyWhyBlocksWereRefused(ChangeResponseProto.newBuilder()
                .setRefused(502)
                .setInMemory(2)
                .addMessages("pins reserve the memory")
                .addMessages("it is in memory on dn1 already")
                .addMessages("it is in memory on dn2 already")
                .setRefusalMessages(1)
                .setAccepted(0));
    }

    private void assertSaysOnlyWhyBlocksWereRefused(ChangeResponseProto.Builder answer) throws IOException {
        session = CtlSession.of(dir.resolve("conf"), URI.create("hdfs://127.0.0.1:1"), "127.0.0.1:1");
        try (FakeService service = new FakeService(
                (call, request) -> call.equals("status") ? FakeService.status(true, 3) : answer.build())) {
            assertThat(session.run("promote", "/a", "--wait", "--service", service.address()))
                    .isEqualTo(1);
        }
        assertThat(session.out).contains("pins reserve the memory").doesNotContain("already");
    }

    @Test
    void wait_forALongTime_waits() throws IOException {
        ChangeResponseProto answer = ChangeResponseProto.newBuilder()
                .setAccepted(1)
                .setRefused(0)
                .addMoveIds(7)
                .build();
        AtomicInteger looks = new AtomicInteger();
        session = CtlSession.of(dir.resolve("conf"), URI.create("hdfs://127.0.0.1:1"), "127.0.0.1:1");
        try (FakeService service = new FakeService((call, request) -> switch (call) {
            case "status" -> FakeService.status(true, 3);
            case "moves" -> moves(looks.incrementAndGet() > 1);
            default -> answer;
        })) {
            String[] command = {"promote", "/a", "--wait", "--timeout", "200000d", "--service", service.address()};
            assertThat(session.run(command)).as(session.out).isZero();
        }
    }

    private static MovesResponseProto moves(boolean ended) {
        MoveProto.Builder move = MoveProto.newBuilder()
                .setId(7)
                .setState(ended ? "done" : "sent")
                .setNode("dn1")
                .setKind(OrderKindProto.PROMOTE)
                .setCause("operator")
                .setWishedAgoMs(5);
        if (ended) {
            move.setEndedAgoMs(1);
        }
        return MovesResponseProto.newBuilder()
                .addMoves(move)
                .setInFlight(1)
                .setWaiting(0)
                .build();
    }

    @Test
    void nothingToDo_isAFailure() throws IOException {
        assertThat(promote(0, 0, 0, 0)).isEqualTo(1);
        assertThat(promote(0, 1, 0, 0)).isEqualTo(1);
        assertThat(session.out).startsWith("Refused; nothing was changed.");
    }
}
