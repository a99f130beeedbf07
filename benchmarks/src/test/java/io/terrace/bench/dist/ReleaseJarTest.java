package io.terrace.bench.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ReleaseJarTest {
    @TempDir
    Path dir;

    @Test
    void foreign_isWhatHasNotMoved() throws IOException {
        ReleaseJar jar =
                jar("io/terrace/fs/TerraceFileSystem", "io/terrace/shaded/snakeyaml/Yaml", "org/yaml/snakeyaml/Yaml");
        assertThat(jar.foreign()).containsExactly("org/yaml/snakeyaml/Yaml");
    }

    @Test
    void copyAs_isTheSameJarOfAnotherVersion() throws IOException {
        ReleaseJar jar = jar("io/terrace/fs/TerraceFileSystem");
        Path copies = Files.createDirectory(dir.resolve("copies"));
        jar.copyAs("9.9", copies.resolve("copy.jar"));
        assertThat(ReleaseJar.in(copies).classes()).isEqualTo(jar.classes());
        try (JarFile copy = new JarFile(copies.resolve("copy.jar").toFile())) {
            assertThat(copy.getManifest().getMainAttributes().getValue("Implementation-Version"))
                    .isEqualTo("9.9");
        }
    }

    @Test
    void in_aDirectoryWithoutOneJar_isRefused() {
        assertThatThrownBy(() -> ReleaseJar.in(dir))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("0 jars");
    }

    private ReleaseJar jar(String... classes) throws IOException {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().putValue("Manifest-Version", "1.0");
        Path lib = Files.createDirectory(dir.resolve("lib"));
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(lib.resolve("a.jar")), manifest)) {
            for (String name : classes) {
                out.putNextEntry(new ZipEntry(name + ".class"));
            }
        }
        return ReleaseJar.in(lib);
    }
}
