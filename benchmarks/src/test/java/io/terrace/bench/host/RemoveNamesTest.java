package io.terrace.bench.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.datanode.memory.MemoryDirectory;
import io.terrace.host.TerraceHost;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code terrace-host remove} has a list of names, since it imports nothing of the DataNode. */
class RemoveNamesTest {

    @TempDir
    private Path dir;

    @Test
    void remove_knowsAllThatADataNodeMakesInMemory() throws IOException {
        Path root = dir.resolve("root");
        HostImage image = HostImage.make(dir, "6.8.0-45-generic", 2);
        Files.createDirectories(image.memory());
        try (MemoryDirectory memory = MemoryDirectory.open(image.memory(), false)) {
            memory.links();
            memory.drafts();
            memory.checksums();
        }
        assertThat(image.memory()).isDirectoryContaining("glob:**/checksums").isDirectoryContaining("glob:**/links");

        StringWriter said = new StringWriter();
        PrintWriter out = new PrintWriter(said);
        int code = TerraceHost.run(
                out,
                out,
                "remove",
                "--root",
                root.toString(),
                "--conf",
                image.conf().toString());

        assertThat(code).as(said.toString()).isZero();
        assertThat(said.toString()).doesNotContain("left as it is");
        assertThat(image.memory()).isEmptyDirectory();
    }
}
