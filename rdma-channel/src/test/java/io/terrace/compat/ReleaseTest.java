package io.terrace.compat;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.ZipEntry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@link Release}, over jars made here. */
final class ReleaseTest {
    private static final String ENTRY = "io.terrace.Entry";
    private static final String OTHER = "io.terrace.Other";

    @TempDir
    Path dir;

    @Test
    void conflict_ofOneJar_isNone() throws IOException {
        assertThat(conflict(jar("a", "1.0", "abc", ENTRY, OTHER))).isNull();
    }

    @Test
    void conflict_ofTheSameReleaseTwice_isNone() throws IOException {
        assertThat(conflict(jar("server", "1.0", "abc", ENTRY, OTHER), jar("client", "1.0", "abc", ENTRY)))
                .isNull();
    }

    @Test
    void conflict_ofTwoVersions_namesBoth() throws IOException {
        assertThat(conflict(jar("old", "1.0", "abc", ENTRY), jar("new", "1.1", "def", ENTRY)))
                .contains("1.0 (abc) in ", "old.jar", "1.1 (def) in ", "new.jar", "leave one of them");
    }

    @Test
    void conflict_ofTwoCommitsOfAVersion_namesBoth() throws IOException {
        assertThat(conflict(jar("old", "1.0", "abc", ENTRY), jar("new", "1.0", "def", ENTRY)))
                .contains("1.0 (abc)", "1.0 (def)");
    }

    @Test
    void conflict_ofModulesOfTwoVersions_namesBoth() throws IOException {
        assertThat(conflict(jar("channel", "1.0", "abc", ENTRY), jar("tiers", "1.1", "def", OTHER)))
                .contains("channel.jar", "tiers.jar");
    }

    /** A developer's build makes only the jars anew that changed. */
    @Test
    void conflict_ofModulesOfTwoCommits_isNone() throws IOException {
        assertThat(conflict(jar("channel", "1.0", "abc", ENTRY), jar("tiers", "1.0", "def", OTHER)))
                .isNull();
    }

    @Test
    void conflict_withoutVersions_isNone() throws IOException {
        assertThat(conflict(jar("a", null, null, ENTRY), jar("b", "1.0", "abc", ENTRY)))
                .isNull();
    }

    @Test
    void of_aClassThatIsInNoJar_saysSo() {
        assertThat(Release.of(ReleaseTest.class)).hasToString("(not from a jar)");
    }

    private static @Nullable String conflict(URL... jars) throws IOException {
        try (URLClassLoader loader = new URLClassLoader(jars, null)) {
            return Release.conflict(loader, List.of(ENTRY, OTHER));
        }
    }

    private URL jar(String name, @Nullable String version, @Nullable String commit, String... classes)
            throws IOException {
        Manifest manifest = new Manifest();
        Attributes main = manifest.getMainAttributes();
        main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        if (version != null) {
            main.put(Attributes.Name.IMPLEMENTATION_VERSION, version);
        }
        if (commit != null) {
            main.putValue("Implementation-Commit", commit);
        }
        Path file = dir.resolve(name + ".jar");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(file), manifest)) {
            for (String type : classes) {
                out.putNextEntry(new ZipEntry(type.replace('.', '/') + ".class"));
            }
        }
        return file.toUri().toURL();
    }
}
