package io.terrace.placementctl;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.protocol.proto.AdminProtos.ChangeRequestProto;
import io.terrace.protocol.proto.AdminProtos.ChangeResponseProto;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.apache.hadoop.ipc.RetriableException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code release} of a directory, whose files are listed on a local file system and which a made-up service is asked for. */
class ReleaseCommandTest {

    private static final ChangeResponseProto ONE_OFF = ChangeResponseProto.newBuilder()
            .setAccepted(1)
            .setRefused(0)
            .setOff(1)
            .setOffBytes(1 << 20)
            .build();

    private static final ChangeResponseProto IN_PLACE =
            ChangeResponseProto.newBuilder().setAccepted(0).setRefused(0).build();

    @TempDir
    Path dir;

    private final List<String> asked = Collections.synchronizedList(new ArrayList<>());
    private Path files;
    private CtlSession session;

    /** What becomes of the n-th file that is asked for. */
    private interface Answer {
        ChangeResponseProto to(int number) throws IOException;
    }

    @BeforeEach
    void makeFiles() throws IOException {
        files = Files.createDirectory(dir.resolve("warehouse"));
        for (String name : List.of("a", "b", "c")) {
            Files.writeString(files.resolve(name), name);
        }
        session = CtlSession.of(dir.resolve("conf"), URI.create("file:///"), "127.0.0.1:1");
    }

    private FakeService service(Answer answer) throws IOException {
        return new FakeService((call, request) -> {
            if (call.equals("status")) {
                return FakeService.status(true, 3);
            }
            asked.add(((ChangeRequestProto) request).getTarget());
            return answer.to(asked.size());
        });
    }

    private int release(FakeService service, String... more) {
        List<String> arguments = new ArrayList<>(List.of("release", files.toString(), "--service", service.address()));
        arguments.addAll(List.of(more));
        return session.run(arguments.toArray(String[]::new));
    }

    @Test
    void fileThatIsDeletedMeanwhile_isPassedOver() throws IOException {
        try (FakeService service = service(number -> {
            if (number == 2) {
                throw new FileNotFoundException("it is no file");
            }
            return ONE_OFF;
        })) {
            assertThat(release(service)).as(session.err).isZero();
            assertThat(asked).doesNotHaveDuplicates().hasSize(3);
            assertThat(session.out)
                    .startsWith("2 files: 2 replicas, 2 MB off")
                    .contains("1 deleted or renamed meanwhile");
        }
    }

    @Test
    void fileThatIsDeletedWhileItIsAwaited_isPassedOver() throws IOException {
        try (FakeService service = service(number -> {
            if (number == 4) {
                throw new FileNotFoundException("it is no file");
            }
            return number > 3 ? IN_PLACE : ONE_OFF;
        })) {
            assertThat(release(service, "--wait")).as(session.err).isZero();
            assertThat(session.out).contains("3 moved back, 0 left");
        }
    }

    @Test
    void serviceThatIsBusyOnce_isAskedAgain() throws IOException {
        try (FakeService service = service(number -> {
            if (number == 2) {
                throw new RetriableException("placement is busy or restarting");
            }
            return ONE_OFF;
        })) {
            assertThat(release(service)).as(session.err).isZero();
            assertThat(asked).hasSize(4);
            assertThat(session.out).startsWith("3 files: 3 replicas");
        }
    }

    @Test
    void refusalAmidTheWait_printsWhatIsLeft() throws IOException {
        try (FakeService service = service(number -> {
            if (number == 7) {
                throw new IOException("it shuts down");
            }
            return number == 4 || number == 5 ? IN_PLACE : ONE_OFF;
        })) {
            assertThat(release(service, "--wait", "--json")).isEqualTo(1);
            assertThat(session.json().get("off").asInt()).isEqualTo(3);
            assertThat(session.json().get("left").asInt()).isEqualTo(1);
            assertThat(session.json().get("complete").asBoolean()).isTrue();
        }
    }

    /** Those were too many moves at once, and are back since. */
    @Test
    void refusalAmidTheWait_doesNotPrintRefusalsOfReplicasThatAreBack() throws IOException {
        try (FakeService service = service(number -> {
            if (number == 7) {
                throw new IOException("it shuts down");
            }
            return number <= 3 ? refused(ONE_OFF, "too much waits; ask again") : number <= 5 ? IN_PLACE : ONE_OFF;
        })) {
            assertThat(release(service, "--wait", "--json")).isEqualTo(1);
            assertThat(session.json().get("left").asInt()).isEqualTo(1);
            assertThat(session.json().get("refused").asInt()).isZero();
            assertThat(session.json().get("messages")).isEmpty();
        }
    }

    @Test
    void fileThatIsNeverMoved_isSaidAfterTheWait() throws IOException {
        try (FakeService service = service(number -> {
            if (asked.get(number - 1).endsWith("/a")) {
                return refused(IN_PLACE, "a is erasure-coded; its blocks are not moved");
            }
            return number <= 3 ? ONE_OFF : IN_PLACE;
        })) {
            assertThat(release(service, "--wait")).isEqualTo(1);
            assertThat(session.out).contains("2 moved back, 0 left.").containsOnlyOnce("a is erasure-coded");
        }
    }

    /** Each file says that it is back, and one is appended to before the last does. */
    @Test
    void fileThatIsOffAgain_afterItSaidThatItIsBack_isAwaitedToo() throws IOException {
        try (FakeService service = service(number -> number <= 3 || number == 7 ? ONE_OFF : IN_PLACE)) {
            assertThat(release(service, "--wait", "--json")).as(session.err).isZero();
            assertThat(asked).hasSize(3 + 3 + 3 + 1 + 3);
            assertThat(session.json().get("files").asInt()).isEqualTo(3);
            assertThat(session.json().get("off").asInt()).isEqualTo(4);
            assertThat(session.json().get("left").asInt()).isZero();
        }
    }

    @Test
    void fileThatIsOffAgain_andMayNotMove_isLeft() throws IOException {
        try (FakeService service = service(
                number -> number <= 3 ? ONE_OFF : number < 7 ? IN_PLACE : refused(ONE_OFF, "the DataNode is dead"))) {
            assertThat(release(service, "--wait")).isEqualTo(1);
            assertThat(session.out).contains("6 replicas", "3 moved back, 3 left.", "the DataNode is dead");
        }
    }

    /** It is one of many that may not move, so that what is said of it is not kept. */
    @Test
    void fileThatMayMoveLater_isAwaited_amongMoreMessagesThanAreKept() throws IOException {
        String[] dead = new String[25];
        Arrays.fill(dead, "the DataNode is dead");
        try (FakeService service = service(number -> number > 9
                ? IN_PLACE
                : asked.get(number - 1).endsWith("/c")
                        ? refused(ONE_OFF, "a move of it to another tier is open: ask again")
                        : refused(ONE_OFF, dead))) {
            assertThat(release(service, "--wait")).as(session.err).isZero();
            assertThat(session.out).contains("3 moved back, 0 left.");
        }
    }

    @Test
    void filesThatAreOffInEachListing_areLeftInTheEnd() throws IOException {
        try (FakeService service = service(number -> (number - 1) / 3 % 2 == 0 ? ONE_OFF : IN_PLACE)) {
            assertThat(release(service, "--wait")).isEqualTo(1);
            assertThat(asked).hasSize(5 * 3);
            assertThat(session.out).contains("6 moved back, 3 left.");
        }
    }

    @Test
    void fileThatIsRenamedMeanwhile_isFoundUnderItsNewName() throws IOException {
        try (FakeService service = service(number -> {
            if (number == 4) {
                Files.move(files.resolve("a"), files.resolve("z"));
            }
            if (!Files.exists(Path.of(asked.get(number - 1)))) {
                throw new FileNotFoundException("it is no file");
            }
            return number <= 3 || number == 9 ? ONE_OFF : IN_PLACE;
        })) {
            assertThat(release(service, "--wait")).as(session.err).isZero();
            assertThat(asked).anyMatch(file -> file.endsWith("/z"));
            assertThat(session.out).contains("4 moved back, 0 left.", "1 deleted or renamed meanwhile");
        }
    }

    private static ChangeResponseProto refused(ChangeResponseProto answer, String... messages) {
        return answer.toBuilder()
                .setRefused(1)
                .addAllMessages(List.of(messages))
                .build();
    }

    @Test
    void refusalAmidTheFiles_printsWhatWasAskedForBefore() throws IOException {
        try (FakeService service = service(number -> {
            if (number == 3) {
                throw new IOException("somebody may not");
            }
            return ONE_OFF;
        })) {
            assertThat(release(service, "--json")).isEqualTo(1);
            assertThat(session.json().get("files").asInt()).isEqualTo(2);
            assertThat(session.json().get("complete").asBoolean()).isFalse();
            assertThat(session.err).contains("somebody may not");
        }
    }
}
