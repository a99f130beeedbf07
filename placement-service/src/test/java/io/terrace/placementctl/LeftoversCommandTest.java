package io.terrace.placementctl;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code leftovers} where files vanish, or not all services are asked. */
class LeftoversCommandTest {

    private static final String ATTRIBUTE = "user.terrace.tiers";
    /** Names of files that have an attribute. */
    private static final Set<String> ANNOTATED = ConcurrentHashMap.newKeySet();

    @TempDir
    private java.nio.file.Path dir;

    /** Its first file with an attribute is gone when the attribute is to be removed. */
    public static final class Vanishing extends RawLocalFileSystem {
        @Override
        public URI getUri() {
            return URI.create("vanishing:///");
        }

        @Override
        public List<String> listXAttrs(Path path) {
            return ANNOTATED.contains(path.getName()) ? List.of(ATTRIBUTE) : List.of();
        }

        @Override
        public void removeXAttr(Path path, String name) throws IOException {
            ANNOTATED.remove(path.getName());
            if (Files.deleteIfExists(java.nio.file.Path.of(path.toUri().getPath() + ".first"))) {
                throw new FileNotFoundException(path + " does not exist");
            }
        }
    }

    @BeforeEach
    void annotateThreeFiles() throws IOException {
        for (String name : List.of("a", "b", "c")) {
            Files.writeString(dir.resolve("files-" + name), name);
            ANNOTATED.add("files-" + name);
            Files.writeString(dir.resolve("files-" + name + ".first"), "");
        }
        Files.delete(dir.resolve("files-b.first"));
        Files.delete(dir.resolve("files-c.first"));
    }

    @Test
    void remove_ofAFileThatVanishes_goesOnWithItsDirectory() throws IOException {
        CtlSession session = CtlSession.of(dir.resolve("conf"), URI.create("vanishing:///"), "127.0.0.1:1");
        Files.writeString(
                session.conf.resolve("core-site.xml"),
                "<configuration><property><name>fs.defaultFS</name><value>vanishing:///</value></property>"
                        + "<property><name>fs.vanishing.impl</name><value>" + Vanishing.class.getName()
                        + "</value></property></configuration>");

        assertThat(session.run("leftovers", dir.toString(), "--remove"))
                .as(session.err)
                .isZero();

        assertThat(new TreeSet<>(ANNOTATED)).isEmpty();
        assertThat(session.out).contains("2 attributes of Terrace removed");
    }

    @Test
    void remove_asksAllServices_notOneThatIsNamed() throws IOException {
        CtlSession session = CtlSession.of(dir.resolve("conf"), URI.create("file:///"), "127.0.0.1:1");

        assertThat(session.run("leftovers", dir.toString(), "--remove", "--service", "127.0.0.1:1"))
                .isEqualTo(2);

        assertThat(session.err).contains("leave out --service");
    }
}
