package io.terrace.bench.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class VolumePairsTest {
    @TempDir
    Path root;

    private VolumePairs pairs;

    @BeforeEach
    void write() throws IOException {
        for (String datanode : List.of("1", "2")) {
            file(datanode + "/ssd/current/finalized/subdir0/blk_7");
            file(datanode + "/ssd/current/finalized/subdir0/blk_7_1001.meta");
        }
        pairs = new VolumePairs(List.of(root.resolve("1"), root.resolve("2")), file -> false);
    }

    @Test
    void replicas_ofSeveralDataNodes_areRight() throws IOException {
        file("1/disk/current/tmp/blk_7");
        file("1/disk/current/rbw/blk_8_1002.meta");
        assertThat(pairs.look()).isEmpty();
    }

    @Test
    void block_onBothVolumesOfADataNode_isFound() throws IOException {
        Path second = file("2/disk/current/finalized/blk_7");
        Path meta = file("2/disk/current/finalized/blk_7_1001.meta");
        assertThat(pairs.look()).get().asString().contains("blk_7 is on several volumes");
        assertThat(pairs.look()).isPresent();

        Files.delete(second);
        assertThat(pairs.look()).as("another fault, since the last look").isEmpty();
        assertThat(new VolumePairs(List.of(root.resolve("2")), file -> false).look())
                .get()
                .asString()
                .contains("has a meta file only");
        Files.delete(meta);
        assertThat(new VolumePairs(List.of(root.resolve("2")), file -> false).look())
                .isEmpty();
    }

    @Test
    void dataFile_withoutMeta_isFound() throws IOException {
        Files.delete(root.resolve("2/ssd/current/finalized/subdir0/blk_7_1001.meta"));
        assertThat(pairs.look()).get().asString().contains("has no meta file");
        assertThat(pairs.left()).hasSize(1);
    }

    @Test
    void copy_thatAMoveLeft_isFound() throws IOException {
        Path left = file("1/ssd/current/BP/tmp/subdir0/subdir0/blk_7");
        assertThat(pairs.look()).get().asString().contains("tmp/subdir0/subdir0/blk_7 is left of a move");

        Files.delete(left);
        Path meta = file("1/ssd/current/BP/tmp/subdir0/subdir0/blk_7_1001.meta");
        assertThat(pairs.look()).as("the next move").isEmpty();
        assertThat(new VolumePairs(List.of(root.resolve("1")), file -> false).look())
                .isPresent();
        assertThat(new VolumePairs(List.of(root.resolve("1")), meta::equals).look())
                .as("known as stock's")
                .isEmpty();
    }

    private Path file(String name) throws IOException {
        Path file = root.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.createFile(file);
    }
}
