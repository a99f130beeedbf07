package io.terrace.placement.heartbeat;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.metrics.Metric;
import io.terrace.placement.SteppedLoop;
import io.terrace.placement.heartbeat.Heartbeat.Condition;
import io.terrace.placement.heartbeat.Heartbeat.Heat;
import io.terrace.placement.heartbeat.Heartbeat.Medium;
import io.terrace.placement.heartbeat.Heartbeat.Result;
import io.terrace.placement.heartbeat.Heartbeat.Severity;
import io.terrace.placement.heartbeat.Heartbeat.TierState;
import io.terrace.placement.report.PlacementReports;
import io.terrace.placement.state.Outcome;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What one heartbeat may leave in the NameNode's heap. */
class HeartbeatLimitsTest extends SteppedLoop {

    private static final String LONG = "x".repeat(100_000);

    private final ReportQuota reportQuota = ReportQuota.from(nowMs);
    private final TierState tier = new TierState(Medium.DISK, 1, 1, 0, 0, 0);

    private long cut() {
        return metricRegistry.value(Metric.PLACEMENT_HEARTBEAT_ENTRIES_CUT);
    }

    private Heartbeat said(
            String host,
            List<TierState> tiers,
            List<Heat> heat,
            List<Result> results,
            List<Condition> conditions,
            Map<String, Long> totals) {
        return new Heartbeat(
                "one", host, 9866, 1, 1, tiers, heat, List.of(), true, results, conditions, 0, true, totals);
    }

    @Test
    void stateOfADataNode_beyondBounds_isCutAndCounted() {
        Map<String, Long> totals = new HashMap<>();
        for (int i = 0; i < HeartbeatLimits.MOST_FIGURES + 3; i++) {
            totals.put("figure." + i, 1L);
        }
        placement.heartbeat(
                nowMs,
                said(
                        LONG,
                        Collections.nCopies(HeartbeatLimits.MOST_TIERS + 1, tier),
                        List.of(),
                        List.of(),
                        Collections.nCopies(
                                HeartbeatLimits.MOST_CONDITIONS + 2, new Condition(LONG, Severity.NOTE, LONG, LONG)),
                        totals));
        PlacementReports.NodeReport kept = placement.reports().nodes(nowMs).get(0);
        assertThat(kept.name()).hasSizeLessThan(HeartbeatLimits.LONGEST_NAME + 10);
        assertThat(kept.tiers()).hasSize(HeartbeatLimits.MOST_TIERS);
        assertThat(kept.figures()).hasSize(HeartbeatLimits.MOST_FIGURES);
        assertThat(kept.conditions()).hasSize(HeartbeatLimits.MOST_CONDITIONS).allSatisfy(condition -> {
            assertThat(condition.id()).hasSize(HeartbeatLimits.LONGEST_NAME);
            assertThat(condition.text()).hasSize(HeartbeatLimits.LONGEST_TEXT);
            assertThat(condition.remedy()).hasSize(HeartbeatLimits.LONGEST_TEXT);
        });
        assertThat(cut()).isEqualTo(1 + 1 + 2 + 3 + 3 * HeartbeatLimits.MOST_CONDITIONS);
    }

    @Test
    void figureOfALongName_isLeftOut() {
        placement.heartbeat(
                nowMs, said("h", List.of(), List.of(), List.of(), List.of(), Map.of(LONG, 1L, "short", 2L)));
        assertThat(placement.reports().nodes(nowMs).get(0).figures()).containsExactly(Map.entry("short", 2L));
        assertThat(cut()).isEqualTo(1);
    }

    @Test
    void messageOfAResult_isCut() {
        HeartbeatLimits bounds = new HeartbeatLimits(settings.heartbeats(), metricRegistry);
        Result result = new Result(1, 1, Outcome.FAILED, block(1, 1), 0, 0, LONG);
        Heartbeat bounded =
                bounds.bounded(nowMs, said("h", List.of(), List.of(), List.of(result), List.of(), Map.of()), reportQuota);
        assertThat(bounded.results().get(0).message()).hasSize(HeartbeatLimits.LONGEST_TEXT);
        assertThat(cut()).isEqualTo(1);
    }

    @Test
    void heat_beyondWhatCanBeServedInTheTime_isCutToIt() {
        HeartbeatLimits bounds = new HeartbeatLimits(settings.heartbeats(), metricRegistry);
        Heat lie = new Heat(block(1, 1), Medium.DISK, false, 1L << 55, 1L << 55, 1L << 55, 1L << 55, 1L << 55, 0);
        List<Heat> heat = Collections.nCopies(settings.heartbeats().entries(), lie);
        nowMs += 1_000; // Another second's worth was saved up.
        Heartbeat bounded = bounds.bounded(nowMs, said("h", List.of(), heat, List.of(), List.of(), Map.of()), reportQuota);
        assertThat(bounded.heat().stream().mapToLong(entry -> entry.reads() + entry.writes()))
                .hasSize(heat.size())
                .satisfies(all -> assertThat(
                                all.stream().mapToLong(Long::longValue).sum())
                        .isEqualTo(2 * ReportQuota.MOST_PER_SECOND));
        assertThat(bounded.heat().stream()
                        .mapToLong(entry -> entry.bytesRead() + entry.bytesWritten())
                        .sum())
                .isEqualTo(2 * ReportQuota.MOST_BYTES_PER_SECOND);
        assertThat(bounded.heat()).allMatch(entry -> entry.bytesReadFromMemory() <= entry.bytesRead());
        assertThat(cut()).isEqualTo(heat.size());
    }

    @Test
    void heartbeat_withinBounds_staysAsItIs() {
        Heat heat = new Heat(block(1, 1), Medium.DISK, false, 10, MB, 0, 1, MB, 5);
        Heartbeat said = said(
                "host",
                List.of(tier),
                List.of(heat),
                List.of(new Result(1, 1, Outcome.DONE, block(1, 1), 0, 0, null)),
                List.of(new Condition("memlock", Severity.WARNING, "low", null)),
                Map.of("a", 1L));
        assertThat(new HeartbeatLimits(settings.heartbeats(), metricRegistry).bounded(nowMs, said, reportQuota))
                .isEqualTo(said);
        assertThat(cut()).isZero();
    }
}
