package io.terrace.placement;

import io.terrace.placement.state.DataNodeState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Which DataNodes a turn looks at: all of a cluster of up to {@value #AT_ONCE}, else a twentieth of them, so that no turn delays the
 * heartbeats that wait for it. Owned by the engine's thread.
 */
final class NodeRound {

    /** Looking at so many takes less than a millisecond. */
    static final int AT_ONCE = 256;

    private static final int TURNS = 20;

    private List<DataNodeState> round = List.of();
    private int next;

    /** The DataNodes of this turn; one that has gone since its round began may be among them. */
    List<DataNodeState> next(Collection<DataNodeState> all) {
        if (next >= round.size()) {
            round = new ArrayList<>(all);
            next = 0;
        }
        int end = Math.min(round.size(), next + Math.max(AT_ONCE, (round.size() + TURNS - 1) / TURNS));
        List<DataNodeState> now = round.subList(next, end);
        next = end;
        return now;
    }

    /** Whether the DataNodes of the last turn were the last ones of their round. */
    boolean isOver() {
        return next >= round.size();
    }
}
