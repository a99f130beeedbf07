package io.terrace.placementctl.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.policy.replay.Trace;
import io.terrace.policy.replay.TraceFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Times of the log of accesses as the simulator sees them. */
class AccessLogTraceTest {

    private static final long FROM_MS = 1_700_000_000_000L;

    @TempDir
    Path dir;

    private Path file(String name, long... timesMs) throws IOException {
        StringBuilder text = new StringBuilder(TraceFormat.HEADER + "\n");
        for (long timeMs : timesMs) {
            TraceFormat.append(text, FROM_MS + timeMs, 7, 100, false, 100);
        }
        return Files.writeString(dir.resolve(name), text);
    }

    @Test
    void clockThatWasSetBack_doesNotMakeTimeStandStill() throws Exception {
        Path ahead = file("one.csv", 0, 1_000, 3_600_000);
        Path after = file("two.csv", 2_000, 12_000, 11_500, 13_000);
        Trace trace = AccessLogTrace.of(List.of(ahead, after), FROM_MS).trace();
        long[] timesMs = new long[trace.rows()];
        for (int row = 0; row < timesMs.length; row++) {
            timesMs[row] = trace.timeMs(row);
        }
        assertThat(timesMs)
                .as("on from where the clock was, and at a standstill for half a second")
                .containsExactly(0, 1_000, 3_600_000, 3_600_000, 3_610_000, 3_610_000, 3_611_000);
    }
}
