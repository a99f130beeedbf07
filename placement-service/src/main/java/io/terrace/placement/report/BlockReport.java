package io.terrace.placement.report;

import io.terrace.placement.state.Move;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Everything known of one block; {@code excluded} says why it can never be promoted. */
public record BlockReport(
        long blockId,
        @Nullable HotBlock heat,
        boolean pinned,
        @Nullable String excluded,
        List<ReplicaReport> replicas,
        List<Move> lastMoves) {}
