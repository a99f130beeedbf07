package io.terrace.placement.hdfs.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.common.StorageTier;
import io.terrace.metrics.Metric;
import io.terrace.placement.heartbeat.HealthFinding;
import io.terrace.placement.heartbeat.Heartbeat.TierState;
import io.terrace.placement.report.NodeReport;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What doctor says of the memory of a DataNode. */
class MemoryHealthTest {

    private static @Nullable String finding(long bytes, long bytesOfAll) {
        HealthFinding finding = HealthChecks.memory(new NodeReport(
                "uuid",
                "dn:1",
                true,
                true,
                true,
                0,
                0,
                List.of(new TierState(StorageTier.MEMORY, bytes, 0, 0, 0, 0)),
                0,
                0,
                0,
                0,
                List.of(),
                List.of(),
                Map.of(Metric.MEMORY_CAPACITY_BYTES.id(), bytesOfAll),
                ""));
        return finding == null ? null : finding.id();
    }

    @Test
    void memory_thatOtherNameServicesFill_isNotTakenForNone() {
        assertThat(finding(100, 100)).isNull();
        assertThat(finding(40, 100)).isNull();
        assertThat(finding(0, 100)).isEqualTo("datanode.memory-taken");
        assertThat(finding(0, 0)).isEqualTo("datanode.no-memory-tier");
    }
}
