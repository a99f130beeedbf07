package io.terrace.policy.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PacedReadsTest {

    /** A file of 25 bytes that is read to byte 15 and then as a whole, beside one of 5 bytes; blocks of 10 bytes, 1 byte a second. */
    @Test
    void reads_areSplitAtTheReadersPace() {
        Trace whole = new Trace.Builder("t")
                .add(0, 0, 15, 25, false, 1)
                .add(1_000, 1, 5, 5, true, 2)
                .add(100_000, 0, 25, 25, false, 3)
                .build();
        PacedReads paced = new PacedReads(whole, 10, 1);
        Trace trace = paced.trace();
        assertThat(rows(trace))
                .containsExactly(
                        "6000 W 3 5/5 by 2",
                        "10000 R 0 10/10 by 1",
                        "15000 R 1 5/10 by 1",
                        "110000 R 0 10/10 by 3",
                        "120000 R 1 10/10 by 3",
                        "125000 R 2 5/5 by 3");
        assertThat(trace.objects()).isEqualTo(4);
        assertThat(trace.inputBytes(2)).isEqualTo(25);
        assertThat(paced.file(2)).isZero();
        assertThat(paced.index(2)).isEqualTo(2);
        assertThat(paced.blocks(0)).isEqualTo(3);
        assertThat(paced.block(1, 0)).isEqualTo(3);
        assertThat(paced.sizeBytes(2)).isEqualTo(5);
    }

    @Test
    void until_aTime_leavesOutWhatIsLater() {
        Trace whole = new Trace.Builder("t")
                .group(0, 7)
                .add(0, 0, 15, 25, false, 1)
                .add(1_000, 1, 5, 5, true, 2)
                .add(2_000, 0, 25, 25, false, 3)
                .build();
        Trace begin = whole.until(2_000);
        assertThat(rows(begin)).containsExactly("0 R 0 15/25 by 1", "1000 W 1 5/5 by 2");
        assertThat(begin.group(0)).isEqualTo(whole.group(0));
        assertThat(rows(whole.until(Long.MAX_VALUE))).isEqualTo(rows(whole));
        Trace withInputs = new Trace.Builder("inputs")
                .add(0, 0, 1, 1, false, -1)
                .input(0, 5)
                .build();
        assertThat(withInputs.until(1).inputBytes(0)).isEqualTo(5);
    }

    private static String[] rows(Trace trace) {
        return IntStream.range(0, trace.rows())
                .mapToObj(row -> trace.timeMs(row) + (trace.isWrite(row) ? " W " : " R ") + trace.object(row) + " "
                        + trace.bytes(row) + "/" + trace.size(row) + " by " + trace.job(row))
                .toArray(String[]::new);
    }
}
