package io.terrace.placement.heartbeat;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.common.StorageTier;
import io.terrace.common.TokenBucket;
import io.terrace.metrics.Metric;
import io.terrace.placement.SteppedLoop;
import io.terrace.placement.heartbeat.Heartbeat.Heat;
import io.terrace.protocol.StampedBlock;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a DataNode gains by sending heartbeats faster than any honest one: nothing. */
class ReportQuotaTest extends SteppedLoop {

    private static final int BEATS = 500;
    private static final long ALL_AT_ONCE = 1L << 40;

    private long reads() {
        return metricRegistry.value(Metric.PLACEMENT_READS);
    }

    @Test
    void reads_inManyHeartbeats_countAsInOne() {
        for (int i = 0; i < 10; i++) {
            nowMs++;
            one.reads(block(1, 1), ALL_AT_ONCE).beat(placement, nowMs);
        }
        assertThat(reads())
                .isBetween(
                        ReportQuota.MOST_PER_SECOND, ReportQuota.MOST_PER_SECOND + ReportQuota.MOST_PER_SECOND / 100);
        assertThat(metricRegistry.value(Metric.PLACEMENT_READ_BYTES))
                .isLessThanOrEqualTo(ReportQuota.MOST_BYTES_PER_SECOND + ReportQuota.MOST_BYTES_PER_SECOND / 100);
        long before = reads();
        nowMs += 500;
        one.reads(block(1, 1), ALL_AT_ONCE).beat(placement, nowMs);
        assertThat(reads() - before).isEqualTo(ReportQuota.MOST_PER_SECOND / 2);
    }

    @Test
    void reads_afterASilence_countForAllOfIt() {
        one.reads(block(1, 1), ALL_AT_ONCE).beat(placement, nowMs);
        nowMs += 5_000;
        one.reads(block(1, 1), ALL_AT_ONCE).beat(placement, nowMs);
        assertThat(reads()).isEqualTo(6 * ReportQuota.MOST_PER_SECOND);
    }

    @Test
    void reads_ofAnHonestDataNode_allCount() {
        for (int i = 0; i < BEATS; i++) {
            one.reads(new StampedBlock(1, 1001, 1000), 1_000_000);
            beat(one);
        }
        assertThat(reads()).isEqualTo(BEATS * 1_000_000L);
        assertThat(metricRegistry.value(Metric.PLACEMENT_HEARTBEAT_ENTRIES_CUT)).isZero();
    }

    @Test
    void looks_atHolders_growWithTimeNotWithHeartbeats() {
        for (int i = 1; i <= BEATS; i++) {
            one.reads(block(i, 1), 1);
            names.store(block(i, 1), one);
        }
        beat(one);
        names.looks = 0;
        for (int i = 1; i <= BEATS; i++) {
            two.reads(block(i, 1), 5).beat(placement, nowMs);
        }
        assertThat(names.looks).isPositive().isLessThanOrEqualTo((int) ReportQuota.LOOKS_PER_SECOND);
        nowMs += 1_000;
        names.looks = 0;
        two.reads(block(BEATS, 1), 5).beat(placement, nowMs);
        assertThat(names.looks).isEqualTo(1);
    }

    @Test
    void looks_atPaths_growWithTimeNotWithHeartbeats() {
        placement.policy(nowMs, applied("policy: lru", "rules: [{path: /tmp/**, place: never}]"));
        for (int i = 1; i <= BEATS; i++) {
            two.reads(block(i, 1), 1).beat(placement, nowMs);
        }
        assertThat(names.pathLooks).isPositive().isLessThanOrEqualTo((int) ReportQuota.LOOKS_PER_SECOND);
        assertThat(metricRegistry.value(Metric.PLACEMENT_RULES_DEFERRED)).isPositive();
    }

    @Test
    void looks_atMovesThatWait_growWithTimeNotWithHeartbeats() {
        for (int i = 1; i <= BEATS; i++) {
            names.store(block(i, 1), one);
            two.reads(block(i, 1), 3).beat(placement, nowMs);
        }
        assertThat(names.looks).isPositive().isLessThanOrEqualTo((int) ReportQuota.LOOKS_PER_SECOND);
    }

    @Test
    void looks_atTheSoonestHonestPace_areNeverSpent() {
        TokenBucket looks = ReportQuota.from(nowMs).looks();
        for (int i = 0; i < BEATS; i++) {
            nowMs += ReportQuota.SOONEST_HEARTBEAT_MS;
            assertThat(looks.available(nowMs)).isGreaterThanOrEqualTo(ReportQuota.LOOKS_PER_HEARTBEAT);
            looks.charge(nowMs, ReportQuota.LOOKS_PER_HEARTBEAT);
        }
    }

    @Test
    void heat_beyondWhatCanBeServedInTheTime_isCutToIt() {
        ReportQuota quota = ReportQuota.from(nowMs);
        Heat lie = new Heat(block(1, 1), StorageTier.DISK, false, 1L << 55, 1L << 55, 1L << 55, 1L << 55, 1L << 55, 0);
        List<Heat> heat = Collections.nCopies(settings.heartbeats().entries(), lie);
        nowMs += 1_000; // Another second's worth is saved up.
        List<Heat> admitted = quota.admit(nowMs, heat, metricRegistry);
        assertThat(admitted).hasSameSizeAs(heat);
        assertThat(admitted.stream()
                        .mapToLong(entry -> entry.reads() + entry.writes())
                        .sum())
                .isEqualTo(2 * ReportQuota.MOST_PER_SECOND);
        assertThat(admitted.stream()
                        .mapToLong(entry -> entry.bytesRead() + entry.bytesWritten())
                        .sum())
                .isEqualTo(2 * ReportQuota.MOST_BYTES_PER_SECOND);
        assertThat(admitted).allMatch(entry -> entry.bytesReadFromMemory() <= entry.bytesRead());
        assertThat(metricRegistry.value(Metric.PLACEMENT_HEARTBEAT_ENTRIES_CUT)).isEqualTo(heat.size());
    }

    @Test
    void heat_withinTheQuota_staysAsItIs() {
        List<Heat> heat = List.of(new Heat(block(1, 1), StorageTier.DISK, false, 10, MB, 0, 1, MB, 5));
        assertThat(ReportQuota.from(nowMs).admit(nowMs, heat, metricRegistry)).isEqualTo(heat);
        assertThat(metricRegistry.value(Metric.PLACEMENT_HEARTBEAT_ENTRIES_CUT)).isZero();
    }
}
