package io.terrace.bench.scale;

import io.terrace.conf.TerraceSettings;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.Leadership;
import io.terrace.placement.PlacementEngine;
import io.terrace.placement.PlacementLoop;
import io.terrace.placement.PlacementSettings;
import io.terrace.placement.hdfs.DataNodeCheck;
import io.terrace.placement.hdfs.FirstNodes;
import io.terrace.placement.hdfs.HeartbeatRpc;
import io.terrace.placement.policy.PolicyChoice;
import io.terrace.placement.report.EngineStatus;
import io.terrace.placement.state.NamespaceView;
import io.terrace.placement.state.OperatorState;
import io.terrace.placement.write.WriteSpeeds;
import java.io.Closeable;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.apache.hadoop.util.Time;

/** The placement service as the NameNode has it: handler, loop and engine, without its port. */
final class ScaledService implements Closeable {

    private final MetricRegistry metrics;
    private final AtomicLong aheadMs = new AtomicLong();
    private final FirstNodes firstNodes;
    private final PlacementLoop loop;
    private final HeartbeatRpc rpc;

    /**
     * Starts it.
     *
     * @param view makes the view, which counts in these metrics
     */
    ScaledService(
            RealNameNode nameNode,
            Map<String, String> properties,
            PolicyChoice policy,
            Function<MetricRegistry, NamespaceView> view) {
        PlacementSettings settings = PlacementSettings.from(properties::get);
        metrics = new MetricRegistry();
        loop = new PlacementLoop(
                new PlacementEngine(settings, view.apply(metrics), metrics),
                new Active(policy),
                metrics,
                Math.toIntExact(TerraceSettings.PLACEMENT_INTERVAL.get(properties::get)),
                () -> Time.monotonicNow() + aheadMs.get());
        firstNodes =
                new FirstNodes(nameNode.namesystem().getBlockManager(), new WriteSpeeds(System::nanoTime), metrics);
        rpc = new HeartbeatRpc(
                new DataNodeCheck(nameNode.namesystem(), nameNode.conf()),
                loop,
                firstNodes,
                settings.heartbeats().entries(),
                metrics);
        loop.start();
    }

    HeartbeatRpc rpc() {
        return rpc;
    }

    EngineStatus status() {
        return loop.engineStatus();
    }

    long value(Metric metric) {
        return metrics.value(metric);
    }

    /** Lets time pass for the service. */
    void pass(long ms) {
        aheadMs.addAndGet(ms);
    }

    @Override
    public void close() {
        firstNodes.close();
        loop.close();
    }

    /** Moves begin; until then the service only counts. */
    void resume() throws TimeoutException, InterruptedException {
        boolean unused = loop.change(engine -> {
            engine.operatorState(OperatorState.initial());
            return true;
        });
    }

    /** This NameNode decides from the first turn on; moves are paused. */
    private record Active(PolicyChoice policy) implements Leadership {
        @Override
        public long epoch() {
            return 1;
        }

        @Override
        public OperatorState operatorState() {
            return OperatorState.initial().withPaused(OperatorState.Order.UNKNOWN);
        }
    }
}
