package io.terrace.bench.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.bench.measure.ResultSheet;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class SoakTargetsTest {
    private final StringWriter printed = new StringWriter();

    /** Of a good run of ten minutes. */
    private static Map<String, Long> good() {
        Map<String, Long> figures = new TreeMap<>(
                Map.of("ops.written", 200L, "ops.truncate", 40L, "kills", 80L, "rounds", 10L, "replicas.files", 90L));
        figures.put("volume.moved", 500L);
        figures.putAll(Map.of(
                "bytes.verified",
                4L << 30,
                "bytes.written",
                1L << 30,
                "bytes.memory.shm",
                3L << 30,
                "bytes.written.channel",
                1L << 29,
                "recoveries.several",
                12L,
                "recoveries.single",
                2L,
                "leaks.judged.datanodes",
                4L,
                "leaks.judged.clients",
                4L));
        return figures;
    }

    @Test
    void goodRun_missesNothing() {
        assertThat(missed(options(10, true), good())).isZero();
        assertThat(printed.toString()).contains("recoveries.single");
    }

    @Test
    void zeroes_areAskedOfTerraceAlone() {
        Map<String, Long> figures = good();
        figures.put("bytes.lost", 5L);

        assertThat(missed(options(10, true), figures)).isEqualTo(1);
        assertThat(missed(options(10, false), figures)).isZero();
        assertThat(missed(options(10, false), Map.of())).isZero();
    }

    @Test
    void recoveries_ofSeveralReplicas_areAskedOfALongRun() {
        Map<String, Long> figures = good();
        figures.put("recoveries.several", 0L);
        assertThat(missed(options(2, true), figures)).isZero();
        assertThat(missed(options(5, true), figures)).isEqualTo(1);

        figures.put("recoveries.several", 2L);
        assertThat(missed(options(5, true), figures)).isZero();
        assertThat(missed(options(10, true), figures)).isEqualTo(1);

        figures.put("recoveries.several", 4L);
        assertThat(missed(options(10, true), figures)).isZero();
        figures.put("recoveries.single", 5L);
        assertThat(missed(options(10, true), figures)).as("most have one").isEqualTo(1);
    }

    @Test
    void writers_thatStandStill_missAfterFiveMinutes() {
        Map<String, Long> figures = good();
        figures.put("ops.written", 79L);
        figures.put("ops.truncate", 9L);

        assertThat(missed(options(2, true), figures)).isZero();
        assertThat(missed(options(5, true), figures)).isEqualTo(2);
    }

    @Test
    void replicas_thatStayOnTheirVolume_missAfterFiveMinutes() {
        Map<String, Long> figures = good();
        figures.put("volume.moved", 19L);

        assertThat(missed(options(2, true), figures)).isZero();
        assertThat(missed(options(5, true), figures)).isEqualTo(1);
        assertThat(missed(options(5, false), figures)).isZero();
    }

    private int missed(SoakOptions options, Map<String, Long> figures) {
        ResultSheet sheet = new ResultSheet(new PrintWriter(printed, true));
        new SoakTargets(options, false).judge(sheet, figures);
        return sheet.missed();
    }

    private static SoakOptions options(int minutes, boolean terrace) {
        return new SoakOptions(Duration.ofMinutes(minutes), 1, terrace, false, SoakOptions.Provider.SHM, Map.of());
    }
}
