package io.terrace.placement.hdfs.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.placement.hdfs.admin.HottestBlocks.Found;
import io.terrace.placement.hdfs.admin.HottestBlocks.Ranking;
import io.terrace.placement.report.HotBlock;
import io.terrace.placement.state.NamespaceView.Named;
import io.terrace.protocol.StampedBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class HottestBlocksTest {

    private static final int NAMES_PER_LOOK = 256;

    private final List<Integer> namesAsked = new ArrayList<>();
    private final HottestBlocks hottest = new HottestBlocks(() -> this.nowMs, this::scan, this::names, NAMES_PER_LOOK);
    private long nowMs = 5_000;
    private int scans;
    private long scanMs;

    private Found scan(int most) {
        scans++;
        nowMs += scanMs;
        List<HotBlock> blocks = LongStream.range(0, most)
                .mapToObj(id -> new HotBlock(new StampedBlock(id, 1, 1), 1.0 / (id + 1), 1, 1, 0, 0, null, false))
                .toList();
        return new Found(500_000, blocks);
    }

    private List<Named> names(List<Long> blocks) {
        namesAsked.add(blocks.size());
        List<Named> names = new ArrayList<>();
        blocks.forEach(id -> names.add(id == 7 ? null : new Named(100 + id, "/file" + id)));
        return names;
    }

    @Test
    void latest_askedAThousandTimesInASecond_scansOnce() throws Exception {
        for (int i = 0; i < 1000; i++) {
            nowMs++;
            assertThat(hottest.latest().hottest()).hasSize(HottestBlocks.MOST);
        }
        assertThat(scans).isEqualTo(1);
        nowMs++;
        hottest.latest();
        assertThat(scans).as("a second after the first").isEqualTo(2);
    }

    @Test
    void latest_afterAScanThatTookLong_isValidForASecondToo() throws Exception {
        scanMs = 2 * HottestBlocks.VALID_MS;
        Ranking first = hottest.latest();
        assertThat(hottest.latest()).isSameAs(first);
        assertThat(scans).isEqualTo(1);
    }

    @Test
    void latest_pathsAreLookedUpInBoundedLooks() throws Exception {
        Ranking ranking = hottest.latest();
        assertThat(namesAsked).containsExactly(256, 256, 256, 232);
        assertThat(ranking.trackedBlocks()).isEqualTo(500_000);
        assertThat(ranking.hottest().get(7).file()).as("gone").isNull();
        assertThat(ranking.hottest().get(999).file()).isEqualTo(new Named(1099, "/file999"));
        assertThat(ranking.hottest().get(999).block().block().id()).isEqualTo(999);
    }
}
