package io.terrace.datanode.heartbeat;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.protocol.proto.DataNodeProtos.ConditionProto;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HostDiagnosticsTest {

    private static final long GB = 1L << 30;
    private static final Path MEMORY = Path.of("/mnt/terrace memory");

    @TempDir
    private Path root;

    private void file(String path, String text) throws IOException {
        Path file = root.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private List<String> ids(HostDiagnostics.Facts facts) {
        return new HostDiagnostics(root)
                .look(facts).stream().map(ConditionProto::getId).toList();
    }

    @Test
    void look_whereRdmaIsWantedAndMissing_saysWhy() {
        HostDiagnostics.Facts facts = new HostDiagnostics.Facts(
                GB, MEMORY, "tmpfs", 8 * GB, 0, 0, true, () -> "there is no RDMA device", () -> "", false);
        assertThat(new HostDiagnostics(Path.of("/nowhere")).look(facts))
                .filteredOn(condition -> condition.getId().equals("rdma-unavailable"))
                .singleElement()
                .satisfies(condition -> assertThat(condition.getText()).contains("there is no RDMA device"));
    }

    @Test
    void look_whereClientsOfThisHostCannotReadNvm_saysWhy_untilItIsRepaired() {
        String[] problem = {"the directory is gone"};
        HostDiagnostics.Facts facts =
                new HostDiagnostics.Facts(GB, MEMORY, "tmpfs", 8 * GB, 0, 0, true, () -> "", () -> problem[0], false);
        HostDiagnostics host = new HostDiagnostics(Path.of("/nowhere"));
        assertThat(host.look(facts)).singleElement().satisfies(condition -> {
            assertThat(condition.getId()).isEqualTo("nvm-local-unavailable");
            assertThat(condition.getText()).contains("the directory is gone");
        });
        problem[0] = "";
        assertThat(host.look(facts)).isEmpty();
    }

    @Test
    void look_atHostThatIsRight_findsNothing() throws IOException {
        file("proc/meminfo", "MemTotal:       16777216 kB\nSwapTotal:             0 kB\n");
        file("proc/self/limits", "Max locked memory         unlimited            unlimited            bytes\n");
        file("proc/self/cgroup", "0::/system.slice/datanode.service\n");
        file("sys/fs/cgroup/system.slice/datanode.service/memory.max", "max\n");
        assertThat(ids(new HostDiagnostics.Facts(
                        4 * GB, MEMORY, "tmpfs", 8 * GB, 0, 0, true, () -> "", () -> "", false)))
                .isEmpty();
    }

    @Test
    void look_whereDuplicatesStay_saysThatNothingMoves() {
        HostDiagnostics.Facts facts =
                new HostDiagnostics.Facts(GB, MEMORY, "tmpfs", 8 * GB, 0, 0, true, () -> "", () -> "", true);
        assertThat(new HostDiagnostics(Path.of("/nowhere")).look(facts))
                .extracting(ConditionProto::getId)
                .containsExactly("duplicates-stay");
    }

    @Test
    void look_atHostThatIsWrong_namesEverythingThatIs() throws IOException {
        file("proc/meminfo", "MemTotal:       2097152 kB\nSwapTotal:       1048576 kB\n");
        file("proc/self/limits", "Max locked memory         65536                65536                bytes\n");
        file("proc/self/cgroup", "0::/system.slice/datanode.service\n");
        file("sys/fs/cgroup/system.slice/memory.max", "1073741824\n");
        file("sys/fs/cgroup/system.slice/datanode.service/memory.max", "max\n");
        assertThat(ids(new HostDiagnostics.Facts(
                        4 * GB, MEMORY, "tmpfs", GB, 64 << 20, 1, false, () -> "", () -> "", false)))
                .containsExactlyInAnyOrder(
                        "memory-tmpfs-small",
                        "memory-too-little",
                        "memory-cgroup-small",
                        "memory-swap",
                        "memory-memlock",
                        "memory-lazy-persist",
                        "memory-locked",
                        "channel-off");
        assertThat(ids(new HostDiagnostics.Facts(GB, MEMORY, "ext4", 100 * GB, 0, 0, true, () -> "", () -> "", false)))
                .contains("memory-not-tmpfs");
    }

    /** As on RHEL 8; in a container the group's own directory is not there. */
    @ParameterizedTest
    @CsvSource({
        "/system.slice/dn, system.slice/dn, 1073741824, true",
        "/system.slice/dn, system.slice/dn, 9223372036854771712, false",
        "/docker/0a1b, '', 1073741824, true"
    })
    void look_atControlGroupOfVersion1_thatIsTooSmall_findsIt(String path, String group, String limit, boolean found)
            throws IOException {
        file("proc/self/cgroup", "11:devices:/x\n5:memory:" + path + "\n1:name=systemd:/x\n");
        file("sys/fs/cgroup/memory/" + group + "/memory.limit_in_bytes", limit + "\n");
        assertThat(ids(new HostDiagnostics.Facts(
                                4 * GB, MEMORY, "tmpfs", 8 * GB, 0, 0, true, () -> "", () -> "", false))
                        .contains("memory-cgroup-small"))
                .isEqualTo(found);
    }

    @ParameterizedTest
    @CsvSource({
        "60, 2147483648, 4294967296, true",
        "0, 2147483648, 4294967296, false",
        "60, 2147483648, 2147483648, false"
    })
    void look_atControlGroupOfVersion1_thatNeverSwaps_saysNothingOfSwap(
            String swappiness, String limit, String withSwap, boolean found) throws IOException {
        file("proc/meminfo", "MemTotal:       16777216 kB\nSwapTotal:       1048576 kB\n");
        file("proc/self/cgroup", "5:cpu,memory:/system.slice/dn\n");
        String group = "sys/fs/cgroup/memory/system.slice/dn/memory.";
        file(group + "swappiness", swappiness + "\n");
        file(group + "limit_in_bytes", limit + "\n");
        file(group + "memsw.limit_in_bytes", withSwap + "\n");
        assertThat(ids(new HostDiagnostics.Facts(GB, MEMORY, "tmpfs", 8 * GB, 0, 0, true, () -> "", () -> "", false))
                        .contains("memory-swap"))
                .isEqualTo(found);
    }

    /** The remedies of memory-swap end it. */
    @ParameterizedTest
    @CsvSource({
        "noswap, max, false",
        "noswap, '', false",
        "rw, 0, false",
        "rw, max, true",
        "rw, '', true",
    })
    void look_whereTheTierIsNeverSwapped_saysNothingOfSwap(String option, String swapMax, boolean found)
            throws IOException {
        file("proc/meminfo", "MemTotal:       16777216 kB\nSwapTotal:       1048576 kB\n");
        file(
                "proc/self/mounts",
                "/dev/vda / ext4 rw,noswap 0 0\nterrace /mnt/terrace\\040memory tmpfs size=1g," + option
                        + " 0 0\ntmpfs /mnt/terrace tmpfs rw,noswap 0 0\n");
        file("proc/self/cgroup", "0::/system.slice/datanode.service\n");
        file("sys/fs/cgroup/system.slice/datanode.service/memory.swap.max", swapMax + "\n");
        assertThat(ids(new HostDiagnostics.Facts(GB, MEMORY, "tmpfs", 8 * GB, 0, 0, true, () -> "", () -> "", false)))
                .isEqualTo(found ? List.of("memory-swap") : List.of());
    }

    @Test
    void look_afterAResize_judgesTheSizeInForce() throws IOException {
        file("proc/meminfo", "MemTotal:       2097152 kB\nSwapTotal:             0 kB\n");
        HostDiagnostics.Facts facts =
                new HostDiagnostics.Facts(4 * GB, MEMORY, "tmpfs", 3 * GB, 0, 0, true, () -> "", () -> "", false);
        assertThat(ids(facts)).containsExactlyInAnyOrder("memory-tmpfs-small", "memory-too-little");
        assertThat(ids(facts.withCapacity(GB))).isEmpty();
        assertThat(ids(facts.withCapacity(GB).withCapacity(3 * GB))).containsExactly("memory-too-little");
    }

    @Test
    void look_whereNothingCanBeRead_saysNothingOfIt() {
        assertThat(ids(new HostDiagnostics.Facts(
                        4 * GB, MEMORY, "tmpfs", 8 * GB, 0, 0, true, () -> "", () -> "", false)))
                .isEmpty();
    }
}
