package io.terrace.datanode.write;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** For how long a writer may wait for the next DataNode. */
final class WaitCreditTest {
    private static final int PIECE_BYTES = 256 << 10;
    private static final int PIECES = 1000;
    private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);

    private final WaitCredit credit = new WaitCredit();

    /** Pieces until none is left, of which each takes the next DataNode so long. */
    private int piecesUntilNone(long nsPerPiece) {
        for (int i = 0; i < PIECES; i++) {
            credit.earn(PIECE_BYTES);
            if (credit.leftMs() == 0) {
                return i;
            }
            credit.spend(nsPerPiece);
        }
        return PIECES;
    }

    @Test
    void nextThatTakesHalfAGigabyteASecond_mayBeWaitedForAlways() {
        assertThat(piecesUntilNone(MS / 2)).isEqualTo(PIECES);
    }

    /** A link of a gigabit. */
    @Test
    void nextThatIsSlower_costsLittle() {
        assertThat(piecesUntilNone(2 * MS)).isLessThan(40);
    }

    @Test
    void nextThatTakesNothing_costsNoMoreThanWhatIsSaved() {
        assertThat(piecesUntilNone(33 * MS)).isEqualTo(1);
        credit.earn(PIECE_BYTES);
        credit.earn(PIECE_BYTES);
        assertThat(credit.leftMs()).isLessThanOrEqualTo(2);
    }

    @Test
    void whatIsSaved_isBounded() {
        for (int i = 0; i < PIECES; i++) {
            credit.earn(PIECE_BYTES);
        }
        assertThat(credit.leftMs()).isEqualTo(32);
    }
}
