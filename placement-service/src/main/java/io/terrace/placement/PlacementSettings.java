package io.terrace.placement;

import io.terrace.placement.policy.PolicyChoice;
import io.terrace.placement.policyfile.PolicySpec;
import java.util.Map;

/**
 * The service's settings, checked. Each value is named for its key; {@link io.terrace.placement.hdfs.SettingsReader}
 * reads them from Hadoop's configuration.
 *
 * @param policy name of the policy, one instance per DataNode
 * @param policyParameters its parameters by name
 * @param moveBytesPerSecond budget of each DataNode while it serves; 0 is no limit
 * @param idleBytesPerSecond a DataNode that serves less than this is idle and has no move limit
 * @param movesInFlight promotions a DataNode carries out at a time
 * @param movesWaiting promotions that may wait for one DataNode
 * @param moveTimeoutMs an order without a result is given up after this and the time its bytes take at 10 MB/s
 * @param moveWaitMs a promotion that the budget let wait for longer is given up
 * @param intervalMs time between two turns of the loop
 * @param heartbeatMs time between two heartbeats of a DataNode
 * @param expiryMs a DataNode that was silent for longer gets no orders and is nobody's home
 * @param forgetMs a DataNode that was silent for longer is forgotten
 * @param trackedBlocks blocks whose heat is kept
 * @param heartbeatEntries entries of each list that are taken from one heartbeat
 * @param lockBlocks blocks looked at in one hold of the NameNode's read lock
 * @param halfLifeMs half-life of heat, where homes and {@code top} are concerned
 */
public record PlacementSettings(
        String policy,
        Map<String, String> policyParameters,
        long moveBytesPerSecond,
        long idleBytesPerSecond,
        int movesInFlight,
        int movesWaiting,
        long moveTimeoutMs,
        long moveWaitMs,
        int intervalMs,
        int heartbeatMs,
        long expiryMs,
        long forgetMs,
        int trackedBlocks,
        int heartbeatEntries,
        int lockBlocks,
        long halfLifeMs) {

    /** Rate that any order must reach, or it is taken for lost. */
    static final long SLOWEST_BYTES_PER_SECOND = 10_000_000;

    public PlacementSettings {
        policyParameters = Map.copyOf(policyParameters);
    }

    /** The defaults of every key. */
    public static PlacementSettings defaults() {
        return new PlacementSettings(
                "adaptive",
                Map.of(),
                100L << 20,
                1L << 20,
                4,
                256,
                60_000,
                30_000,
                250,
                250,
                10_000,
                600_000,
                500_000,
                10_000,
                256,
                600_000);
    }

    /** The policy that the settings name. */
    public PolicyChoice choice() {
        return new PolicyChoice(PolicySpec.plain(policy, policyParameters), PolicyChoice.Source.SETTINGS, 0);
    }

    /** The same with another policy. */
    public PlacementSettings withPolicy(String name, Map<String, String> parameters) {
        return new PlacementSettings(
                name,
                parameters,
                moveBytesPerSecond,
                idleBytesPerSecond,
                movesInFlight,
                movesWaiting,
                moveTimeoutMs,
                moveWaitMs,
                intervalMs,
                heartbeatMs,
                expiryMs,
                forgetMs,
                trackedBlocks,
                heartbeatEntries,
                lockBlocks,
                halfLifeMs);
    }

    /** The same with another budget. */
    public PlacementSettings withMoveBytesPerSecond(long bytesPerSecond) {
        return new PlacementSettings(
                policy,
                policyParameters,
                bytesPerSecond,
                idleBytesPerSecond,
                movesInFlight,
                movesWaiting,
                moveTimeoutMs,
                moveWaitMs,
                intervalMs,
                heartbeatMs,
                expiryMs,
                forgetMs,
                trackedBlocks,
                heartbeatEntries,
                lockBlocks,
                halfLifeMs);
    }

    /** When an order of so many bytes is taken for lost. */
    public long lostAfterMs(long bytes) {
        return moveTimeoutMs + bytes / (SLOWEST_BYTES_PER_SECOND / 1000);
    }
}
