package io.terrace.placementctl;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.util.EnumSet;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.XAttrSetFlag;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code annotate} says of what it changed, where the rest of it fails. */
class AnnotateCommandTest {

    @TempDir
    java.nio.file.Path dir;

    private CtlSession session;

    /** Stores nothing, and refuses attributes of one word. */
    public static final class Refusing extends RawLocalFileSystem {
        @Override
        public URI getUri() {
            return URI.create("refusing:///");
        }

        @Override
        public void setXAttr(Path path, String name, byte[] value, EnumSet<XAttrSetFlag> flag) throws IOException {
            if (name.endsWith("tiers")) {
                throw new IOException("planted");
            }
        }
    }

    @BeforeEach
    void makeConfiguration() throws IOException {
        session = new CtlSession(Files.createDirectory(dir.resolve("conf")));
        Files.writeString(
                session.conf.resolve("core-site.xml"),
                "<configuration><property><name>fs.defaultFS</name><value>refusing:///</value></property>"
                        + "<property><name>fs.refusing.impl</name><value>" + Refusing.class.getName()
                        + "</value></property></configuration>");
    }

    @Test
    void changesBeforeAFailure_arePrinted() throws IOException {
        assertThat(session.run("annotate", dir.toString(), "place=never", "tiers=ssd..disk", "--json"))
                .isEqualTo(1);
        assertThat(session.json().at("/set/user.terrace.place").asText()).isEqualTo("never");
        assertThat(session.err).contains("planted");
    }

    /** The annotation is set, so the usage was right. */
    @Test
    void configurationWithoutAService_isNoWrongUsage() {
        assertThat(session.run("annotate", dir.toString(), "place=never"))
                .as(session.err)
                .isZero();
        assertThat(session.out).contains("Whether they hold is not known");
    }
}
