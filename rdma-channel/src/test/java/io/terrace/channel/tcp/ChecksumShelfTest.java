package io.terrace.channel.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.channel.BlockKey;
import io.terrace.channel.Holder;
import io.terrace.metrics.Figure;
import io.terrace.metrics.Figures;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Whose checksums have room, where all blocks are as long as their checksums. */
class ChecksumShelfTest {
    private static final int MOST_BYTES = 1000;
    private static final Holder GREEDY = Holder.onAnotherHost("greedy");
    private static final Holder HONEST = Holder.onAnotherHost("honest");

    private final Figures figures = new Figures();
    private final ChecksumShelf shelf = new ChecksumShelf(this::sums, MOST_BYTES, figures);
    private int read;
    private boolean fails;

    private @Nullable Checksums sums(BlockKey block, long lengthBytes, ChecksumSource.Room room) {
        if (!room.take(lengthBytes)) {
            return null;
        }
        if (fails) {
            throw new InternalError("as was wanted");
        }
        read++;
        return new Checksums(ChecksumKind.CRC32C, 1, new byte[(int) lengthBytes]);
    }

    private static BlockKey block(long id) {
        return new BlockKey("pool", id, 1);
    }

    private boolean takes(Holder holder, long id, long bytes) throws IOException {
        return shelf.take(block(id), bytes, holder) != null;
    }

    @Test
    void block_hasHalfOfWhatIsFree_andIsNotReadWhenItWantsMore() throws IOException {
        assertThat(takes(GREEDY, 1, 504)).isFalse();
        assertThat(read).isZero();
        assertThat(takes(GREEDY, 1, 500)).isTrue();
        assertThat(takes(HONEST, 2, 252)).isFalse();
        assertThat(takes(HONEST, 3, 248)).isTrue();
        assertThat(shelf.heldBytes()).isEqualTo(748);
        assertThat(figures.value(Figure.CHANNEL_TCP_CHECKSUMS_REFUSED)).isEqualTo(2);
    }

    @Test
    void blocksOfOneUser_haveHalfOfAll_andOthersGetTheirs() throws IOException {
        int his = 0;
        while (takes(GREEDY, his, 20)) {
            his++;
        }
        assertThat(his * 20).isEqualTo(MOST_BYTES / 2);
        assertThat(takes(HONEST, 1000, 240)).isTrue();
        shelf.giveBack(block(0), GREEDY);
        assertThat(takes(GREEDY, 2000, 20)).as("the honest user's count too").isFalse();
        shelf.giveBack(block(1000), HONEST);
        assertThat(takes(GREEDY, 2000, 20)).isTrue();
    }

    @Test
    void blocksOfAll_haveAllOfIt_whereBlockTokensAreOff() throws IOException {
        int theirs = 0;
        while (takes(Holder.UNKNOWN, theirs, 20)) {
            theirs++;
        }
        assertThat(theirs * 20).isEqualTo(MOST_BYTES);
        assertThat(shelf.heldBytes()).isEqualTo(MOST_BYTES);
        shelf.giveBack(block(0), Holder.UNKNOWN);
        assertThat(takes(Holder.UNKNOWN, 2000, 24)).isFalse();
        assertThat(takes(Holder.UNKNOWN, 2000, 20)).isTrue();
    }

    @Test
    void blocksOfWhoShowedNoGoodToken_haveHalf() throws IOException {
        assertThat(takes(Holder.UNPROVEN, 1, 504)).isFalse();
        assertThat(takes(Holder.UNPROVEN, 1, 500)).isTrue();
        assertThat(takes(Holder.UNPROVEN, 2, 4)).isFalse();
    }

    @Test
    void checksums_thatAreHeld_areGivenWhateverIsFree_untilTheLastGaveThemBack() throws IOException {
        Checksums first = shelf.take(block(1), 500, GREEDY);
        assertThat(shelf.take(block(1), 500, GREEDY)).isSameAs(first);
        assertThat(shelf.take(block(1), 500, HONEST)).isSameAs(first);
        assertThat(shelf.heldBytes()).isEqualTo(500);
        shelf.giveBack(block(1), GREEDY);
        shelf.giveBack(block(1), GREEDY);
        assertThat(shelf.heldBytes()).isEqualTo(500);
        shelf.giveBack(block(1), HONEST);
        assertThat(shelf.heldBytes()).isZero();
        assertThat(read).isEqualTo(1);
        assertThat(figures.value(Figure.CHANNEL_TCP_CHECKSUMS_REFUSED)).isZero();
    }

    @Test
    void checksums_thatSomebodyElseBrought_countForWhoHasThemToo() throws IOException {
        assertThat(takes(GREEDY, 1, 400)).isTrue();
        assertThat(takes(HONEST, 1, 400)).isTrue();
        assertThat(takes(HONEST, 2, 104)).isFalse();
        shelf.giveBack(block(1), GREEDY);
        assertThat(shelf.heldBytes()).isEqualTo(400);
        assertThat(takes(GREEDY, 2, 300)).isTrue();
    }

    @Test
    void room_isKeptWhileChecksumsAreRead() throws IOException {
        ChecksumShelf[] slow = new ChecksumShelf[1];
        slow[0] = new ChecksumShelf(
                (block, length, room) -> {
                    Checksums mine = sums(block, length, room);
                    if (block.equals(block(1))) {
                        assertThat(slow[0].take(block(2), 400, HONEST)).isNull();
                        assertThat(slow[0].take(block(3), 300, HONEST)).isNotNull();
                    }
                    return mine;
                },
                MOST_BYTES,
                figures);
        assertThat(slow[0].take(block(1), 400, GREEDY)).isNotNull();
        assertThat(slow[0].heldBytes()).isEqualTo(700);
    }

    @Test
    void checksums_thatTwoReadAtOnce_areHeldOnce() throws IOException {
        ChecksumShelf[] twice = new ChecksumShelf[1];
        boolean[] begun = new boolean[1];
        twice[0] = new ChecksumShelf(
                (block, length, room) -> {
                    Checksums mine = sums(block, length, room);
                    if (!begun[0]) {
                        begun[0] = true;
                        assertThat(twice[0].take(block, length, HONEST)).isNotNull();
                    }
                    return mine;
                },
                MOST_BYTES,
                figures);
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
        assertThat(shelf.heldBytes()).isZero();
        fails = false;
        assertThat(takes(GREEDY, 1, 500)).isTrue();
    }
}
