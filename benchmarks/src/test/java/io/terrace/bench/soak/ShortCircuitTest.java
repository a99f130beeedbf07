package io.terrace.bench.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.bench.conformance.jars.OlderLibhadoop;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ShortCircuitTest {
    @TempDir
    private Path dir;

    @Test
    void libhadoop_olderThanHadoop_standsBesideTheClassesItNeeds() throws IOException {
        Path library = Files.createDirectories(OlderLibhadoop.unpackedIn(dir)).resolve("libhadoop.so");
        Files.writeString(library, "a library without the method that 3.5 calls");

        Path made = ShortCircuit.libhadoop(dir, dir.resolve("made")).orElseThrow();

        assertThat(made.resolve("libhadoop.so")).hasSameBinaryContentAs(library);
        assertThat(made.resolve("org/apache/hadoop/io/nativeio/NativeIO$POSIX.class"))
                .exists();
    }

    @Test
    void libhadoop_notUnpacked_isEmpty() throws IOException {
        assertThat(ShortCircuit.libhadoop(dir, dir.resolve("made"))).isEmpty();
        assertThat(dir.resolve("made")).doesNotExist();
    }
}
