package io.terrace.client.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.client.ClientConfig;
import io.terrace.metrics.MetricRegistry;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

final class PipelineLimitTest {
    private static final int MOST = 4;

    /** It may begin below zero, as that of a JVM may. */
    private final AtomicLong nowNs = new AtomicLong(-PipelineLimit.KNOWN_NS / 2);

    private final PipelineLimit limit = new PipelineLimit(MOST, nowNs::get);

    @Test
    void blocks_afterARefusal_areTwoForAWhile() {
        assertThat(limit.blocks()).isEqualTo(MOST);
        limit.awaitReplicas();
        nowNs.addAndGet(PipelineLimit.KNOWN_NS - 1);
        assertThat(limit.replicasAwaited()).isTrue();
        assertThat(limit.blocks()).isEqualTo(2);
        nowNs.incrementAndGet();
        assertThat(limit.replicasAwaited()).isFalse();
        assertThat(limit.blocks()).isEqualTo(MOST);
    }

    @Test
    void blocks_whereOneIsConfigured_areOne() {
        PipelineLimit one = new PipelineLimit(1, nowNs::get);
        one.awaitReplicas();
        assertThat(one.blocks()).isEqualTo(1);
    }

    /** They may be clients of two clusters, and only one of these wants more replicas. */
    @Test
    void refusal_ofOneClient_isNotTheOthers() {
        ClientConfig settings = ClientConfig.from(new Configuration(false));
        WriteClient refused = WriteClient.of(settings, new MetricRegistry());
        WriteClient other = WriteClient.of(settings, new MetricRegistry());
        int most = settings.write().pipelinesMax();
        assertThat(most).isGreaterThan(2);
        refused.pipelineLimit().awaitReplicas();
        assertThat(refused.pipelineLimit().blocks()).isEqualTo(2);
        assertThat(other.pipelineLimit().blocks()).isEqualTo(most);
        assertThat(WriteClient.of(settings, new MetricRegistry())
                        .pipelineLimit()
                        .blocks())
                .isEqualTo(most);
    }
}
