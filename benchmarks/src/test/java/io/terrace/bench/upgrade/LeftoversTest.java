package io.terrace.bench.upgrade;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LeftoversTest {
    @TempDir
    Path dir;

    @Test
    void volume_ofStock_hasNone() throws IOException {
        file("in_use.lock");
        file("current/BP-1/current/finalized/subdir0/blk_7");
        assertThat(Leftovers.inVolume(dir)).isZero();
    }

    @Test
    void links_atTheTop_andWhatLiesInTheBlockPool_areFound() throws IOException {
        Files.createDirectory(dir.resolve("terrace"));
        assertThat(Leftovers.inVolume(dir)).as("counted once").isEqualTo(1);
        file("current/BP-1/terrace.slots");
        assertThat(Leftovers.inVolume(dir)).isEqualTo(2);
    }

    @Test
    void files_besideANameNode_areCounted() throws IOException {
        assertThat(Leftovers.filesBelow(dir.resolve("journal"))).isZero();
        file("journal/rocksdb/CURRENT");
        assertThat(Leftovers.filesBelow(dir.resolve("journal"))).isEqualTo(1);
    }

    private void file(String name) throws IOException {
        Path file = dir.resolve(name);
        Files.createDirectories(file.getParent());
        Files.createFile(file);
    }
}
