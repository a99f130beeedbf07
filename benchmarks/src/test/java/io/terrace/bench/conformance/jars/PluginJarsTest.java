package io.terrace.bench.conformance.jars;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PluginJarsTest {
    @TempDir
    Path directory;

    @Test
    void artifact_jarsAndClassDirectories() {
        assertThat(PluginJars.artifact(Path.of("lib/rdma-channel-0.1.0-SNAPSHOT.jar")))
                .isEqualTo("rdma-channel");
        assertThat(PluginJars.artifact(Path.of("lib/hadoop-hdfs-3.5.0-tests.jar")))
                .isEqualTo("hadoop-hdfs-tests");
        assertThat(PluginJars.artifact(Path.of("policies/target/classes"))).isEqualTo("policies");
        assertThat(PluginJars.artifact(Path.of("lib/rocksdbjni-11.8.1.jar"))).isEqualTo("rocksdbjni");
    }

    @Test
    void copy_leavesOutHadoopsOwnAndTheRunner() throws IOException {
        Path ours = jar("rdma-channel-0.1.0.jar", "a");
        Path shared = jar("jna-5.2.0.jar", "b");
        Path runner = jar("picocli-4.7.7.jar", "c");
        Path target = Files.createDirectory(directory.resolve("copies"));

        PluginJars.copy(List.of(ours, shared, runner), List.of(Path.of("jna-5.1.0.jar")), target);

        try (Stream<Path> copies = Files.list(target)) {
            assertThat(copies).extracting(copy -> copy.getFileName().toString()).containsExactly("rdma-channel.jar");
        }
    }

    @Test
    void keep_sameContentsSameDirectory() throws IOException {
        Path first = Snapshot.keep(directory, target -> Snapshot.copyTree(jar("x.jar", "a"), target.resolve("x.jar")));
        Path again = Snapshot.keep(directory, target -> Snapshot.copyTree(jar("x.jar", "a"), target.resolve("x.jar")));
        Path other = Snapshot.keep(directory, target -> Snapshot.copyTree(jar("x.jar", "b"), target.resolve("x.jar")));

        assertThat(again).isEqualTo(first);
        assertThat(other).isNotEqualTo(first).isDirectoryContaining("glob:**/x.jar");
        assertThat(directory).isDirectoryNotContaining("glob:**/staging*");
    }

    @Test
    void contentHash_ignoresTimeStamps() throws IOException {
        Path jar = jar("x.jar", "a");
        String before = new ContentHash().add(jar).hex();
        jar("x.jar", "a");

        assertThat(new ContentHash().add(jar).hex()).isEqualTo(before);
        jar("x.jar", "b");
        assertThat(new ContentHash().add(jar).hex()).isNotEqualTo(before);
    }

    private Path jar(String name, String content) throws IOException {
        Path jar = directory.resolve(name);
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar))) {
            ZipEntry entry = new ZipEntry("io/terrace/A.class");
            entry.setTime(System.nanoTime());
            zip.putNextEntry(entry);
            zip.write(content.getBytes(java.nio.charset.StandardCharsets.UTF_8));
        }
        return jar;
    }
}
