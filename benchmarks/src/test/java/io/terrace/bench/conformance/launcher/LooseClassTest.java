package io.terrace.bench.conformance.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LooseClassTest {
    @TempDir
    private Path directory;

    private Path jar(String name, String entry, String content) throws IOException {
        Path jar = directory.resolve(name);
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
            out.putNextEntry(new JarEntry(entry));
            out.write(content.getBytes(StandardCharsets.UTF_8));
        }
        return jar;
    }

    @Test
    void copy_classInTwoJars_isThatOfTheFirst() throws IOException {
        String path = directory
                + File.pathSeparator
                + jar("a.jar", "x/Other.class", "other")
                + File.pathSeparator
                + jar("b.jar", "x/y/Wanted.class", "first")
                + File.pathSeparator
                + jar("c.jar", "x/y/Wanted.class", "second");

        assertThat(LooseClass.copy("x.y.Wanted", path, directory.resolve("k"))).isTrue();

        assertThat(directory.resolve("k/x/y/Wanted.class")).hasContent("first");
    }

    @Test
    void copy_classInNoJar_makesNothing() throws IOException {
        String path = jar("a.jar", "x/Other.class", "other").toString();

        assertThat(LooseClass.copy("x.y.Wanted", path, directory.resolve("k"))).isFalse();

        assertThat(directory.resolve("k")).doesNotExist();
    }
}
