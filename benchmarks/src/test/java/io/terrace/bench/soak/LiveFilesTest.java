package io.terrace.bench.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.bench.soak.ProcessSample.Resource;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LiveFilesTest {
    @TempDir
    private Path dir;

    @Test
    void links_areTheFilesThatAreNoCopies() throws IOException {
        Files.createFile(dir.resolve("blk_1_1_1"));
        Files.createFile(Files.createDirectory(dir.resolve("links")).resolve("0af3"));
        Map<Resource, Long> sample = new EnumMap<>(Resource.class);

        ProcessSample.addMemory(sample, dir, 1 << 20);

        assertThat(sample).containsEntry(Resource.LINKS, 1L).containsKey(Resource.TMPFS);
    }

    @Test
    void file_thatGoesWhileItIsLookedAt_doesNotEndTheWalk() throws IOException {
        LiveFiles.Walk walk = new LiveFiles.Walk(dir);
        Path gone = dir.resolve("links/0af3");

        assertThat(walk.visitFileFailed(gone, new NoSuchFileException(gone.toString())))
                .isEqualTo(FileVisitResult.CONTINUE);
        assertThat(walk.postVisitDirectory(gone, new NoSuchFileException(gone.toString())))
                .isEqualTo(FileVisitResult.CONTINUE);
        assertThatThrownBy(() -> walk.visitFileFailed(gone, new IOException("damaged")))
                .hasMessage("damaged");
    }

    @Test
    void directory_thatIsNotThere_fails() {
        assertThatThrownBy(() -> LiveFiles.below(dir.resolve("gone"))).isInstanceOf(NoSuchFileException.class);
    }
}
