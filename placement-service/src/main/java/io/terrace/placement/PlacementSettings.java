package io.terrace.placement;

import io.terrace.common.ControlSample;
import io.terrace.conf.TerraceSettings;
import io.terrace.placement.control.ControlSettings;
import io.terrace.placement.heartbeat.HeartbeatSettings;
import io.terrace.placement.move.FirstReadSettings;
import io.terrace.placement.policy.PolicyChoice;
import io.terrace.placement.state.HeatSettings;
import io.terrace.placement.state.MoveSettings;
import io.terrace.placement.state.VolumeMoveSettings;
import io.terrace.policy.firstread.VainLimit;
import java.util.function.UnaryOperator;

/**
 * The settings of the placement engine. {@link TerraceSettings} documents each key.
 *
 * @param policy that the settings name
 */
public record PlacementSettings(
        PolicyChoice policy,
        MoveSettings moves,
        HeatSettings heat,
        HeartbeatSettings heartbeats,
        ControlSettings control,
        FirstReadSettings firstReads) {

    /** Without a control sample, and without copies before first reads. */
    public PlacementSettings(PolicyChoice policy, MoveSettings moves, HeatSettings heat, HeartbeatSettings heartbeats) {
        this(policy, moves, heat, heartbeats, ControlSettings.OFF, FirstReadSettings.OFF);
    }

    /**
     * Reads them from a lookup by key that answers null for what is unset.
     *
     * @throws IllegalArgumentException naming the key that is wrong and what to write instead
     */
    public static PlacementSettings from(UnaryOperator<String> conf) {
        return new PlacementSettings(
                PolicyChoice.from(conf),
                new MoveSettings(
                        TerraceSettings.PLACEMENT_MOVE_BANDWIDTH.get(conf),
                        TerraceSettings.PLACEMENT_IDLE_BANDWIDTH.get(conf),
                        TerraceSettings.PLACEMENT_MOVES_IN_FLIGHT.get(conf),
                        TerraceSettings.PLACEMENT_MOVES_WAITING.get(conf),
                        TerraceSettings.PLACEMENT_MOVE_TIMEOUT.get(conf),
                        TerraceSettings.PLACEMENT_MOVE_WAIT.get(conf),
                        volumes(conf)),
                new HeatSettings(
                        TerraceSettings.PLACEMENT_TRACKED_BLOCKS.get(conf),
                        TerraceSettings.PLACEMENT_HEAT_HALF_LIFE.get(conf)),
                new HeartbeatSettings(
                        Math.toIntExact(TerraceSettings.PLACEMENT_HEARTBEAT_INTERVAL.get(conf)),
                        TerraceSettings.PLACEMENT_NODE_EXPIRY.get(conf),
                        TerraceSettings.PLACEMENT_NODE_FORGET.get(conf),
                        TerraceSettings.PLACEMENT_HEARTBEAT_ENTRIES.get(conf)),
                new ControlSettings(
                        new ControlSample(TerraceSettings.PLACEMENT_CONTROL_SHARE.get(conf)),
                        TerraceSettings.PLACEMENT_CONTROL_PAUSE.get(conf)),
                new FirstReadSettings(
                        TerraceSettings.PLACEMENT_FIRST_READ_VAIN.get(conf) / 100.0,
                        VainLimit.AT_FIRST_BYTES,
                        TerraceSettings.PLACEMENT_FIRST_READ_WITHIN.get(conf),
                        TerraceSettings.PLACEMENT_READ_AHEAD_BLOCKS.get(conf)));
    }

    private static VolumeMoveSettings volumes(UnaryOperator<String> conf) {
        return new VolumeMoveSettings(
                TerraceSettings.PLACEMENT_VOLUME_BANDWIDTH.get(conf),
                TerraceSettings.PLACEMENT_VOLUME_BANDWIDTH_TOTAL.get(conf),
                TerraceSettings.PLACEMENT_VOLUME_MOVES_IN_FLIGHT.get(conf),
                TerraceSettings.PLACEMENT_VOLUME_MOVES_IN_FLIGHT_TOTAL.get(conf),
                TerraceSettings.PLACEMENT_VOLUME_MOVES_WAITING.get(conf),
                TerraceSettings.PLACEMENT_VOLUME_HIGH_WATER.get(conf) / 100.0,
                TerraceSettings.PLACEMENT_VOLUME_COLD.get(conf),
                TerraceSettings.PLACEMENT_VOLUME_OTHERS_REST.get(conf));
    }
}
