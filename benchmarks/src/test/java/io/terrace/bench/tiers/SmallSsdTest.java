package io.terrace.bench.tiers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SmallSsdTest {

    private static final Path DIR = Path.of("data");
    private static final long SSD = 128L << 20;

    @Test
    void fileSystemThatKeepsMuchFromUsers_isRefusedWithARemedy() {
        assertThatIOException()
                .isThrownBy(() -> SmallSsd.requireRoom(DIR, SSD, 7L << 20))
                .withMessageContainingAll("7 MB", "data", "--dir", "/dev/shm");
    }

    @Test
    void fileSystemThatKeepsLittle_isTaken() {
        assertThatCode(() -> SmallSsd.requireRoom(DIR, SSD, 6L << 20)).doesNotThrowAnyException();
    }

    @Test
    void allButTheSsdIsReserved(@TempDir Path dir) throws Exception {
        long total = Files.getFileStore(dir).getTotalSpace();
        Path made = dir.resolve("made");
        assertThat(SmallSsd.reserved(made, Long.MAX_VALUE / 2)).isEqualTo(Long.toString(total - Long.MAX_VALUE / 2));
        assertThat(made).isDirectory();
    }
}
