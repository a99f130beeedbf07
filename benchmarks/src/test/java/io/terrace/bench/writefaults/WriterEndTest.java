package io.terrace.bench.writefaults;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

final class WriterEndTest {
    private final WriterEnd end = new WriterEnd();

    @Test
    void writer_thatClosedOrFailed_andSaidWhatIsLeft_isRight() {
        for (String last : new String[] {"CLOSED", "FAILED", "BROKEN"}) {
            assertThat(of("CREATED", "WRITE", last, "LEFT", "OVER_CHANNEL").fault())
                    .as(last)
                    .isEmpty();
        }
    }

    @Test
    void writer_thatDiedWithoutAWord_isFound() {
        assertThat(end.fault()).contains("neither that the file is closed nor that it failed");
        // As one does that meets an Error within its writes.
        assertThat(of("CREATED", "WRITE", "FLUSHED").fault()).contains("neither");
        assertThat(of("CREATED", "WRITE", "LEFT").fault()).contains("neither");
    }

    @Test
    void writer_thatDiedBeforeItSaidWhatIsLeft_isFound() {
        assertThat(of("CREATED", "CLOSED").fault()).contains("before it said what it had left");
    }

    @Test
    void writer_thatWasKilled_needNotSayAnything() {
        end.killed();
        assertThat(end.fault()).isEmpty();
    }

    @Test
    void runs_withoutFaultRecoveryOrBytesOverTheChannel_areNoTest() {
        Map<String, Number> stock = Map.of("faults", 12L, "bytes.over_channel", 0L, "recoveries", 30L);
        assertThat(WriteFaults.nothingTested(stock, 200)).contains("bytes.over_channel is below 1 over 200 runs");
        assertThat(WriteFaults.nothingTested(stock, 1)).as("a replay").isEmpty();
        Map<String, Number> quiet = Map.of("faults", 0L, "bytes.over_channel", 5L, "recoveries", 30L);
        assertThat(WriteFaults.nothingTested(quiet, 200)).contains("faults is below 1 over 200 runs");
        Map<String, Number> left = Map.of("faults", 1L, "bytes.over_channel", 5L, "recoveries", 1L);
        assertThat(WriteFaults.nothingTested(left, 200)).contains("recoveries is below 2 over 200 runs");
        Map<String, Number> tested = Map.of("faults", 1L, "bytes.over_channel", 5L, "recoveries", 2L);
        assertThat(WriteFaults.nothingTested(tested, 200)).isEmpty();
    }

    private static WriterEnd of(String... words) {
        WriterEnd end = new WriterEnd();
        for (String word : words) {
            end.said(word);
        }
        return end;
    }
}
