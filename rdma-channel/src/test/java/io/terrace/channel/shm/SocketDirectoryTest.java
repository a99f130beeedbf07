package io.terrace.channel.shm;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SocketDirectoryTest {
    @TempDir
    Path dir;

    @Test
    void directory_thatOthersMayWrite_isRefusedWithARemedy() throws IOException {
        Path open = Files.createDirectory(dir.resolve("open"));
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThatThrownBy(() -> SocketDirectory.check(open)).hasMessageContaining("chmod go-w");
        Path below = Files.createDirectory(open.resolve("below"));
        assertThatThrownBy(() -> SocketDirectory.check(below)).hasMessageContaining(open.toString());
        assertThatThrownBy(() -> SocketDirectory.check(dir.resolve("absent"))).isInstanceOf(IOException.class);
    }

    @Test
    void directory_ofSomebodyWhoIsNotBelieved_isRefusedWithARemedy() throws IOException {
        Path own = Files.createDirectory(dir.resolve("own"));
        int uid = SocketDirectory.ownUid();
        String name = SocketDirectory.ownerOf(own).getName();
        if (uid == 0) {
            uid = 54_321;
            name = Integer.toString(uid);
            Files.setAttribute(own, "unix:uid", uid);
        }
        SocketDirectory directory = SocketDirectory.check(own);
        int somebody = uid + 1;
        assertThatThrownBy(() -> directory.requireOwner(Set.of("hdfs"), somebody))
                .hasMessageContaining("belongs to " + name)
                .hasMessageContaining("terrace.channel.owner");
        directory.requireOwner(Set.of("hdfs"), uid);
        directory.requireOwner(Set.of("hdfs", name), somebody);
        directory.requireOwner(Set.of(Integer.toString(uid)), somebody);
    }

    @Test
    void socket_withALongPath_isRefusedWithARemedy() throws IOException {
        Path deep = Files.createDirectories(dir.resolve("a".repeat(100)));
        assertThatThrownBy(() -> SocketDirectory.check(deep).socket("dn-1")).hasMessageContaining("shorter path");
    }
}
