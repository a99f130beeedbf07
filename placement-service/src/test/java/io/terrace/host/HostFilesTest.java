package io.terrace.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostFilesTest {

    @TempDir
    private Path image;

    @Test
    void real_followsLinksWithinTheImage() throws IOException {
        Files.createDirectories(image.resolve("run/lock"));
        Files.createDirectories(image.resolve("var/lib"));
        Files.createSymbolicLink(image.resolve("var/run"), Path.of("/run"));
        Files.createSymbolicLink(image.resolve("var/lib/here"), Path.of("../run/lock"));
        Files.createSymbolicLink(image.resolve("circle"), Path.of("circle"));
        HostFiles files = new HostFiles(image);

        assertThat(files.real(Path.of("/"))).isEqualTo(Path.of("/"));
        assertThat(files.real(Path.of("/mnt/not/there"))).isEqualTo(Path.of("/mnt/not/there"));
        assertThat(files.real(Path.of("/var/run/x"))).isEqualTo(Path.of("/run/x"));
        assertThat(files.real(Path.of("/var/lib/here/x"))).isEqualTo(Path.of("/run/lock/x"));
        assertThat(files.real(Path.of("/circle/x"))).isEqualTo(Path.of("/circle/x"));
    }
}
