package io.terrace.placement;

import io.terrace.common.StorageTier;
import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.heartbeat.Heartbeat;
import io.terrace.placement.heartbeat.Heartbeat.TierState;
import io.terrace.placement.state.ClusterState;
import io.terrace.placement.state.DataNodeState;
import io.terrace.placement.state.HeatSettings;
import io.terrace.placement.state.Move;
import io.terrace.placement.state.Move.Cause;
import io.terrace.placement.state.MoveSettings;
import io.terrace.placement.state.MoveTracker;
import io.terrace.placement.state.ResidentBlocks.Resident;
import io.terrace.placement.state.VolumeMoveSettings;
import io.terrace.protocol.StampedBlock;
import java.util.List;
import java.util.Map;

/** What the service knows of two DataNodes whose policies write down what they are told, for tests of one step. */
public abstract class DataNodeFixture {

    protected static final long MB = 1 << 20;
    protected static final int MEMORY = 0;
    protected static final int BASE = 1;
    protected static final int TRACKED_BLOCKS = 20;
    protected static final MoveSettings SETTINGS = new MoveSettings(
            10 * MB,
            1000,
            2,
            300,
            60_000,
            30_000,
            new VolumeMoveSettings(10 * MB, 15 * MB, 2, 3, 20, 0.9, 3_600_000, 7_200_000));

    protected final MetricRegistry metricRegistry = new MetricRegistry();
    protected final FakeNamespaceView names = new FakeNamespaceView();
    protected final ClusterState clusterState =
            new ClusterState(SETTINGS, new HeatSettings(TRACKED_BLOCKS, 600_000), metricRegistry);
    protected final MoveTracker moveTracker = clusterState.moveTracker();
    protected final RecordingPolicy policy = new RecordingPolicy();
    protected long nowMs = 10_000;
    protected final DataNodeState node = dataNode("one", policy);
    protected final DataNodeState other = dataNode("two", new RecordingPolicy());

    private DataNodeState dataNode(String uuid, RecordingPolicy itsPolicy) {
        DataNodeState made = new DataNodeState(uuid, SETTINGS, itsPolicy, nowMs);
        clusterState.nodes().put(uuid, made);
        heartbeat(made, 1, true, 1L << 40);
        return made;
    }

    /** The DataNode says that it serves, and so many bytes. */
    protected final void heartbeat(DataNodeState from, long sequence, boolean serving, long bytesServed) {
        TierState memory = new TierState(StorageTier.MEMORY, 100 * MB, 0, 0, 0, 0);
        from.note(
                nowMs,
                new Heartbeat(
                        from.uuid(),
                        "host",
                        9866,
                        1,
                        sequence,
                        List.of(memory),
                        List.of(),
                        List.of(),
                        false,
                        List.of(),
                        List.of(),
                        bytesServed,
                        serving,
                        Map.of(),
                        true,
                        ""));
    }

    protected static StampedBlock block(long id, long megabytes) {
        return new StampedBlock(id, 1000 + id, megabytes * MB);
    }

    protected final void resides(StampedBlock block) {
        node.residents().put(new Resident(block, nowMs, false));
    }

    /** A promotion that waits, not looked up yet. */
    protected final Move promotion(StampedBlock block) {
        Move move = moveTracker.promote(nowMs, node, block, Cause.POLICY, "test");
        node.moveQueue().enqueue(move, false);
        return move;
    }

    /** A drop of a copy that is there, which waits. */
    protected final Move drop(StampedBlock block) {
        resides(block);
        Move move = moveTracker.drop(nowMs, node, block, Cause.POLICY, "test");
        node.moveQueue().enqueue(move, false);
        return move;
    }
}
