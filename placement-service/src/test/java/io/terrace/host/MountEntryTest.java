package io.terrace.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class MountEntryTest {

    @Test
    void parse_readsBlanksAndLeavesOutComments() {
        List<MountEntry> mounts = MountEntry.parse(
                List.of("# a comment", "", "none swap swap sw 0 0", "tmpfs /a\\040b\\134c tmpfs rw,size=1k 0 0"));
        assertThat(mounts)
                .containsExactly(new MountEntry("tmpfs", Path.of("/a b\\c"), "tmpfs", List.of("rw", "size=1k")));
    }

    @Test
    void holding_isDeepestAndLast() {
        List<MountEntry> mounts = MountEntry.parse(
                List.of("a /mnt tmpfs rw 0 0", "b / ext4 rw 0 0", "c /mnt xfs rw 0 0", "d /mntx ext4 rw 0 0"));
        assertThat(MountEntry.holding(mounts, Path.of("/mnt/x")).map(MountEntry::type))
                .contains("xfs");
        assertThat(MountEntry.holding(mounts, Path.of("/mn")).map(MountEntry::type))
                .contains("ext4");
    }
}
