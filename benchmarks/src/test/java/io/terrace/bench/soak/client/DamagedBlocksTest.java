package io.terrace.bench.soak.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DamagedBlocksTest {
    @TempDir
    private Path journals;

    @Test
    void known_areAllThatWereAdded() throws IOException {
        assertThat(DamagedBlocks.known(journals)).isEmpty();

        DamagedBlocks.add(journals, 7);
        DamagedBlocks.add(journals, 1_073_741_825L);

        assertThat(DamagedBlocks.known(journals)).containsExactly(7L, 1_073_741_825L);
    }

    @Test
    void known_leavesOutALineThatIsBeingWritten() throws IOException {
        DamagedBlocks.add(journals, 7);
        try (var files = Files.list(journals)) {
            Files.writeString(files.findFirst().orElseThrow(), "10737", StandardOpenOption.APPEND);
        }

        assertThat(DamagedBlocks.known(journals)).containsExactly(7L);
    }
}
