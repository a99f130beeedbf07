package io.terrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.channel.shm.ExtentFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class MappingBudgetTest {
    private static final int LENGTH_BYTES = 4096;

    @TempDir
    Path dir;

    @Test
    void unmap_thatFails_givesNoRoomBack_andNothingMoreIsMapped() throws Exception {
        MappingBudget budget = new MappingBudget(window -> {
            throw new IOException("denied");
        });
        Path file = Files.write(dir.resolve("extent"), new byte[LENGTH_BYTES]);
        try (ExtentFile extent = ExtentFile.open(file, LENGTH_BYTES)) {
            ByteBuffer window = budget.map(extent, 0, LENGTH_BYTES, 10 * LENGTH_BYTES);
            assertThat(window).isNotNull();
            budget.unmap(window);
            assertThat(budget.mappedBytes()).isEqualTo(LENGTH_BYTES);
            assertThat(budget.map(extent, 0, LENGTH_BYTES, 10 * LENGTH_BYTES)).isNull();
        }
    }
}
