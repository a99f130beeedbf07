package io.terrace.bench.conformance.jars;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.bench.conformance.Runs;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.io.nativeio.NativeIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OlderLibhadoopTest {
    @TempDir
    Path directory;

    @Test
    void isOlder_bySymbol() throws IOException {
        Path library = directory.resolve("libhadoop.so");
        Files.writeString(
                library, "\0Java_org_apache_hadoop_io_nativeio_NativeIO_initNative\0", StandardCharsets.ISO_8859_1);
        assertThat(OlderLibhadoop.isOlder(library)).isTrue();

        Files.writeString(
                library,
                "\u007fELF\0Java_org_apache_hadoop_io_nativeio_NativeIO_00024POSIX_initNativePosix\0",
                StandardCharsets.ISO_8859_1);
        assertThat(OlderLibhadoop.isOlder(library)).isFalse();
    }

    @Test
    void fit_classesLoadAndHaveTheField() throws Exception {
        Path hadoopCommon = Path.of(NativeIO.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        OlderLibhadoop.fit(hadoopCommon, directory);

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
