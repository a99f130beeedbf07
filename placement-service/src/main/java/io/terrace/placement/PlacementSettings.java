package io.terrace.placement;

import io.terrace.placement.heartbeat.HeartbeatSettings;
import io.terrace.placement.policy.PolicyChoice;
import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.placement.state.HeatSettings;
import io.terrace.placement.state.MoveSettings;
import java.util.Map;

/**
 * The settings of the placement engine, checked.
 *
 * @param policy that the settings name
 */
public record PlacementSettings(
        PolicyChoice policy, MoveSettings moves, HeatSettings heat, HeartbeatSettings heartbeats) {

    /** The defaults of every key. */
    public static PlacementSettings defaults() {
        return new PlacementSettings(
                new PolicyChoice(PolicySpec.plain("adaptive", Map.of()), PolicyChoice.Source.SETTINGS, 0),
                new MoveSettings(100L << 20, 1L << 20, 4, 256, 60_000, 30_000),
                new HeatSettings(500_000, 600_000),
                new HeartbeatSettings(250, 10_000, 600_000, 10_000));
    }
}
