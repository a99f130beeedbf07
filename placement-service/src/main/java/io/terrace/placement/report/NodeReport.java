package io.terrace.placement.report;

import io.terrace.placement.heartbeat.HealthFinding;
import io.terrace.placement.heartbeat.Heartbeat.TierState;
import io.terrace.policy.api.PoolUsage;
import java.util.List;
import java.util.Map;

/**
 * What is known of one DataNode; times in milliseconds.
 *
 * @param release version and commit of its Terrace; empty if it does not say
 */
public record NodeReport(
        String uuid,
        String name,
        boolean live,
        boolean serving,
        boolean idle,
        long silentMs,
        long upMs,
        List<TierState> tiers,
        int residents,
        long pinnedBytes,
        int movesWaiting,
        int movesInFlight,
        List<PoolUsage> pools,
        List<HealthFinding> conditions,
        Map<String, Long> figures,
        String release) {}
