package io.terrace.host;

import static io.terrace.host.HostFixture.DROP_IN;
import static io.terrace.host.HostFixture.MEMORY;
import static io.terrace.host.HostFixture.MOUNT_UNIT;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RemoveCommandTest {

    private static final String SOCKET = "/var/lib/terrace/channel/0a1b.sock";
    private static final List<String> OURS = List.of(
            MEMORY + "/in_use.lock",
            MEMORY + "/slots",
            MEMORY + "/extents/BP-1/blk_1_1001_1",
            MEMORY + "/links/77aa",
            MEMORY + "/checksums/1",
            "/data/my disk/terrace/links/66dd",
            "/data/1/terrace/extents/blk_1_1001_2",
            "/data/2/terrace/links/88bb",
            "/data/nvm-links/links/99cc",
            SOCKET);

    @TempDir
    private Path dir;

    private HostFixture host;

    @BeforeEach
    void makeHost() throws IOException {
        host = new HostFixture(dir).unit();
        host.property("dfs.datanode.data.dir", "[NVDIMM]file:///data/1, /data/2,/data/my disk,[SSD]s3a://other/place");
        host.property("terrace.datanode.nvm.local.dir", "/data/nvm-links");
        host.run(0, "prepare");
        for (String path : OURS) {
            host.file(path, "x");
        }
        host.file("/data/1/current/VERSION", "stock's");
    }

    private Path at(String path) {
        return dir.resolve("root" + path);
    }

    @Test
    void remove_leavesNothingOfTerrace() throws IOException {
        host.file("/elsewhere/file", "x");
        Files.createSymbolicLink(at(MEMORY + "/extents/away"), at("/elsewhere"));

        host.run(0, "remove");

        assertThat(OURS).allSatisfy(path -> assertThat(at(path)).doesNotExist());
        assertThat(at("/data/1/terrace")).doesNotExist();
        assertThat(at("/data/2/terrace")).doesNotExist();
        assertThat(at(MOUNT_UNIT)).doesNotExist();
        assertThat(at(DROP_IN)).doesNotExist();
        assertThat(Files.exists(
                        at("/etc/systemd/system/multi-user.target.wants/mnt-terrace\\x2dmemory.mount"),
                        LinkOption.NOFOLLOW_LINKS))
                .isFalse();
        assertThat(host.text("/data/1/current/VERSION")).isEqualTo("stock's");
        assertThat(host.text("/elsewhere/file")).isEqualTo("x");
        assertThat(host.run(0, "remove")).isEqualTo("Nothing to do.\n");
    }

    @Test
    void whatIsNotTerraces_isLeftAndNamed() throws IOException {
        List<String> others = List.of(MEMORY + "/notes", "/data/1/terrace/notes", "/var/lib/terrace/channel/notes");
        for (String path : others) {
            host.file(path, "mine");
        }
        host.file(DROP_IN, "[Service]\nNice=5\n");

        String said = host.run(0, "remove");

        assertThat(others).allSatisfy(path -> {
            assertThat(host.text(path)).isEqualTo("mine");
            assertThat(said).contains("left as it is: " + path);
        });
        assertThat(host.text(DROP_IN)).contains("Nice=5");
        assertThat(at("/data/1/terrace/extents")).doesNotExist();
    }

    @Test
    void dryRun_printsAllAndDeletesNothing() throws IOException {
        assertThat(host.run(0, "remove", "--dry-run"))
                .contains("would delete " + MEMORY + "/extents\n")
                .contains("would delete /data/1/terrace\n")
                .contains("would delete " + SOCKET + "\n")
                .contains("would delete " + MOUNT_UNIT + "\n");
        assertThat(OURS).allSatisfy(path -> assertThat(at(path)).exists());
    }

    private void mounted(String source, String type) throws IOException {
        host.file("/proc/self/mounts", "/dev/vda / ext4 rw 0 0\n" + source + " " + MEMORY + " " + type + " rw 0 0\n");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void mount_thatPrepareMade_isUnmounted(boolean systemd) throws IOException {
        if (systemd) {
            host.directory("/run/systemd/system", 0755);
        }
        mounted("terrace", "tmpfs");

        assertThat(host.run(0, "remove"))
                .contains(systemd ? "run systemctl stop mnt-terrace\\x2dmemory.mount" : "run umount " + MEMORY)
                .doesNotContain("left as it is");
    }

    @ParameterizedTest
    @CsvSource({"/dev/vdb, xfs, true", "/dev/vdb, xfs, false", "tmpfs, tmpfs, true", "tmpfs, tmpfs, false"})
    void mount_ofOthers_isLeftAndNamed(String source, String type, boolean systemd) throws IOException {
        if (systemd) {
            host.directory("/run/systemd/system", 0755);
        }
        mounted(source, type);

        assertThat(host.run(0, "remove"))
                .contains("left as it is: the mount of " + type + " " + source + " on " + MEMORY)
                .doesNotContain("umount", "systemctl stop");
        assertThat(at(MOUNT_UNIT)).doesNotExist();
    }

    @Test
    void mount_withFilesOfOthers_isLeftAndNamed() throws IOException {
        host.file(MEMORY + "/notes", "mine");
        mounted("terrace", "tmpfs");

        assertThat(host.run(0, "remove"))
                .contains("left as it is: " + MEMORY + "/notes")
                .contains("the mount of tmpfs terrace on " + MEMORY + ", for it has files of others")
                .doesNotContain("umount");
    }

    @Test
    void mount_whoseUnitWentBefore_isUnmounted() throws IOException {
        host.directory("/run/systemd/system", 0755);
        host.file(MEMORY + "/notes", "mine");
        mounted("terrace", "tmpfs");
        assertThat(host.run(0, "remove")).doesNotContain("umount", "systemctl stop");

        Files.delete(at(MEMORY + "/notes"));
        assertThat(host.run(0, "remove")).contains("run umount " + MEMORY).doesNotContain("left as it is");
    }

    @Test
    void memory_thatADataNodeUses_isRefused() throws IOException {
        try (FileChannel channel = FileChannel.open(at(MEMORY + "/in_use.lock"), StandardOpenOption.WRITE);
                FileLock lock = channel.lock()) {
            assertThat(host.run(1, "remove")).contains("a DataNode uses " + MEMORY);
            assertThat(lock.isValid()).isTrue();
        }
        assertThat(OURS).allSatisfy(path -> assertThat(at(path)).exists());
    }

    @Test
    void remove_whereADirectoryCannotBeRead_saysSoInOneLine() throws IOException {
        Files.delete(at(SOCKET));
        Files.delete(at("/var/lib/terrace/channel"));
        Files.createSymbolicLink(at("/var/lib/terrace/channel"), Path.of("channel"));
        assertThat(host.run(1, "remove"))
                .startsWith("terrace-host: ")
                .contains("/var/lib/terrace/channel: Too many levels of symbolic links")
                .hasLineCount(1);
    }
}
