package io.terrace.placement;

import io.terrace.placement.state.DataNodeState;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Sums over DataNodes for the status of the engine.
 *
 * @param movers that take orders to move replicas between volumes
 * @param memoryBytes capacity of the memory of those that are live
 * @param policyBytes heap of their policies
 * @param releases how many that are live have which release of Terrace; the empty one is of those that do not say
 */
record NodeSums(
        int silent,
        int waiting,
        int inFlight,
        int volumesWaiting,
        int volumesInFlight,
        int movers,
        long resident,
        long memoryBytes,
        long policyBytes,
        SortedMap<String, Integer> releases) {

    static final NodeSums NONE = new NodeSums(0, 0, 0, 0, 0, 0, 0, 0, 0, Collections.emptySortedMap());

    static NodeSums of(Iterable<DataNodeState> nodes) {
        return NONE.and(nodes);
    }

    /** With those of further DataNodes. */
    NodeSums and(Iterable<DataNodeState> nodes) {
        int moreSilent = silent;
        int moreWaiting = waiting;
        int moreInFlight = inFlight;
        int moreVolumesWaiting = volumesWaiting;
        int moreVolumesInFlight = volumesInFlight;
        int moreMovers = movers;
        long moreResident = resident;
        long moreMemoryBytes = memoryBytes;
        long morePolicyBytes = policyBytes;
        SortedMap<String, Integer> moreReleases = new TreeMap<>(releases);
        for (DataNodeState node : nodes) {
            moreSilent += node.isLive() ? 0 : 1;
            moreWaiting += node.moveQueue().waitingCount();
            moreInFlight += node.moveQueue().inFlightCount();
            moreVolumesWaiting += node.volumeMoves().waitingCount();
            moreVolumesInFlight += node.volumeMoves().inFlightCount();
            moreMovers += node.takesVolumeMoves() ? 1 : 0;
            moreResident += node.residents().size();
            morePolicyBytes += node.policy().memoryBytes();
            if (node.isLive()) {
                moreMemoryBytes += node.memory().capacityBytes();
                moreReleases.merge(node.release(), 1, Integer::sum);
            }
        }
        return new NodeSums(
                moreSilent,
                moreWaiting,
                moreInFlight,
                moreVolumesWaiting,
                moreVolumesInFlight,
                moreMovers,
                moreResident,
                moreMemoryBytes,
                morePolicyBytes,
                Collections.unmodifiableSortedMap(moreReleases));
    }
}
