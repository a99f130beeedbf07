package io.terrace.placement.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.state.OperatorState;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class EngineStatusTest {
    private final MetricRegistry metricRegistry = new MetricRegistry();

    @Test
    void offAndPaused_areShownByTheActiveServiceAlone() {
        shows(true, OperatorState.initial(), 0, 0);
        shows(true, OperatorState.initial().withMoves(false), 0, 1);
        shows(true, OperatorState.initial().withServe(false), 1, 1);
        shows(false, OperatorState.off(), 0, 0);
    }

    private void shows(boolean active, OperatorState operatorState, long off, long paused) {
        EngineStatus status = new EngineStatus(
                active, 7, operatorState, "", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, new TreeMap<>(), null);
        EngineStatus.publish(metricRegistry, () -> status);
        assertThat(metricRegistry.value(Metric.PLACEMENT_ACTIVE)).isEqualTo(active ? 1 : 0);
        assertThat(metricRegistry.value(Metric.PLACEMENT_OFF)).isEqualTo(off);
        assertThat(metricRegistry.value(Metric.PLACEMENT_PAUSED)).isEqualTo(paused);
    }
}
