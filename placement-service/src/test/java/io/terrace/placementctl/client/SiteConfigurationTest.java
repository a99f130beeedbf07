package io.terrace.placementctl.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which files count, where the class path has the configuration of this host, as that of {@code hadoop classpath}. */
class SiteConfigurationTest {
    @TempDir
    Path dir;

    private final ClassLoader before = Thread.currentThread().getContextClassLoader();

    @BeforeEach
    void haveThisHostOnTheClassPath() throws IOException {
        Path here = Files.createDirectory(dir.resolve("here"));
        write(here.resolve("core-site.xml"), "fs.defaultFS", "hdfs://here");
        write(here.resolve("hdfs-site.xml"), "terrace.channel.tcp.port.offset", "10");
        URL[] classPath = {here.toUri().toURL()};
        Thread.currentThread().setContextClassLoader(new URLClassLoader(classPath, before));
    }

    @AfterEach
    void restoreTheClassPath() throws IOException {
        ((URLClassLoader) Thread.currentThread().getContextClassLoader()).close();
        Thread.currentThread().setContextClassLoader(before);
    }

    @Test
    void read_ofAnotherDirectory_takesNothingFromThisHost() throws IOException {
        Path other = Files.createDirectory(dir.resolve("other"));
        write(other.resolve("hdfs-site.xml"), "terrace.channel.dir", "/run/t");
        Configuration conf = SiteConfiguration.read(other.toFile());
        assertThat(conf.get("terrace.channel.dir")).isEqualTo("/run/t");
        assertThat(conf.get("terrace.channel.tcp.port.offset")).isNull();
        assertThat(conf.get("fs.defaultFS")).isEqualTo("file:///");
        assertThat(conf.get("dfs.replication")).as("a default of HDFS").isEqualTo("3");
        assertThat(new Configuration(conf).get("terrace.channel.tcp.port.offset"))
                .as("in a copy")
                .isNull();
    }

    @Test
    void read_ofNoDirectory_takesTheClassPath() {
        assertThat(SiteConfiguration.read(null).get("fs.defaultFS")).isEqualTo("hdfs://here");
    }

    @Test
    void read_ofADirectoryWithoutFiles_isRefused() {
        assertThatThrownBy(() -> SiteConfiguration.read(dir.toFile()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--conf");
    }

    @Test
    void read_ofAFileThatIsCutOff_namesIt() throws IOException {
        Path other = Files.createDirectory(dir.resolve("other"));
        write(other.resolve("core-site.xml"), "fs.defaultFS", "hdfs://there");
        Files.writeString(other.resolve("hdfs-site.xml"), "<configuration><property>");
        assertThatThrownBy(() -> SiteConfiguration.read(other.toFile()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(other.resolve("hdfs-site.xml") + " cannot be read: ");
    }

    private static void write(Path file, String key, String value) throws IOException {
        Files.writeString(
                file,
                "<configuration><property><name>" + key + "</name><value>" + value
                        + "</value></property></configuration>\n");
    }
}
