package io.terrace.placement.hdfs.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.placement.hdfs.admin.HottestBlocks.Hot;
import io.terrace.placement.hdfs.admin.HottestBlocks.Ranking;
import io.terrace.placement.report.HotBlock;
import io.terrace.placement.state.NamespaceView.Named;
import io.terrace.protocol.StampedBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.hadoop.ipc.RetriableException;
import org.junit.jupiter.api.Test;

class ReadableFilesTest {

    private static final int FILES_PER_LOOK = 256;

    private final ReadableFiles files = new ReadableFiles(FILES_PER_LOOK);
    private final List<Integer> looks = new ArrayList<>();

    /** A ranking of so many blocks, two of each file; the first block's file is gone. */
    private static Ranking ranking(int blocks) {
        return new Ranking(
                blocks,
                IntStream.range(0, blocks)
                        .mapToObj(id -> new Hot(
                                new HotBlock(new StampedBlock(id, 1, 1), 1, 1, 1, 0, 0, null, false),
                                id == 0 ? null : new Named(100 + id / 2, "/file" + id / 2)))
                        .toList());
    }

    private List<Boolean> evenOnes(List<Named> asked) {
        looks.add(asked.size());
        return asked.stream()
                .map(file -> Integer.parseInt(file.path().substring("/file".length())) % 2 == 0)
                .toList();
    }

    @Test
    void of_askedAThousandTimes_looksOnceForEachFile() throws Exception {
        Ranking ranking = ranking(1000);
        for (int i = 0; i < 1000; i++) {
            assertThat(files.of(ranking, 1000, "user", this::evenOnes)).hasSize(1000);
        }
        assertThat(looks).containsExactly(256, 244);
        assertThat(files.of(ranking, 6, "user", this::evenOnes))
                .as("gone, then by its file")
                .containsExactly(false, true, false, false, true, true);
    }

    @Test
    void of_twoFilesThatStoodAtOnePath_looksAtEach() throws Exception {
        HotBlock block = new HotBlock(new StampedBlock(1, 1, 1), 1, 1, 1, 0, 0, null, false);
        Ranking ranking = new Ranking(
                2, List.of(new Hot(block, new Named(101, "/file")), new Hot(block, new Named(102, "/file"))));
        assertThat(files.of(ranking, 2, "user", asked -> asked.stream()
                        .map(file -> file.inode() == 102)
                        .toList()))
                .containsExactly(false, true);
    }

    @Test
    void of_moreRowsThanBefore_looksForThoseAlone() throws Exception {
        Ranking ranking = ranking(10);
        files.of(ranking, 4, "user", this::evenOnes);
        files.of(ranking, 1000, "user", this::evenOnes);
        assertThat(looks).containsExactly(2, 3);
    }

    @Test
    void of_anotherUserOrAnotherRanking_looksAnew() throws Exception {
        Ranking ranking = ranking(10);
        files.of(ranking, 10, "user", this::evenOnes);
        assertThat(files.of(ranking, 10, "other", asked -> asked.stream()
                        .map(file -> false)
                        .toList()))
                .doesNotContain(true);
        files.of(ranking(10), 10, "user", this::evenOnes);
        assertThat(looks).containsExactly(5, 5);
    }

    @Test
    void of_usersBeyondTheLimit_areRefusedUntilTheNextRanking() throws Exception {
        Ranking ranking = ranking(10);
        for (int i = 0; i < ReadableFiles.MOST_USERS; i++) {
            files.of(ranking, 10, "user" + i, this::evenOnes);
        }
        assertThatThrownBy(() -> files.of(ranking, 10, "one more", this::evenOnes))
                .isInstanceOf(RetriableException.class)
                .hasMessageContaining("ask again");
        assertThat(looks).hasSize(ReadableFiles.MOST_USERS);
        assertThat(files.of(ranking, 10, "user3", this::evenOnes)).contains(true);
        assertThat(files.of(ranking(10), 10, "one more", this::evenOnes)).contains(true);
    }
}
