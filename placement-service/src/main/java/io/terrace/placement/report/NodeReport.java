package io.terrace.placement.report;

import io.terrace.placement.heartbeat.HealthFinding;
import io.terrace.placement.heartbeat.Heartbeat.Resized;
import io.terrace.placement.heartbeat.Heartbeat.TierState;
import io.terrace.placement.heartbeat.Resize;
import io.terrace.policy.api.PoolUsage;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is known of one DataNode; times in milliseconds.
 *
 * @param release version and commit of its Terrace; empty if it does not say
 * @param leaving why it leaves; null while it is in service
 * @param resize the size of its memory that it was asked for and has not answered about; null if there is none
 * @param resized what came of the last change of that size; null before the first
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
        String release,
        @Nullable String leaving,
        @Nullable Resize resize,
        @Nullable Resized resized) {

    /** Of a DataNode that stays, and whose memory was not resized. */
    public NodeReport(
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
            String release) {
        this(
                uuid,
                name,
                live,
                serving,
                idle,
                silentMs,
                upMs,
                tiers,
                residents,
                pinnedBytes,
                movesWaiting,
                movesInFlight,
                pools,
                conditions,
                figures,
                release,
                null,
                null,
                null);
    }
}
