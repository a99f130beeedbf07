package io.terrace.datanode.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.terrace.channel.shm.LinkDirectory;
import io.terrace.common.BlockKey;
import io.terrace.common.BlockVersion;
import io.terrace.datanode.extent.Extent;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MemoryDirectoryTest {

    private static final int NOBODY = 65534;

    @TempDir
    private Path root;

    private static Extent extent(String pool, long id, long number) {
        return new Extent(new BlockKey(pool, id, 7), 5, 4096, number, 0);
    }

    private static void write(MemoryDirectory directory, Extent extent, boolean seal) throws IOException {
        try (FileChannel file = directory.create(extent)) {
            file.write(ByteBuffer.wrap(new byte[] {1, 2, 3, 4, 5}));
        }
        if (seal) {
            directory.seal(extent);
        }
    }

    @Test
    void leftovers_ofDeadProcess_areWholeCopiesOnly() throws IOException {
        try (MemoryDirectory directory = MemoryDirectory.open(root, false)) {
            write(directory, extent("BP-1", 11, 1), true);
            write(directory, extent("BP-1", -12, 2), true);
            write(directory, extent("BP-2", 13, 3), false);
        }
        Files.writeString(Files.createFile(root.resolve("extents/BP-2/readme")), "not a copy");
        try (MemoryDirectory directory = MemoryDirectory.open(root, false)) {
            assertThat(directory.leftovers())
                    .extracting(MemoryDirectory.Leftover::block)
                    .containsExactlyInAnyOrder(
                            new BlockVersion(new BlockKey("BP-1", 11, 7), 5),
                            new BlockVersion(new BlockKey("BP-1", -12, 7), 5));
            Extent next = extent("BP-1", 11, 1);
            directory.adopt(
                    directory.leftovers().stream()
                            .filter(leftover -> leftover.block().key().blockId() == 11)
                            .findFirst()
                            .orElseThrow(),
                    next);
            assertThat(directory.file(next)).hasBinaryContent(new byte[] {1, 2, 3, 4, 5});
            assertThat(directory.leftovers()).hasSize(1);
        }
    }

    @Test
    void remove_withoutTruncating_leavesTheBytesToThoseWhoHaveItOpen() throws IOException {
        try (MemoryDirectory directory = MemoryDirectory.open(root, false)) {
            Extent passed = extent("BP-1", 1, 1);
            Extent granted = extent("BP-1", 2, 2);
            write(directory, passed, true);
            write(directory, granted, true);
            try (FileChannel passedTo = directory.open(passed);
                    FileChannel keptBy = directory.open(granted)) {
                directory.remove(passed, false);
                directory.remove(granted, true);
                assertThat(passedTo.size()).isEqualTo(5);
                assertThat(keptBy.size()).isZero();
            }
            assertThat(directory.file(passed)).doesNotExist();
            assertThat(directory.file(granted)).doesNotExist();
            directory.remove(granted, true);
        }
    }

    @Test
    void remove_thatCannotCutTheFile_leavesItsNameToTryAgain() throws IOException {
        try (MemoryDirectory directory = MemoryDirectory.open(root, false)) {
            Extent extent = extent("BP-1", 1, 1);
            write(directory, extent, true);
            Path aside = Files.move(directory.file(extent), root.resolve("aside"));
            // What cannot be opened for writing, whoever asks.
            Files.createDirectory(directory.file(extent));
            assertThat(directory.remove(extent, true)).isFalse();
            assertThat(directory.file(extent)).exists();
            Files.delete(directory.file(extent));
            Files.move(aside, directory.file(extent));
            try (FileChannel keptBy = directory.open(extent)) {
                assertThat(directory.remove(extent, true)).isTrue();
                assertThat(keptBy.size()).isZero();
            }
            assertThat(directory.file(extent)).doesNotExist();
            assertThat(directory.remove(extent, true)).as("gone already").isTrue();
        }
    }

    @Test
    void remove_ofAPassedFileThatFails_saysSo() throws IOException {
        try (MemoryDirectory directory = MemoryDirectory.open(root, false)) {
            Extent extent = extent("BP-1", 1, 1);
            Files.createDirectories(directory.file(extent).resolve("in-the-way"));
            assertThat(directory.remove(extent, false)).isFalse();
        }
    }

    @Test
    void create_forPoolThatIsAPath_throws() throws IOException {
        try (MemoryDirectory directory = MemoryDirectory.open(root, false)) {
            assertThatThrownBy(() -> directory.create(extent("../../escape", 1, 1)))
                    .isInstanceOf(IOException.class);
            assertThatThrownBy(() -> directory.create(extent("a/b", 1, 1))).isInstanceOf(IOException.class);
        }
    }

    @Test
    void open_ofADirectoryThatOthersMayWrite_isRefusedWithARemedy() throws IOException {
        Path parent = Files.createDirectory(root.resolve("parent"));
        Path memory = Files.createDirectory(parent.resolve("memory"));
        Files.setPosixFilePermissions(memory, PosixFilePermissions.fromString("rwxrwx--x"));
        assertThatThrownBy(() -> MemoryDirectory.open(memory, false))
                .hasMessageContaining("terrace.datanode.memory.dir")
                .hasMessageContaining(memory.toString())
                .hasMessageContaining("chmod go-w");
        Files.setPosixFilePermissions(memory, PosixFilePermissions.fromString("rwx--x--x"));
        Files.setPosixFilePermissions(parent, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThatThrownBy(() -> MemoryDirectory.open(memory, false))
                .hasMessageContaining(parent + " is writable")
                .hasMessageContaining("chmod go-w");
        assertThat(memory).isEmptyDirectory();
    }

    @Test
    void open_ofADirectoryOfAnotherUser_isRefusedWithARemedy() throws IOException {
        assumeRoot();
        Path memory = Files.createDirectory(root.resolve("memory"));
        Files.setAttribute(memory, "unix:uid", NOBODY);
        assertThatThrownBy(() -> MemoryDirectory.open(memory, false))
                .hasMessageContaining("terrace.datanode.memory.dir=" + memory)
                .hasMessageContaining("belongs to user id " + NOBODY)
                .hasMessageContaining("chown");
        assertThat(memory).isEmptyDirectory();
    }

    @ParameterizedTest
    @ValueSource(strings = {"extents", "leftovers", "links", "extents/BP-1", "leftovers/BP-1"})
    void open_withALinkInTheWayOfADirectory_isRefusedAndLeavesWhatItLeadsTo(String entry) throws IOException {
        Path victim = Files.createDirectories(root.resolve("victim/BP-1"));
        Path replica = Files.writeString(victim.resolve("blk_1_7_1"), "bytes");
        Files.setPosixFilePermissions(replica, PosixFilePermissions.fromString("r--r--r--"));
        Path memory = Files.createDirectory(root.resolve("memory"));
        Path inTheWay = memory.resolve(entry);
        Files.createDirectories(inTheWay.getParent());
        Files.createSymbolicLink(inTheWay, entry.endsWith("BP-1") ? victim : victim.getParent());
        assertThatThrownBy(() -> {
                    try (MemoryDirectory directory = MemoryDirectory.open(memory, false)) {
                        directory.leftovers();
                        directory.links();
                    }
                })
                .isInstanceOf(IOException.class)
                .hasMessageContaining("terrace.datanode.memory.dir=" + memory)
                .hasMessageContaining(inTheWay + " is no directory")
                .hasMessageContaining("remove it");
        assertThat(replica).hasContent("bytes");
    }

    @Test
    void open_withADirectoryOfAnotherUserInIt_isRefused() throws IOException {
        assumeRoot();
        for (String entry : new String[] {"extents", "leftovers", "links"}) {
            Path memory = Files.createDirectory(root.resolve("with-" + entry));
            Files.setAttribute(Files.createDirectory(memory.resolve(entry)), "unix:uid", NOBODY);
            assertThatThrownBy(() -> {
                        try (MemoryDirectory directory = MemoryDirectory.open(memory, false)) {
                            directory.links();
                        }
                    })
                    .hasMessageContaining(memory.resolve(entry) + " is no directory of user id 0");
        }
    }

    @Test
    void leftovers_ofAnotherUser_areNoCopies() throws IOException {
        assumeRoot();
        try (MemoryDirectory directory = MemoryDirectory.open(root, false)) {
            Extent extent = extent("BP-1", 11, 1);
            write(directory, extent, true);
            Files.setAttribute(directory.file(extent), "unix:uid", NOBODY);
        }
        try (MemoryDirectory directory = MemoryDirectory.open(root, false)) {
            assertThat(directory.leftovers()).isEmpty();
        }
    }

    @Test
    void lock_canBeTakenByNobodyElse() throws IOException {
        Path lock = Files.createFile(root.resolve("in_use.lock"));
        Files.setPosixFilePermissions(lock, PosixFilePermissions.fromString("rw-r--r--"));
        MemoryDirectory.open(root, false).close();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(lock)))
                .isEqualTo("rw-------");
        Files.delete(lock);
        MemoryDirectory.open(root, false).close();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(lock)))
                .isEqualTo("rw-------");
    }

    @Test
    void open_withALinkInTheWayOfTheLock_isRefused() throws IOException {
        Path victim = Files.writeString(root.resolve("victim"), "bytes");
        Files.setPosixFilePermissions(victim, PosixFilePermissions.fromString("rw-r--r--"));
        Path memory = Files.createDirectory(root.resolve("memory"));
        Files.createSymbolicLink(memory.resolve("in_use.lock"), victim);
        assertThatThrownBy(() -> MemoryDirectory.open(memory, false)).hasMessageContaining("in_use.lock is no file");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(victim)))
                .isEqualTo("rw-r--r--");
    }

    private static void assumeRoot() {
        assumeTrue("root".equals(System.getProperty("user.name")), "only root may give files to another user");
    }

    @Test
    void anotherUser_canNeitherListNorOpenButByTheLink() throws Exception {
        assumeRoot();
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/setpriv")), "setpriv is missing");
        for (Path above = root; above != null; above = above.getParent()) {
            assumeTrue(
                    above.equals(root)
                            || Files.getPosixFilePermissions(above)
                                    .contains(java.nio.file.attribute.PosixFilePermission.OTHERS_EXECUTE),
                    "the temporary directory is closed to others");
        }
        Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwx--x--x"));
        try (MemoryDirectory directory = MemoryDirectory.open(root, false)) {
            Extent extent = extent("BP-1", 1, 1);
            write(directory, extent, true);
            LinkDirectory links = LinkDirectory.create(root.resolve("links"));
            String link = links.link(directory.file(extent));
            assertThat(asNobody("cat", directory.file(extent).toString())).isNotZero();
            assertThat(asNobody("ls", root.resolve("extents").toString())).isNotZero();
            assertThat(asNobody("ls", links.path().toString())).isNotZero();
            Path granted = links.path().resolve(link);
            assertThat(asNobody("cat", granted.toString())).isZero();
            assertThat(asNobody("sh", "-c", "echo x > " + granted)).isNotZero();
            assertThat(asNobody(
                            "ln",
                            granted.toString(),
                            links.path().resolve("kept").toString()))
                    .isNotZero();
            links.unlink(link);
            assertThat(asNobody("cat", granted.toString())).isNotZero();
        }
    }

    private static int asNobody(String... command) throws IOException, InterruptedException {
        String[] all = new String[command.length + 4];
        all[0] = "/usr/bin/setpriv";
        all[1] = "--reuid=" + NOBODY;
        all[2] = "--regid=65534";
        all[3] = "--clear-groups";
        System.arraycopy(command, 0, all, 4, command.length);
        Process process = new ProcessBuilder(all)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }
}
