package io.terrace.bench.conformance.jars;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.bench.conformance.Runs;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.apache.hadoop.io.nativeio.NativeIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OlderLibhadoopTest {
    private static final String OLDER = "\0Java_org_apache_hadoop_io_nativeio_NativeIO_initNative\0";

    @TempDir
    Path directory;

    @Test
    void isOlder_bySymbol() throws Exception {
        Path library = directory.resolve("libhadoop.so");
        Files.writeString(library, OLDER, StandardCharsets.ISO_8859_1);
        assertThat(OlderLibhadoop.isOlder(library, hadoopCommon())).isTrue();

        Files.writeString(
                library,
                "\u007fELF\0Java_org_apache_hadoop_io_nativeio_NativeIO_00024POSIX_initNativePosix\0",
                StandardCharsets.ISO_8859_1);
        assertThat(OlderLibhadoop.isOlder(library, hadoopCommon())).isFalse();
    }

    @Test
    void isOlder_hadoopThatCallsTheOlderMethod_isFalse() throws IOException {
        Path library = Files.writeString(directory.resolve("libhadoop.so"), OLDER, StandardCharsets.ISO_8859_1);
        Path hadoopCommon = directory.resolve("hadoop-common-3.4.3.jar");
        try (ZipOutputStream jar = new ZipOutputStream(Files.newOutputStream(hadoopCommon))) {
            jar.putNextEntry(new ZipEntry("org/apache/hadoop/io/nativeio/NativeIO$POSIX.class"));
            jar.write("initNative".getBytes(StandardCharsets.ISO_8859_1));
        }
        assertThat(OlderLibhadoop.isOlder(library, hadoopCommon)).isFalse();
    }

    private static Path hadoopCommon() throws URISyntaxException {
        return Path.of(NativeIO.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
    }

    @Test
    void fit_classesLoadAndHaveTheField() throws Exception {
        OlderLibhadoop.fit(hadoopCommon(), directory);

        Class<?> outer = define("org.apache.hadoop.io.nativeio.NativeIO");
        Field field = outer.getDeclaredField("workaroundNonThreadSafePasswdCalls");

        assertThat(field.getType()).isEqualTo(boolean.class);
        assertThat(outer.getDeclaredMethods())
                .as("the rest is as it was")
                .hasSameSizeAs(NativeIO.class.getDeclaredMethods());
        byte[] inner = Files.readAllBytes(directory.resolve("org/apache/hadoop/io/nativeio/NativeIO$POSIX.class"));
        assertThat(new String(inner, StandardCharsets.ISO_8859_1))
                .contains("initNative")
                .doesNotContain("initNativePosix");
    }

    @Test
    void redirected_anotherClass() throws IOException {
        byte[] other;
        try (InputStream stream = Runs.class.getResourceAsStream("Runs.class")) {
            other = stream.readAllBytes();
        }

        assertThatThrownBy(() -> OlderLibhadoop.redirected(other))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("initNativePosix");
    }

    /** Defined by a loader of its own, which verifies the class file. */
    private Class<?> define(String name) throws IOException {
        byte[] classFile = Files.readAllBytes(directory.resolve(name.replace('.', '/') + ".class"));
        return new ClassLoader(NativeIO.class.getClassLoader()) {
            Class<?> define() {
                return defineClass(name, classFile, 0, classFile.length);
            }
        }.define();
    }
}
