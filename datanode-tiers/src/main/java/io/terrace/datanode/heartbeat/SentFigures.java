package io.terrace.datanode.heartbeat;

import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.protocol.proto.DataNodeProtos.FigureValueProto;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatRequestProto;
import java.util.EnumMap;
import java.util.Map;

/**
 * The figures of a DataNode as heartbeats carry them. Most are what they were in the heartbeat before, so a message is made only of
 * those that changed. Used by one thread at a time.
 */
final class SentFigures {

    private final MetricRegistry metricRegistry;
    private final Map<Metric, FigureValueProto> last = new EnumMap<>(Metric.class);

    SentFigures(MetricRegistry metricRegistry) {
        this.metricRegistry = metricRegistry;
    }

    void addTo(HeartbeatRequestProto.Builder request) {
        metricRegistry.forEach(Metric.Where.DATANODE, (metric, value) -> request.addFigures(figure(metric, value)));
    }

    private FigureValueProto figure(Metric metric, long value) {
        FigureValueProto before = last.get(metric);
        if (before != null && before.getValue() == value) {
            return before;
        }
        FigureValueProto now =
                FigureValueProto.newBuilder().setId(metric.id()).setValue(value).build();
        last.put(metric, now);
        return now;
    }
}
