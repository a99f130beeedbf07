package io.terrace.host;

import static io.terrace.host.HostFixture.DROP_IN;
import static io.terrace.host.HostFixture.GOOD;
import static io.terrace.host.HostFixture.MEMORY;
import static io.terrace.host.HostFixture.MOUNT_UNIT;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MemoryCheckTest {

    @TempDir
    private Path dir;

    private HostFixture host;

    @BeforeEach
    void makeHost() throws IOException {
        host = new HostFixture(dir);
    }

    /** The mount would be root's, or too small, after each boot. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "tmpfs | size=8g",
                "tmpfs | size=8g,uid=hdfs",
                "tmpfs | size=8g,uid=hdfs,mode=1777",
                "tmpfs | size=8g,uid=daemon,mode=0711",
                "tmpfs | size=2g,uid=hdfs,mode=0711",
                "tmpfs | size=5%,uid=hdfs,mode=0711",
                "ext4  | defaults"
            })
    void fstab_thatDoesNotServeTheDataNode_isRefused(String type, String options) throws IOException {
        host.fstab(type, options);
        String line = "terrace " + MEMORY + " tmpfs size=4201m,mode=0711,uid=" + host.uid();

        assertThat(host.run(1, "check").replaceAll("\\s+", " "))
                .contains("ERROR memory-fstab")
                .contains(line);
        assertThat(host.run(1, "prepare")).contains("replace it by: " + line);
    }

    @Test
    void fstab_withoutRoomBesideTheCopies_isWarnedOf() throws IOException {
        host.fstab("tmpfs", "size=4g,uid=" + host.uid() + ",mode=711");
        assertThat(host.run(1, "check")).contains("WARNING  memory-fstab");
        host.run(0, "prepare");
    }

    /** systemd forces the unit's name, so it is the file that prepare would write. */
    @ParameterizedTest
    @CsvSource({"/etc/systemd/system", "/usr/lib/systemd/system"})
    void ownUnitOfTheAdministrator_isLeftAlone(String directory) throws IOException {
        String unit = "[Mount]\nWhere=" + MEMORY
                + "\nWhat=x\nType=tmpfs\nOptions=size=64g,nr_inodes=1m,mode=0711,\\\n uid=" + host.uid() + "\n";
        String path = directory + "/mnt-terrace\\x2dmemory.mount";
        host.file(path, unit);

        assertThat(host.run(0, "prepare"))
                .containsSubsequence("run mount -t tmpfs", "make directory " + MEMORY + ", mode 711, owner hdfs");

        assertThat(host.text(path)).isEqualTo(unit);
        assertThat(host.text("/etc/systemd/system/mnt-terrace\\x2dmemory.mount"))
                .isIn("", unit);
        assertThat(host.run(1, "check")).doesNotContain("memory-unit");
        assertThat(host.run(0, "remove")).contains("left as it is: " + path);
        assertThat(host.text(path)).isEqualTo(unit);
    }

    /** systemd does not look at it. */
    @Test
    void ownUnit_thatOursHides_isNoReasonToLeaveOursOld() throws IOException {
        host.run(0, "prepare");
        assertThat(host.text(MOUNT_UNIT)).contains("size=4201m");
        host.file("/usr/lib/systemd/system/mnt-terrace\\x2dmemory.mount", "[Mount]\nType=tmpfs\nOptions=size=64g\n");
        host.property("terrace.datanode.memory.capacity", "8g");

        host.run(0, "prepare");

        assertThat(host.text(MOUNT_UNIT)).contains("size=8338m");
    }

    @Test
    void channelDirectory_isWrittenSoThatSystemdReadsIt() throws IOException {
        host.property("terrace.channel.dir", "/run/terrace 50%");

        host.run(0, "prepare");

        assertThat(host.text("/etc/tmpfiles.d/terrace.conf")).contains("d \"/run/terrace 50%%\" 755 ");
    }

    @Test
    void ownerThatIsNoName_isRefused() throws IOException {
        host.property("terrace.channel.owner", ",");

        assertThat(host.run(2, "check")).contains("terrace.channel.owner is ,; it must be");
    }

    @Test
    void ownUnit_thatDoesNotServeTheDataNode_isRefused() throws IOException {
        host.file(MOUNT_UNIT, "[Mount]\nType=tmpfs\nOptions=size=64g\n");

        assertThat(host.run(1, "check").replaceAll("\\s+", " "))
                .contains("ERROR memory-unit " + MOUNT_UNIT + ", which terrace-host did not write");
        assertThat(host.run(1, "prepare")).contains("set Type=tmpfs and Options=size=4201m,mode=0711");
        assertThat(host.text(MOUNT_UNIT)).isEqualTo("[Mount]\nType=tmpfs\nOptions=size=64g\n");
    }

    @Test
    void fileOfTheAdministrator_withTheNameOfOurs_isNotReplaced() throws IOException {
        host.unit().file(DROP_IN, "[Service]\nNice=5\n");

        assertThat(host.run(1, "prepare")).contains(DROP_IN).contains("did not write this one");

        assertThat(host.text(DROP_IN)).isEqualTo("[Service]\nNice=5\n");
    }

    @Test
    void hostWithoutSystemd_needsALineInFstab() {
        Path directory = Path.of("/mnt/terrace memory");
        DataNodeHost live = new DataNodeHost(
                new HostFiles(Path.of("/")),
                new HostFacts(KernelVersion.of("6.8.0"), 2, 64L << 30, false, "never", List.of(), List.of(), false),
                new HostSettings(directory, 4L << 30, null, "hdfs", 0, 0),
                new UserAccount("hdfs", 1000, 1001),
                null);
        List<HostFinding> found = new ArrayList<>();
        MemoryCheck.run(live, found);

        assertThat(live.needsFstab()).isTrue();
        assertThat(found).anySatisfy(finding -> {
            assertThat(finding.id()).isEqualTo("memory-fstab");
            assertThat(finding.finding().remedy())
                    .contains("terrace /mnt/terrace\\040memory tmpfs size=4201m,mode=0711,uid=1000,gid=1001");
        });
        assertThat(MountEntry.parse(List.of(live.wanted().fstabLine())))
                .singleElement()
                .returns(directory, MountEntry::directory);
    }

    /** systemd mounts nothing at such a path. */
    @Test
    void memoryBehindALink_isRefused() throws IOException {
        host.directory("/data/memory", 0711);
        Files.createDirectories(dir.resolve("root/mnt"));
        Files.createSymbolicLink(dir.resolve("root" + MEMORY), Path.of("../data/memory"));

        assertThat(host.run(1, "check")).contains("ERROR  memory-link");
        assertThat(host.run(1, "prepare")).contains("set terrace.datanode.memory.dir to /data/memory");
        assertThat(host.text(MOUNT_UNIT)).isEmpty();

        host.file("/proc/self/mounts", "terrace /data/memory tmpfs " + GOOD + " 0 0\n")
                .directory("/var/lib/terrace/channel", 0755);
        assertThat(host.run(0, "check")).contains("WARNING  memory-link").doesNotContain("memory-not-mounted");
    }

    /** As after the guide's first try in /dev/shm. */
    @Test
    void filesOfADataNodeInASharedTmpfs_areNoError() throws IOException {
        host.file("/proc/self/mounts", "/dev/vda / ext4 rw 0 0\ntmpfs /mnt tmpfs rw 0 0\n")
                .file(MEMORY + "/in_use.lock", "")
                .directory("/var/lib/terrace/channel", 0755);

        assertThat(host.run(0, "check")).contains("NOTE  memory-hides-files");
        assertThat(host.run(1, "prepare")).contains("stop the DataNode");
    }
}
