package io.terrace.placement.state;

import io.terrace.common.StorageTier;
import io.terrace.placement.heartbeat.HealthFinding;
import io.terrace.placement.heartbeat.Heartbeat;
import io.terrace.placement.heartbeat.Heartbeat.Resized;
import io.terrace.placement.heartbeat.Heartbeat.TierState;
import io.terrace.placement.heartbeat.HeartbeatSession;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a DataNode said last of itself, apart from its blocks. Owned by the engine's thread. */
final class SelfReport {

    private static final TierState NO_MEMORY = new TierState(StorageTier.MEMORY, 0, 0, 0, 0, 0);

    private String host = "";
    private int transferPort;
    private boolean serving;
    private boolean takesVolumeMoves;
    private String release = "";
    private List<TierState> tiers = List.of();
    private TierState memory = NO_MEMORY;
    private List<HealthFinding> conditions = List.of();
    private Map<String, Long> figures = Map.of();
    private @Nullable Resized resized;

    /** Takes the next one. Conditions and figures stay as they are where it has none. */
    void take(Heartbeat heartbeat) {
        host = keep(host, heartbeat.host());
        transferPort = heartbeat.transferPort();
        serving = heartbeat.serving();
        takesVolumeMoves = heartbeat.takesVolumeMoves();
        release = keep(release, heartbeat.release());
        tiers = keep(tiers, List.copyOf(heartbeat.tiers()));
        memory = tiers.stream()
                .filter(tier -> tier.tier() == StorageTier.MEMORY)
                .findFirst()
                .orElse(NO_MEMORY);
        resized = heartbeat.resized();
        List<HealthFinding> itsConditions = heartbeat.conditions();
        Map<String, Long> itsFigures = heartbeat.figures();
        if (itsConditions != null && itsFigures != null) {
            conditions = keep(conditions, List.copyOf(itsConditions));
            // Not copied: that would decode them.
            figures = itsFigures;
        }
    }

    /** The old one if they are equal: the collector has stopped copying it. */
    private static <T> T keep(T old, T now) {
        return old.equals(now) ? old : now;
    }

    /** Whether it takes moves between volumes is as another one said. */
    void takesVolumeMovesAs(SelfReport other) {
        takesVolumeMoves = other.takesVolumeMoves;
    }

    /** A heartbeat that says the same and has no reports. */
    Heartbeat silence(String uuid, HeartbeatSession session) {
        return new Heartbeat(
                uuid,
                host,
                transferPort,
                session.incarnation(),
                session.sequence(),
                tiers,
                List.of(),
                List.of(),
                false,
                List.of(),
                List.of(),
                Long.MAX_VALUE / 1000,
                serving,
                Map.of(),
                false,
                release);
    }

    /** What operators call the DataNode. */
    String name() {
        return host + ":" + transferPort;
    }

    boolean isServing() {
        return serving;
    }

    boolean takesVolumeMoves() {
        return takesVolumeMoves;
    }

    String release() {
        return release;
    }

    List<TierState> tiers() {
        return tiers;
    }

    TierState memory() {
        return memory;
    }

    List<HealthFinding> conditions() {
        return conditions;
    }

    Map<String, Long> figures() {
        return figures;
    }

    @Nullable
    Resized resized() {
        return resized;
    }
}
