package io.terrace.placement.hdfs.admin;

import io.terrace.placement.PlacementLoop;
import io.terrace.placement.hdfs.health.HealthChecks;
import io.terrace.placement.report.NodeReport;
import io.terrace.protocol.proto.AdminProtos.TiersResponseProto;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * What {@code tiers} is answered with, made once in {@value #VALID_MS} ms, however many ask: it has all figures of all DataNodes. Of
 * thousands of them that is tens of MB, so it is kept only while somebody is being answered. Thread-safe; whoever asks
 * meanwhile waits.
 */
final class SharedTiers {

    static final long VALID_MS = 1000;

    private final LongSupplier clockMs;
    private final Source source;
    private WeakReference<TiersResponseProto> latest = new WeakReference<>(null);
    private long latestMs;

    /** Makes an answer now. */
    @FunctionalInterface
    interface Source {
        TiersResponseProto take() throws TimeoutException, InterruptedException;
    }

    /** @param clockMs monotonic milliseconds */
    SharedTiers(LongSupplier clockMs, Source source) {
        this.clockMs = clockMs;
        this.source = source;
    }

    /** Those of a loop's DataNodes. */
    static SharedTiers of(PlacementLoop loop, Supplier<HealthChecks> healthChecks) {
        return new SharedTiers(loop::nowMs, () -> {
            List<NodeReport> nodes = loop.ask(placement -> placement.reports().nodes(loop.nowMs()));
            TiersResponseProto.Builder response = TiersResponseProto.newBuilder();
            nodes.forEach(node -> response.addNodes(AdminCodec.node(node)));
            if (loop.engineStatus().active()) {
                response.addAllWithoutPlugin(healthChecks.get().withoutPlugin(nodes));
            }
            return response.build();
        });
    }

    synchronized TiersResponseProto latest() throws TimeoutException, InterruptedException {
        TiersResponseProto answer = latest.get();
        if (answer == null || clockMs.getAsLong() - latestMs >= VALID_MS) {
            answer = source.take();
            latest = new WeakReference<>(answer);
            latestMs = clockMs.getAsLong();
        }
        return answer;
    }
}
