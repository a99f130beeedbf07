package io.terrace.host;

import static io.terrace.host.HostFixture.DROP_IN;
import static io.terrace.host.HostFixture.GOOD;
import static io.terrace.host.HostFixture.MEMORY;
import static io.terrace.host.HostFixture.MOUNT_UNIT;
import static io.terrace.host.HostFixture.UNIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TerraceHostTest {

    @TempDir
    private Path dir;

    private HostFixture host;

    @BeforeEach
    void makeHost() throws IOException {
        host = new HostFixture(dir);
    }

    @ParameterizedTest
    @CsvSource({
        "4.18.0-553.el8.x86_64, 1, false, false",
        "4.18.0-553.el8.x86_64, 2, false, true",
        "5.4.0-190-generic, 1, false, false",
        "5.14.0-427.el9.x86_64, 2, false, true",
        "6.1.0-22-amd64, 2, false, true",
        "6.3.9, 2, false, true",
        "6.4.0, 2, true, false",
        "6.8.0-45-generic, 1, true, false",
        "6.8.0-45-generic, 2, true, false"
    })
    void prepare_keepsTierOutOfSwap_asKernelCan(String kernel, int cgroup, boolean noswap, boolean limit)
            throws IOException {
        host.kernel(kernel).cgroup(cgroup).swap().unit();

        host.run(0, "prepare");

        assertThat(host.text(MOUNT_UNIT).contains(",noswap")).isEqualTo(noswap);
        assertThat(host.text(DROP_IN).contains("MemorySwapMax=0")).isEqualTo(limit);
        assertThat(host.text(DROP_IN)).contains("Wants=mnt-terrace\\x2dmemory.mount");
        assertThat(host.run(1, "check").contains("turn swap off")).isEqualTo(!noswap && !limit);
    }

    @Test
    void prepare_writesMountForEachBoot() throws IOException {
        host.run(0, "prepare");

        assertThat(host.text(MOUNT_UNIT))
                .contains("Where=" + MEMORY + "\n")
                .contains("Options=size=4201m,mode=0711,uid=" + host.uid() + ",gid=");
        assertThat(dir.resolve("root/etc/systemd/system/multi-user.target.wants/mnt-terrace\\x2dmemory.mount"))
                .isSymbolicLink();
        assertThat(dir.resolve("root/var/lib/terrace/channel")).isDirectory();
    }

    @Test
    void prepare_again_changesNothing() throws IOException {
        host.unit();
        host.run(0, "prepare");
        host.mounted("tmpfs", GOOD);

        assertThat(host.run(0, "prepare")).isEqualTo("Nothing to do.\n");
        assertThat(host.run(0, "check")).contains("Nothing is wrong.");
    }

    @Test
    void dryRun_printsAllAndWritesNothing() throws IOException {
        assertThat(host.run(0, "prepare", "--dry-run"))
                .contains("would write " + MOUNT_UNIT)
                .contains("    [Mount]")
                .contains("would run mount -t tmpfs -o size=4201m");
        assertThat(dir.resolve("root/etc/systemd")).doesNotExist();
        assertThat(dir.resolve("root/var")).doesNotExist();
    }

    @Test
    void prepare_leavesFstabAlone() throws IOException {
        host.fstab("tmpfs", "size=8g,mode=0711,uid=hdfs");

        assertThat(host.run(0, "prepare"))
                .containsSubsequence(
                        "to do on the host: run mount " + MEMORY,
                        "make directory " + MEMORY + ", mode 711, owner hdfs");
        assertThat(host.text(MOUNT_UNIT)).isEmpty();
        assertThat(host.run(1, "check")).doesNotContain("memory-fstab");
    }

    @Test
    void prepare_neverHidesFiles() throws IOException {
        host.file(MEMORY + "/extent", "bytes");

        assertThat(host.run(1, "prepare")).contains("has files, which a mount would hide");
        assertThat(host.text(MOUNT_UNIT)).isEmpty();
    }

    @Test
    void prepare_neverHidesFilesInSharedTmpfs() throws IOException {
        host.file("/proc/self/mounts", "/dev/vda / ext4 rw 0 0\ntmpfs /mnt tmpfs rw 0 0\n")
                .file(MEMORY + "/extent", "bytes");

        assertThat(host.run(1, "prepare")).contains("has files, which a mount would hide");
        assertThat(host.text(MOUNT_UNIT)).isEmpty();
    }

    @Test
    void prepare_refusesFile() throws IOException {
        host.file(MEMORY, "bytes");

        assertThat(host.run(1, "prepare")).contains(MEMORY + " is no directory");
        assertThat(host.text(MOUNT_UNIT)).isEmpty();
    }

    @Test
    void prepare_refusesMountOfAnotherKind() throws IOException {
        host.mounted("xfs", "rw");
        assertThat(host.run(1, "prepare")).contains("is a mount of xfs, which is not memory");
    }

    @Test
    void prepare_refusesTierLargerThanHost() throws IOException {
        host.property("terrace.datanode.memory.capacity", "65g");
        assertThat(host.run(1, "prepare")).contains("lower terrace.datanode.memory.capacity");
    }

    @ParameterizedTest
    @CsvSource({"/var/lib, channel-open", "/mnt, memory-open"})
    void directoryAbove_thatOthersCanWrite_isRefused(String above, String id) throws IOException {
        host.directory(above, 0775);
        assertThat(host.run(1, "check")).contains(id);
        assertThat(host.run(1, "prepare")).contains("chmod go-w " + above);
    }

    @Test
    void stickyDirectoryAbove_isTrusted_asByClients() throws IOException {
        host.directory("/var/lib", 01777).directory("/mnt", 01777);
        assertThat(host.run(1, "check")).doesNotContain("-open");
        host.run(0, "prepare");
    }

    @ParameterizedTest
    @CsvSource({"/var/lib, channel-open", "/mnt, memory-open"})
    void directoryAbove_ofAnotherUser_isRefused(String above, String id) throws IOException {
        assumeTrue(host.uid() == 0, "only root can give a directory away");
        host.directory(above, 0755);
        Files.setAttribute(dir.resolve("root" + above), "unix:uid", 4711);
        assertThat(host.run(1, "check")).contains(id).contains("user id 4711");
        assertThat(host.run(1, "prepare")).contains("chown root " + above);
    }

    @Test
    void directoryAboveWhatALinkLeadsTo_isLookedAt() throws IOException {
        host.property("terrace.channel.dir", "/var/run/terrace").directory("/run", 0777);
        Files.createDirectories(dir.resolve("root/var"));
        Files.createSymbolicLink(dir.resolve("root/var/run"), Path.of("/run"));
        assertThat(host.run(1, "check")).contains("channel-open").contains("chmod go-w /run,");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ro,size=4400000k,noswap,huge=always | memory-read-only   | remount,rw",
                "rw,size=1000000k,noswap,huge=always | memory-tmpfs-small | remount,size=4201m",
                "rw,size=4400000k,noswap             | memory-huge        | remount,huge=within_size"
            })
    void mountWithOtherOptions_isFoundAndRemounted(String options, String id, String remount) throws IOException {
        host.mounted("tmpfs", options).directory("/var/lib/terrace/channel", 0755);

        assertThat(host.run(id.equals("memory-huge") ? 0 : 1, "check")).contains(id);
        assertThat(host.run(0, "prepare", "--dry-run")).contains("would run mount -o " + remount + " " + MEMORY);
    }

    @Test
    void mountThatOthersCanWrite_isFoundAndMended() throws IOException {
        host.mounted("tmpfs", GOOD).directory(MEMORY, 01777);

        assertThat(host.run(1, "check")).contains("memory-owner").contains("mode 1777");
        host.run(0, "prepare");
        assertThat(host.run(0, "check")).doesNotContain("memory-owner");
    }

    /** What is there stays, if nobody else can write to it. */
    @ParameterizedTest
    @CsvSource({"0700", "0711", "0750"})
    void directoriesOfTheDataNode_keepTheirMode(String mode) throws IOException {
        int narrow = Integer.parseInt(mode, 8);
        host.mounted("tmpfs", GOOD).directory(MEMORY, narrow).directory("/var/lib/terrace/channel", narrow);

        host.run(0, "prepare");

        assertThat(mode("/var/lib/terrace/channel")).isEqualTo(narrow);
        assertThat(mode(MEMORY)).isEqualTo(narrow);
        assertThat(host.run(0, "check").contains("chmod 0711 " + MEMORY)).isEqualTo(narrow != 0711);
    }

    /** As root, prepare would give away what the link leads to. */
    @Test
    void prepare_changesNothingThroughALink() throws IOException {
        host.mounted("tmpfs", GOOD).directory("/etc/cron.d", 0777).directory("/var/lib/terrace", 0755);
        Files.createSymbolicLink(dir.resolve("root/var/lib/terrace/channel"), Path.of("../../../etc/cron.d"));

        assertThat(host.run(1, "prepare")).contains("/var/lib/terrace/channel").contains("is a symbolic link");
        assertThat(mode("/etc/cron.d")).isEqualTo(0777);
    }

    private int mode(String path) throws IOException {
        return (Integer) Files.getAttribute(dir.resolve("root" + path), "unix:mode") & 07777;
    }

    @Test
    void mountOfAnotherUser_isFound() throws IOException {
        host.mounted("tmpfs", GOOD);
        assertThat(host.run(1, "check", "--user", "daemon"))
                .contains("memory-owner")
                .contains("daemon (99999)");
    }

    @Test
    void mountWithSwap_saysThatItMustBeMadeAgain() throws IOException {
        host.swap().mounted("tmpfs", "rw,size=4400000k,huge=always").directory("/var/lib/terrace/channel", 0755);
        assertThat(host.run(0, "check")).contains("memory-swap").contains("umount " + MEMORY);
    }

    @Test
    void directoryInSharedTmpfs_isWarnedOf() throws IOException {
        host.file("/proc/self/mounts", "/dev/vda / ext4 rw 0 0\ntmpfs /mnt tmpfs rw 0 0\n")
                .directory("/var/lib/terrace/channel", 0755);
        assertThat(host.run(0, "check")).contains("memory-shared").contains("writes to /mnt");
    }

    @ParameterizedTest
    @CsvSource({"2, /memory.max", "1, /memory.limit_in_bytes"})
    void limitOfService_isComparedWithTier(int cgroup, String file) throws IOException {
        String group = "/sys/fs/cgroup" + (cgroup == 1 ? "/memory" : "") + "/system.slice/" + UNIT;
        host.cgroup(cgroup).unit().mounted("tmpfs", GOOD).directory("/var/lib/terrace/channel", 0755);
        host.file(group + file, cgroup == 1 ? "9223372036854771712\n" : "max\n");
        assertThat(host.run(0, "check")).doesNotContain("memory-cgroup-small");

        host.file(group + file, "2147483648\n");
        assertThat(host.run(1, "check")).contains("memory-cgroup-small").contains("may use 2.0 GB");
    }

    @Test
    void rdma_needsLockedMemory() throws IOException {
        host.unit().property("terrace.channel.verbs.port.offset", "101");
        host.file("/sys/fs/cgroup/system.slice/" + UNIT + "/cgroup.procs", "77\n")
                .file("/proc/77/limits", "Max locked memory         8388608              8388608              bytes\n");

        assertThat(host.run(1, "check")).contains("may lock only 8388608 bytes");
        host.run(0, "prepare");
        assertThat(host.text(DROP_IN)).contains("LimitMEMLOCK=infinity");
        assertThat(host.run(1, "check")).contains("restart the DataNode");
    }

    @Test
    void rdma_withoutSystemd_isGivenByLimits() throws IOException {
        host.property("terrace.channel.verbs.port.offset", "101");
        host.run(0, "prepare");
        assertThat(host.text("/etc/security/limits.d/terrace.conf")).contains("hdfs - memlock unlimited");
    }

    @Test
    void port_isTakenByAnotherUserOnly() throws IOException {
        host.property("terrace.channel.tcp.port.offset", "100").mounted("tmpfs", GOOD);
        host.directory("/var/lib/terrace/channel", 0755);
        String line = "   0: 0100007F:26EE 00000000:0000 0A 00000000:00000000 00:00000000 00000000  %d        0 1\n";

        host.file("/proc/net/tcp", String.format(line, host.uid()));
        assertThat(host.run(0, "check")).doesNotContain("port-taken");
        host.file("/proc/net/tcp", String.format(line, 4711));
        assertThat(host.run(1, "check")).contains("port 9966 is used by a process of user 4711");
    }

    @Test
    void port_isWarnedOfWhereKernelGivesItAway() throws IOException {
        host.property("terrace.channel.tcp.port.offset", "30000")
                .mounted("tmpfs", GOOD)
                .directory("/var/lib/terrace/channel", 0755)
                .file("/proc/sys/net/ipv4/ip_local_port_range", "32768\t60999\n");
        assertThat(host.run(0, "check")).contains("port-ephemeral");

        host.file("/proc/sys/net/ipv4/ip_local_reserved_ports", "8080,39860-39870\n");
        assertThat(host.run(0, "check")).doesNotContain("port-ephemeral");
    }

    @Test
    void channelBelowRun_isMadeAtEachBoot() throws IOException {
        host.property("terrace.channel.dir", "/run/terrace/channel");
        host.run(0, "prepare");
        assertThat(host.text("/etc/tmpfiles.d/terrace.conf")).contains("d /run/terrace/channel 755 " + host.uid());
    }

    @Test
    void json_hasFactsAndFindings() {
        assertThat(host.run(1, "check", "--json"))
                .contains("\"kernel\" : \"6.8\"")
                .contains("\"mount_options\" : \"size=4201m,mode=0711")
                .contains("\"id\" : \"memory-not-mounted\"")
                .contains("\"remedy\" : \"terrace-host prepare\"");
    }

    @Test
    void badInput_isUsage() throws IOException {
        assertThat(host.run(2, "check", "--user", "nobody-here"))
                .contains("no user nobody-here")
                .contains("--user");
        assertThat(host.run(2, "check", "--unit", "../x")).contains("is no name of a service");
        host.property("terrace.channel.tcp.port.offset", "60000");
        assertThat(host.run(2, "check")).contains("terrace.channel.tcp.port.offset is 60000");
        host.property("terrace.channel.tcp.port.offset", "100").property("terrace.datanode.memory.dir", "relative");
        assertThat(host.run(2, "prepare")).contains("terrace.datanode.memory.dir");
    }

    @Test
    void stepThatFails_saysWhich() throws IOException {
        Files.createDirectories(dir.resolve("root/etc"));
        host.file("/etc/systemd", "a file where a directory should be");
        assertThat(host.run(1, "prepare")).contains("cannot write " + MOUNT_UNIT);
    }
}
