package io.terrace.bench.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.bench.measure.ProcessTime;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("daemons")
final class NioChainTest {
    private static final FileContent CONTENT = new FileContent(1);
    private static final int NODES = 3;

    @TempDir
    Path dir;

    @Test
    void everyProcessHoldsEachFile() throws Exception {
        try (NioChain chain = new NioChain(dir, NODES)) {
            assertThat(chain.times()).hasSize(NODES);
            for (long bytes : new long[] {1, 512, (3 << 20) + 77}) {
                double seconds = ProcessTime.secondsDuring(chain.times(), () -> chain.write(CONTENT, bytes));
                assertThat(seconds).isPositive();
                chain.compareAndRemove(CONTENT, bytes);
            }
        }
    }

    @Test
    void fileThatDiffers_isFound() throws Exception {
        try (NioChain chain = new NioChain(dir, NODES)) {
            chain.write(new FileContent(2), 1000);
            assertThatThrownBy(() -> chain.compareAndRemove(CONTENT, 1000)).isInstanceOf(IOException.class);
        }
    }
}
