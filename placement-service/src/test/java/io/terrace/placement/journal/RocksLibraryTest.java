package io.terrace.placement.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.util.Environment;

final class RocksLibraryTest {
    @TempDir
    Path dir;

    @Test
    void library_ofAProcessThatWasKilled_isRemoved_andNothingElse() throws Exception {
        Process dead = new ProcessBuilder("true").start();
        dead.waitFor();
        // Waits for what it is to print.
        Process running = new ProcessBuilder("cat").start();
        try {
            Path killed = left("library" + dead.pid() + "-17");
            Path earlier = left("library18");
            Path sameNumber = left("library" + ProcessHandle.current().pid() + "-19");
            Path another = left("library" + running.pid() + "-20");
            Path other = left("libraryOfSomebody");
            Path full = left("library21");
            Files.createFile(full.resolve("notes"));

            RocksLibrary.load(dir);

            assertThat(dir).isDirectoryNotContaining(killed::equals);
            assertThat(dir).isDirectoryNotContaining(earlier::equals);
            assertThat(dir).isDirectoryNotContaining(sameNumber::equals);
            assertThat(another).isNotEmptyDirectory();
            assertThat(other).isNotEmptyDirectory();
            assertThat(full).isDirectoryContaining("glob:**/notes");
            try (var entries = Files.list(dir)) {
                assertThat(entries).as("its own is gone").containsExactlyInAnyOrder(another, other, full);
            }
        } finally {
            running.destroy();
        }
    }

    private Path left(String name) throws IOException {
        Path made = Files.createDirectory(dir.resolve(name));
        Files.createFile(made.resolve(Environment.getJniLibraryFileName("rocksdbjni")));
        return made;
    }
}
