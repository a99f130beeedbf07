package io.terrace.placementctl;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.protocol.proto.AdminProtos.HotBlockProto;
import io.terrace.protocol.proto.AdminProtos.TopResponseProto;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TopOrderTest {

    private static final TopResponseProto ANSWER = TopResponseProto.newBuilder()
            .setTrackedBlocks(9)
            .addBlocks(hot("/a/one", 3, 1, 100))
            .addBlocks(hot("/ab/two", 2, 5, 10))
            .addBlocks(hot(null, 1.5, 0, 0))
            .addBlocks(hot("/a/b/three", 1, 9, 50))
            .build();

    private static HotBlockProto hot(@Nullable String path, double heat, long reads, long bytes) {
        HotBlockProto.Builder hot = HotBlockProto.newBuilder()
                .setHeat(heat)
                .setReads(reads)
                .setBytesRead(bytes)
                .setInMemory(false);
        return (path == null ? hot : hot.setPath(path)).build();
    }

    private static List<String> paths(TopOrder order, @Nullable String path, int count) {
        return order.choose(ANSWER, path, count).getBlocksList().stream()
                .map(HotBlockProto::getPath)
                .toList();
    }

    @Test
    void row_whereNoCopyIsInMemory_namesNoTier() {
        HotBlockProto hot = hot("/a", 1, 1, 1);
        assertThat(TopCommand.cells(hot)).contains("-").doesNotContain("home", "memory");
        assertThat(TopCommand.cells(hot.toBuilder().setInMemory(true).build())).contains("memory");
    }

    @Test
    void choose_ordersByWhatIsAskedFor() {
        assertThat(paths(TopOrder.HEAT, null, 9)).containsExactly("/a/one", "/ab/two", "", "/a/b/three");
        assertThat(paths(TopOrder.READS, null, 2)).containsExactly("/a/b/three", "/ab/two");
        assertThat(paths(TopOrder.BYTES, null, 2)).containsExactly("/a/one", "/a/b/three");
    }

    @Test
    void choose_ofADirectory_hasFilesBelowItAlone() {
        assertThat(paths(TopOrder.READS, "/a", 9)).containsExactly("/a/b/three", "/a/one");
        assertThat(paths(TopOrder.READS, "/a/", 9)).containsExactly("/a/b/three", "/a/one");
        assertThat(paths(TopOrder.HEAT, "/", 9)).containsExactly("/a/one", "/ab/two", "/a/b/three");
        assertThat(paths(TopOrder.HEAT, "/a/one", 9)).containsExactly("/a/one");
        assertThat(paths(TopOrder.HEAT, "/none", 9)).isEmpty();
    }
}
