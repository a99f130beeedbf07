package io.terrace.placement;

import io.terrace.placement.state.DataNodeState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which DataNodes a turn looks at: all of a cluster of up to {@value #AT_ONCE}, else a twentieth of them, so that no turn delays the
 * heartbeats that wait for it. The sums of all are known once each had its turn. Owned by the engine's thread.
 */
final class NodeRound {

    /** Looking at so many takes less than a millisecond. */
    static final int AT_ONCE = 256;

    private static final int TURNS = 20;

    private List<DataNodeState> round = List.of();
    private int next;
    private NodeSums sumsOfRound = NodeSums.NONE;
    private @Nullable NodeSums sumsOfLastRound;

    /** The DataNodes of this turn; one that has gone since its round began may be among them. */
    List<DataNodeState> next(Collection<DataNodeState> all) {
        if (next >= round.size()) {
            round = new ArrayList<>(all);
            next = 0;
        }
        int end = Math.min(round.size(), next + Math.max(AT_ONCE, (round.size() + TURNS - 1) / TURNS));
        List<DataNodeState> now = round.subList(next, end);
        next = end;
        if (all.size() > AT_ONCE) {
            sumsOfRound = sumsOfRound.and(now);
            if (next >= round.size()) {
                sumsOfLastRound = sumsOfRound;
                sumsOfRound = NodeSums.NONE;
            }
        }
        return now;
    }

    /** As of now in a small cluster, else as the last round of turns found them. */
    NodeSums sums(Collection<DataNodeState> all) {
        NodeSums known = sumsOfLastRound;
        return all.size() <= AT_ONCE || known == null ? NodeSums.of(all) : known;
    }
}
