package io.terrace.bench.soak.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.bench.load.SeededContent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class JournalTest {
    private final SeededContent content = new SeededContent(5);

    @TempDir
    private Path dir;

    @Test
    void file_whileItIsWritten_hasWhatWasFlushedAndMayHaveTheRest() {
        FileState file = file("CREATE 1 1 /a 1048576", "CREATED 1", "WRITE 1 100", "FLUSHED 1 100", "WRITE 1 300");

        assertThat(file.readable()).isTrue();
        assertThat(file.mayHave(99)).isFalse();
        assertThat(file.mayHave(100)).isTrue();
        assertThat(file.mayHave(300)).isTrue();
        assertThat(file.mayHave(301)).isFalse();
    }

    @Test
    void file_deletedWhileItIsCut_isExpectedOfNoSnapshot() {
        JournalState state = new JournalState();
        for (int id = 1; id <= 2; id++) {
            for (String line : List.of("CREATE N N /a 1048576", "CREATED N", "WRITE N 300", "CLOSED N 300")) {
                state.apply(line.replace("N", String.valueOf(id)));
            }
        }
        state.apply("SNAPSHOT s1");
        state.apply("SNAPSHOTTED s1");
        state.apply("DELETE 2");
        state.apply("TRUNCATE 1 100 0");
        state.apply("DELETE 1");

        assertThat(state.snapshots()).singleElement().satisfies(snapshot -> assertThat(snapshot.files())
                .extracting(FileState::id)
                .containsExactly(2));
    }

    @Test
    void cut_mayBeForgotten_ifASnapshotHasTheFile_andAnotherNameNodeIsActiveSince() {
        JournalState state = new JournalState();
        for (int id = 1; id <= 2; id++) {
            for (String line : List.of("CREATE N N /a 1048576", "CREATED N", "WRITE N 300", "CLOSED N 300")) {
                state.apply(line.replace("N", String.valueOf(id)));
            }
            if (id == 1) {
                state.apply("SNAPSHOT s1");
            }
            state.apply("TRUNCATE " + id + " 100 5");
        }

        assertThat(mayBeForgotten(state, 1, 6))
                .as("a snapshot that may be there")
                .isTrue();
        assertThat(mayBeForgotten(state, 1, 5)).isFalse();
        assertThat(mayBeForgotten(state, 2, 6)).as("in no snapshot").isFalse();
        state.apply("FOUND 1 /a 100");
        assertThat(state.cut(1)).isNull();
        state.apply("GONE 2");
        assertThat(state.cut(2)).isNull();
    }

    private static boolean mayBeForgotten(JournalState state, int file, long activations) {
        return Objects.requireNonNull(state.cut(file)).mayBeForgotten(activations);
    }

    @Test
    void file_truncatedAndWrittenOn_hasOtherBytesThere() {
        FileState before = file("CREATE 1 1 /a 1048576", "CREATED 1", "WRITE 1 300", "CLOSED 1 300");
        FileState after = file(
                "CREATE 1 1 /a 1048576",
                "CREATED 1",
                "WRITE 1 300",
                "CLOSED 1 300",
                "TRUNCATE 1 101 0",
                "FOUND 1 /a 101",
                "APPEND 1 2",
                "WRITE 1 303",
                "CLOSED 1 303");
        byte[] old = bytes(before, 0, 300);
        byte[] fresh = bytes(after, 0, 303);

        assertThat(Arrays.mismatch(old, fresh)).isBetween(101, 103);
        assertThat(bytes(after, 97, 10)).isEqualTo(Arrays.copyOfRange(fresh, 97, 107));
        assertThat(after.epoch()).isGreaterThan(before.epoch());
    }

    @Test
    void file_appendedToWhileItIsRead_staysTheSameFile() {
        FileState before = file("CREATE 1 1 /a 1048576", "CREATED 1", "WRITE 1 300", "CLOSED 1 300");
        FileState after =
                file("CREATE 1 1 /a 1048576", "CREATED 1", "WRITE 1 300", "CLOSED 1 300", "APPEND 1 2", "WRITE 1 400");

        assertThat(after.epoch()).isEqualTo(before.epoch());
        assertThat(bytes(after, 0, 300)).isEqualTo(bytes(before, 0, 300));
        assertThat(after.mayHave(300)).isTrue();
        assertThat(after.mayHave(299)).isFalse();
    }

    @Test
    void file_ofWhichACallFailed_isInDoubt() {
        String[] closed = {"CREATE 1 1 /a 1048576", "CREATED 1", "WRITE 1 300", "CLOSED 1 300"};

        FileState truncated = file(closed, "TRUNCATE 1 7 0");
        assertThat(List.of(truncated.mayHave(7), truncated.mayHave(300), truncated.mayHave(8)))
                .containsExactly(true, true, false);
        FileState renamed = file(closed, "RENAME 1 /b");
        assertThat(List.of(renamed.path(), renamed.otherPath())).containsExactly("/a", "/b");
        assertThat(renamed.readable()).isFalse();
        assertThat(file(closed, "DELETE 1").readable()).isFalse();
    }

    @Test
    void snapshot_hasClosedFilesAsTheyWere_andIsReadOnlyWhileItIsThere() {
        JournalState state = new JournalState();
        for (String line : List.of(
                "CREATE 1 1 /a 1048576",
                "CREATED 1",
                "WRITE 1 9",
                "CLOSED 1 9",
                "CREATE 2 2 /b 1048576",
                "SNAPSHOT s1")) {
            state.apply(line);
        }
        assertThat(state.hasSnapshot("s1")).isFalse();

        state.apply("SNAPSHOTTED s1");
        state.apply("DELETE 1");
        state.apply("GONE 1");

        assertThat(state.hasSnapshot("s1")).isTrue();
        assertThat(state.snapshots().iterator().next().files())
                .extracting(FileState::id, FileState::written)
                .containsExactly(org.assertj.core.groups.Tuple.tuple(1, 9L));
        state.apply("UNSNAPSHOT s1");
        assertThat(state.hasSnapshot("s1")).isFalse();
        assertThat(state.freshSnapshot()).isEqualTo("s2");
    }

    @Test
    void journal_ofAKilledWriter_goesOnAfterItsLastWholeLine() throws IOException {
        Path file = dir.resolve("w.journal");
        try (Journal first = Journal.toWrite(file)) {
            first.write("CREATE", 3, 8, "/a", 1048576);
        }
        Files.writeString(file, "TRUNC", StandardOpenOption.APPEND);
        try (Journal reader = Journal.toRead(file)) {
            assertThat(reader.catchUp().files()).as("read before it is cut").hasSize(1);
            Journal second = Journal.toWrite(file);
            assertThat(second.catchUp().freshId()).isEqualTo(4);
            assertThat(second.catchUp().freshVersion()).isEqualTo(9);
            second.write("CREATED", 3);

            assertThat(Objects.requireNonNull(reader.catchUp().file(3)).phase()).isEqualTo(FileState.Phase.OPEN);
            second.close();
        }
    }

    private static FileState file(String[] first, String last) {
        String[] all = Arrays.copyOf(first, first.length + 1);
        all[first.length] = last;
        return file(all);
    }

    private static FileState file(String... lines) {
        JournalState state = new JournalState();
        for (String line : lines) {
            state.apply(line);
        }
        return Objects.requireNonNull(state.file(1));
    }

    private byte[] bytes(FileState file, long position, int length) {
        byte[] bytes = new byte[length];
        file.fill(content, position, bytes, length);
        return bytes;
    }
}
