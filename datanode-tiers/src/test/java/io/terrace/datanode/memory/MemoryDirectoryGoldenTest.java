package io.terrace.datanode.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.common.BlockKey;
import io.terrace.common.BlockVersion;
import io.terrace.datanode.extent.Extent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The names of the files in memory, which the next process, perhaps of another version, takes over. */
final class MemoryDirectoryGoldenTest {

    @TempDir
    private Path root;

    private static Extent extent(long blockId, long number) {
        return new Extent(new BlockKey("BP-1", blockId, 1001), 5, 4096, number, 0);
    }

    private List<String> files() throws IOException {
        try (Stream<Path> all = Files.walk(root)) {
            return all.filter(file -> !file.equals(root))
                    .map(file -> root.relativize(file).toString())
                    .toList();
        }
    }

    @Test
    void write() throws Exception {
        try (MemoryDirectory directory = MemoryDirectory.open(root, false)) {
            directory.create(extent(1073741825, 3)).close();
            directory.create(extent(-7, 4)).close();
            directory.links();
            directory.drafts().create().file().close();
            assertThat(files())
                    .containsExactlyInAnyOrder(
                            "in_use.lock",
                            "drafts",
                            "drafts/draft_1",
                            "extents",
                            "extents/BP-1",
                            "extents/BP-1/blk_1073741825_1001_3",
                            "extents/BP-1/blk_-7_1001_4",
                            "leftovers",
                            "links");
        }
    }

    @Test
    void read() throws Exception {
        Path extents = Files.createDirectories(root.resolve("extents/BP-1"));
        Path leftovers = Files.createDirectories(root.resolve("leftovers/BP-1"));
        seal(Files.writeString(extents.resolve("blk_1073741825_1001_3"), "01234"));
        seal(Files.writeString(leftovers.resolve("blk_-7_1002_4"), "0123456"));
        try (MemoryDirectory directory = MemoryDirectory.open(root, false)) {
            assertThat(directory.leftovers())
                    .containsExactlyInAnyOrder(
                            new MemoryDirectory.Leftover(
                                    leftovers.resolve("blk_1073741825_1001_3"), version(1073741825, 1001, 5)),
                            new MemoryDirectory.Leftover(leftovers.resolve("blk_-7_1002_4"), version(-7, 1002, 7)));
        }
    }

    private static BlockVersion version(long blockId, long generationStamp, long lengthBytes) {
        return new BlockVersion(new BlockKey("BP-1", blockId, generationStamp), lengthBytes);
    }

    private static void seal(Path file) throws IOException {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r--r--r--"));
    }
}
