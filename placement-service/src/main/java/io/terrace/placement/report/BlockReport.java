package io.terrace.placement.report;

import io.terrace.placement.control.ControlTrial.Obstacle;
import io.terrace.placement.state.Move;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everything known of one block.
 *
 * @param excluded why it can never be promoted; null if it can
 * @param heldBack why heat alone does not bring it into memory; null if it may
 * @param range the tiers that its replicas are kept in, and by which rule; null if they stay where HDFS put them
 */
public record BlockReport(
        long blockId,
        @Nullable HotBlock heat,
        boolean pinned,
        @Nullable String excluded,
        @Nullable String range,
        @Nullable Obstacle heldBack,
        List<ReplicaReport> replicas,
        List<Move> lastMoves) {}
