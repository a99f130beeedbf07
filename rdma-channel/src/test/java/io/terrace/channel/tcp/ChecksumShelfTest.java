package io.terrace.channel.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.channel.BlockKey;
import io.terrace.metrics.Figure;
import io.terrace.metrics.Figures;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ChecksumShelfTest {
    private static final int MOST_BYTES = 1000;

    private final Figures figures = new Figures();
    private final List<Long> rooms = new ArrayList<>();
    private final ChecksumShelf shelf = new ChecksumShelf(this::sums, MOST_BYTES, figures);

    /** What others do while checksums are read for somebody. */
    private final Deque<BlockKey> takenMeanwhile = new ArrayDeque<>();

    /** As many checksums as the block is long, if they may be so many. */
    private @Nullable Checksums sums(BlockKey block, long lengthBytes, long mostBytes) throws IOException {
        rooms.add(mostBytes);
        BlockKey other = takenMeanwhile.poll();
        if (other != null) {
            assertThat(shelf.take(other, lengthBytes)).isNotNull();
        }
        return lengthBytes > mostBytes ? null : new Checksums(ChecksumKind.CRC32C, 1, new byte[(int) lengthBytes]);
    }

    private static BlockKey block(long id) {
        return new BlockKey("pool", id, 1);
    }

    @Test
    void source_isToldHowMuchMayBe_beforeItReads() throws IOException {
        assertThat(shelf.take(block(1), 400)).isNotNull();
        assertThat(shelf.take(block(2), 400)).isNull();
        assertThat(shelf.take(block(3), 300)).isNotNull();
        assertThat(rooms).containsExactly(500L, 300L, 300L);
        assertThat(shelf.heldBytes()).isEqualTo(700);
        assertThat(figures.value(Figure.CHANNEL_TCP_CHECKSUMS_REFUSED)).isEqualTo(1);
    }

    @Test
    void checksums_thatAreHeld_areGivenWhateverIsFree_untilTheLastGaveThemBack() throws IOException {
        Checksums first = shelf.take(block(1), 500);
        assertThat(shelf.take(block(1), 500)).isSameAs(first);
        shelf.giveBack(block(1));
        assertThat(shelf.heldBytes()).isEqualTo(500);
        shelf.giveBack(block(1));
        assertThat(shelf.heldBytes()).isZero();
        assertThat(rooms).hasSize(1);
        assertThat(figures.value(Figure.CHANNEL_TCP_CHECKSUMS_REFUSED)).isZero();
    }

    @Test
    void checksums_thatAreReadAtOnce_areRefusedBeyondTheBound() throws IOException {
        takenMeanwhile.addAll(List.of(block(2), block(3)));
        assertThat(shelf.take(block(1), MOST_BYTES / 2)).isNull();
        assertThat(rooms).as("each had room by itself").containsExactly(500L, 500L, 500L);
        assertThat(shelf.heldBytes()).isEqualTo(MOST_BYTES);
        assertThat(figures.value(Figure.CHANNEL_TCP_CHECKSUMS_REFUSED)).isEqualTo(1);
    }
}
