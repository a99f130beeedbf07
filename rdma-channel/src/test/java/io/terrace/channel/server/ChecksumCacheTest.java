package io.terrace.channel.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.channel.transport.ChecksumType;
import io.terrace.channel.transport.ChunkChecksums;
import io.terrace.common.BlockKey;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Whose checksums have room, where all blocks are as long as their checksums. */
class ChecksumCacheTest {
    private static final int MOST_BYTES = 1000;
    private static final Principal GREEDY = Principal.onAnotherHost("greedy");
    private static final Principal HONEST = Principal.onAnotherHost("honest");

    private final MetricRegistry metricRegistry = new MetricRegistry();
    private final ChecksumCache cache = new ChecksumCache(this::sums, MOST_BYTES, metricRegistry);
    private int read;
    private boolean fails;

    private @Nullable ChunkChecksums sums(BlockKey block, long lengthBytes, ChecksumSource.Room room) {
        if (!room.take(lengthBytes)) {
            return null;
        }
        if (fails) {
            throw new InternalError("as was wanted");
        }
        read++;
        return new ChunkChecksums(ChecksumType.CRC32C, 1, new byte[(int) lengthBytes]);
    }

    private static BlockKey block(long id) {
        return new BlockKey("pool", id, 1);
    }

    private boolean takes(Principal principal, long id, long bytes) throws IOException {
        return cache.take(block(id), bytes, principal) != null;
    }

    @Test
    void block_hasHalfOfWhatIsFree_andIsNotReadWhenItWantsMore() throws IOException {
        assertThat(takes(GREEDY, 1, 504)).isFalse();
        assertThat(read).isZero();
        assertThat(takes(GREEDY, 1, 500)).isTrue();
        assertThat(takes(HONEST, 2, 252)).isFalse();
        assertThat(takes(HONEST, 3, 248)).isTrue();
        assertThat(cache.heldBytes()).isEqualTo(748);
        assertThat(metricRegistry.value(Metric.CHANNEL_TCP_CHECKSUMS_REFUSED)).isEqualTo(2);
    }

    @Test
    void blocksOfOneUser_haveHalfOfAll_andOthersGetTheirs() throws IOException {
        int his = 0;
        while (takes(GREEDY, his, 20)) {
            his++;
        }
        assertThat(his * 20).isEqualTo(MOST_BYTES / 2);
        assertThat(takes(HONEST, 1000, 240)).isTrue();
        cache.giveBack(block(0), GREEDY);
        assertThat(takes(GREEDY, 2000, 20)).as("the honest user's count too").isFalse();
        cache.giveBack(block(1000), HONEST);
        assertThat(takes(GREEDY, 2000, 20)).isTrue();
    }

    @Test
    void blocksOfAll_haveAllOfIt_whereBlockTokensAreOff() throws IOException {
        int theirs = 0;
        while (takes(Principal.UNKNOWN, theirs, 20)) {
            theirs++;
        }
        assertThat(theirs * 20).isEqualTo(MOST_BYTES);
        assertThat(cache.heldBytes()).isEqualTo(MOST_BYTES);
        cache.giveBack(block(0), Principal.UNKNOWN);
        assertThat(takes(Principal.UNKNOWN, 2000, 24)).isFalse();
        assertThat(takes(Principal.UNKNOWN, 2000, 20)).isTrue();
    }

    @Test
    void blocksOfWhoShowedNoGoodToken_haveHalf() throws IOException {
        assertThat(takes(Principal.UNPROVEN, 1, 504)).isFalse();
        assertThat(takes(Principal.UNPROVEN, 1, 500)).isTrue();
        assertThat(takes(Principal.UNPROVEN, 2, 4)).isFalse();
    }

    @Test
    void checksums_thatAreHeld_areGivenWhateverIsFree_untilTheLastGaveThemBack() throws IOException {
        ChunkChecksums first = cache.take(block(1), 500, GREEDY);
        assertThat(cache.take(block(1), 500, GREEDY)).isSameAs(first);
        assertThat(cache.take(block(1), 500, HONEST)).isSameAs(first);
        assertThat(cache.heldBytes()).isEqualTo(500);
        cache.giveBack(block(1), GREEDY);
        cache.giveBack(block(1), GREEDY);
        assertThat(cache.heldBytes()).isEqualTo(500);
        cache.giveBack(block(1), HONEST);
        assertThat(cache.heldBytes()).isZero();
        assertThat(read).isEqualTo(1);
        assertThat(metricRegistry.value(Metric.CHANNEL_TCP_CHECKSUMS_REFUSED)).isZero();
    }

    @Test
    void checksums_thatSomebodyElseBrought_countForWhoHasThemToo() throws IOException {
        assertThat(takes(GREEDY, 1, 400)).isTrue();
        assertThat(takes(HONEST, 1, 400)).isTrue();
        assertThat(takes(HONEST, 2, 104)).isFalse();
        cache.giveBack(block(1), GREEDY);
        assertThat(cache.heldBytes()).isEqualTo(400);
        assertThat(takes(GREEDY, 2, 300)).isTrue();
    }

    @Test
    void room_isKeptWhileChecksumsAreRead() throws IOException {
        ChecksumCache[] slow = new ChecksumCache[1];
        slow[0] = new ChecksumCache(
                (block, length, room) -> {
                    ChunkChecksums mine = sums(block, length, room);
                    if (block.equals(block(1))) {
                        assertThat(slow[0].take(block(2), 400, HONEST)).isNull();
                        assertThat(slow[0].take(block(3), 300, HONEST)).isNotNull();
                    }
                    return mine;
                },
                MOST_BYTES,
                metricRegistry);
        assertThat(slow[0].take(block(1), 400, GREEDY)).isNotNull();
        assertThat(slow[0].heldBytes()).isEqualTo(700);
    }

    @Test
    void checksums_thatTwoReadAtOnce_areHeldOnce() throws IOException {
        ChecksumCache[] twice = new ChecksumCache[1];
        boolean[] begun = new boolean[1];
        twice[0] = new ChecksumCache(
                (block, length, room) -> {
                    ChunkChecksums mine = sums(block, length, room);
                    if (!begun[0]) {
                        begun[0] = true;
                        assertThat(twice[0].take(block, length, HONEST)).isNotNull();
                    }
                    return mine;
                },
                MOST_BYTES,
                metricRegistry);
        assertThat(twice[0].take(block(1), 100, GREEDY)).isNotNull();
        assertThat(twice[0].heldBytes()).isEqualTo(100);
        twice[0].giveBack(block(1), HONEST);
        twice[0].giveBack(block(1), GREEDY);
        assertThat(twice[0].heldBytes()).isZero();
        assertThat(twice[0].take(block(2), 500, GREEDY))
                .as("nothing counts for him")
                .isNotNull();
    }

    @Test
    void room_ofChecksumsThatCannotBeRead_isGivenBack() throws IOException {
        fails = true;
        assertThatThrownBy(() -> takes(GREEDY, 1, 400)).isInstanceOf(InternalError.class);
        assertThat(cache.heldBytes()).isZero();
        fails = false;
        assertThat(takes(GREEDY, 1, 500)).isTrue();
    }
}
