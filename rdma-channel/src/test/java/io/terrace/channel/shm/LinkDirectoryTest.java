package io.terrace.channel.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LinkDirectoryTest {
    @TempDir
    Path dir;

    @Test
    void link_givesAnotherNameForTheSameBytes_untilUnlinked() throws IOException {
        Path extent = Files.writeString(dir.resolve("extent"), "bytes");
        LinkDirectory links = LinkDirectory.create(dir.resolve("links"));
        String name = links.link(extent);
        assertThat(LinkDirectory.isName(name)).isTrue();
        assertThat(links.path().resolve(name)).hasContent("bytes");
        links.unlink(name);
        links.unlink(name);
        assertThat(links.path().resolve(name)).doesNotExist();
        assertThat(extent).hasContent("bytes");
    }

    @Test
    void create_overLeftovers_removesThemAndForbidsListing() throws IOException {
        Path extent = Files.writeString(dir.resolve("extent"), "bytes");
        String left = LinkDirectory.create(dir.resolve("links")).link(extent);
        Files.setPosixFilePermissions(dir.resolve("links"), PosixFilePermissions.fromString("rwxrwxrwx"));
        LinkDirectory links = LinkDirectory.create(dir.resolve("links"));
        assertThat(links.path().resolve(left)).doesNotExist();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(links.path())))
                .isEqualTo("rwx--x--x");
    }

    @Test
    void unlink_ofPathOutOfTheDirectory_isRefused() throws IOException {
        LinkDirectory links = LinkDirectory.create(dir.resolve("links"));
        assertThatThrownBy(() -> links.unlink("../extent")).isInstanceOf(IllegalArgumentException.class);
    }
}
