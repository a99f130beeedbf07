package io.terrace.datanode.heartbeat;

import io.terrace.metrics.FigureTable;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.protocol.proto.DataNodeProtos.ConditionProto;
import io.terrace.protocol.proto.DataNodeProtos.FigureValueProto;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatRequestProto;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatResponseProto;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The figures and conditions of a DataNode as heartbeats carry them: once a second to a service that keeps them. They are
 * most of a heartbeat's bytes, and nearly all of them are replaced by the next ones before anybody looks at them. A service with
 * the same {@link FigureTable} gets the values without their ids. Used by one thread at a time.
 */
final class FigureReport {

    private static final long INTERVAL_NS = TimeUnit.SECONDS.toNanos(1);

    private final MetricRegistry metricRegistry;

    /** Whether the service has those that were sent last, and keeps them until it is told others. */
    private boolean kept;

    /** Whether the service that answered last has the same table. */
    private boolean tabled;

    private long sentNs;
    private List<ConditionProto> sentConditions = List.of();

    FigureReport(MetricRegistry metricRegistry) {
        this.metricRegistry = metricRegistry;
    }

    /**
     * Adds them where they are due, or says that they are left out.
     *
     * @param atOnce whether something happened that the figures count and somebody may wait for
     */
    void addTo(HeartbeatRequestProto.Builder request, List<ConditionProto> conditions, boolean atOnce, long nowNs) {
        boolean due = atOnce || !conditions.equals(sentConditions) || nowNs - sentNs >= INTERVAL_NS;
        if (kept && !due) {
            request.setFiguresOmitted(true);
            return;
        }
        sentNs = nowNs;
        sentConditions = conditions;
        request.addAllConditions(conditions);
        if (tabled) {
            request.setFigureTable(FigureTable.ID);
            metricRegistry.forEach(Metric.Where.DATANODE, (metric, value) -> request.addFigureValues(value));
        } else {
            metricRegistry.forEach(
                    Metric.Where.DATANODE,
                    (metric, value) -> request.addFigures(
                            FigureValueProto.newBuilder().setId(metric.id()).setValue(value)));
        }
    }

    void delivered(HeartbeatResponseProto response) {
        boolean sentByTable = tabled;
        tabled = response.getFigureTable() == FigureTable.ID;
        // A service that wants to know all that is resident may have been started since, and one of another release
        // too.
        kept = response.getKeepsFigures() && !response.getFullResidencyWanted() && (tabled || !sentByTable);
    }

    void refused() {
        kept = false;
    }
}
