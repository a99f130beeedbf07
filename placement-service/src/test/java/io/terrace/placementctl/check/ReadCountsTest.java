package io.terrace.placementctl.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.metrics.Metric;
import io.terrace.placementctl.check.CheckedBlock.Served;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class ReadCountsTest {

    private static ReadCounts grown(Object... metricsAndGrowth) {
        Map<String, Long> before = new HashMap<>();
        Map<String, Long> after = new HashMap<>();
        for (int i = 0; i < metricsAndGrowth.length; i += 2) {
            String id = ((Metric) metricsAndGrowth[i]).id();
            before.put(id, 1_000L);
            after.put(id, 1_000L + (Integer) metricsAndGrowth[i + 1]);
        }
        return new ReadCounts(before, after);
    }

    @Test
    void served_isTheSourceOfAllBytes() {
        assertThat(grown(Metric.CLIENT_GRANTED_SHM_BYTES, 100).served(100)).isEqualTo(Served.MEMORY);
        assertThat(grown(Metric.CLIENT_REMOTE_BYTES, 100).served(100)).isEqualTo(Served.MEMORY_TCP);
        assertThat(grown(Metric.CLIENT_REMOTE_BYTES, 100, Metric.CLIENT_VERBS_BYTES, 100)
                        .served(100))
                .isEqualTo(Served.MEMORY_VERBS);
        assertThat(grown(Metric.CLIENT_REMOTE_BYTES, 100, Metric.CLIENT_REMOTE_NVM_BYTES, 100)
                        .served(100))
                .isEqualTo(Served.NVM);
        assertThat(grown(Metric.CLIENT_GRANTED_SHM_BYTES, 100, Metric.CLIENT_GRANTED_SHM_NVM_BYTES, 10)
                        .served(100))
                .isEqualTo(Served.NVM_LOCAL);
        assertThat(grown(
                                Metric.CLIENT_GRANTED_SHM_BYTES, 50,
                                Metric.CLIENT_GRANTED_SHM_NVM_BYTES, 50,
                                Metric.CLIENT_REMOTE_BYTES, 50)
                        .served(100))
                .as("the slower of two")
                .isEqualTo(Served.MEMORY_TCP);
        assertThat(grown(Metric.CLIENT_GRANTED_SHM_BYTES, 99).served(100)).isEqualTo(Served.STOCK);
        assertThat(grown().served(1)).isEqualTo(Served.STOCK);
    }

    @Test
    void cause_whereNobodyHasIt_isToPromote() {
        ReadCounts counts = grown(Metric.CLIENT_FALLBACK_NOT_RESIDENT, 1);
        assertThat(counts.cause()).isNull();
        assertThat(FileCheck.cause(counts, true, "/a", null).remedy()).contains("promote /a --wait");
        assertThat(FileCheck.cause(counts, true, "/a; touch b", null).remedy())
                .as("to be pasted into a shell")
                .contains("promote '/a; touch b' --wait");
    }

    @Test
    void cause_whereAnotherHostHasIt_isToReadOverTcp() {
        ReadCounts counts = grown(Metric.CLIENT_FALLBACK_NOT_RESIDENT, 1);
        assertThat(FileCheck.cause(counts, false, "/a", "dn2:9866"))
                .satisfies(cause -> assertThat(cause.why()).contains("dn2:9866", "no other host's memory"))
                .satisfies(cause -> assertThat(cause.remedy()).contains("terrace.channel.tcp.port.offset"));
    }

    @Test
    void cause_thatTheClientCounted_isTold() {
        ReadCounts counts = grown(Metric.CLIENT_FALLBACK_TIMEOUT, 1, Metric.CLIENT_FALLBACK_NO_DATANODE, 1);
        assertThat(FileCheck.cause(counts, true, "/a", "dn1:9866").why()).contains("did not answer in time");
    }

    @Test
    void cause_withoutADataNodeHere_isThat_unlessOtherHostsAreRead() {
        ReadCounts counts = grown(Metric.CLIENT_FALLBACK_NO_DATANODE, 1);
        assertThat(FileCheck.cause(counts, false, "/a", "dn1:9866").why()).contains("in terrace.channel.dir");
        assertThat(FileCheck.cause(counts, true, "/a", null).remedy()).contains("promote /a --wait");
        assertThat(FileCheck.cause(counts, true, "/a", "dn1:9866").why()).contains("has not heard of it yet");
    }
}
