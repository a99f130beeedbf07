package io.terrace.placementctl.simulate;

import io.terrace.conf.TerraceSettings;
import io.terrace.placement.move.FirstReadSettings;
import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.placementctl.client.Refused;
import io.terrace.placementctl.cluster.ClusterReads;
import io.terrace.placementctl.cluster.ClusterReplay;
import io.terrace.placementctl.cluster.ClusterReplay.Conditions;
import io.terrace.placementctl.cluster.ClusterReplay.Outcome;
import io.terrace.placementctl.cluster.DrawnReads;
import io.terrace.placementctl.cluster.ReplayedNamespace;
import io.terrace.placementctl.terminal.ProgressLine;
import io.terrace.policy.firstread.VainLimit;
import io.terrace.policy.replay.Trace;
import java.util.Arrays;
import java.util.Map;

/**
 * The placement of copies over the DataNodes of a log of accesses, simulated with the service's own engine: readers are where
 * they were, each DataNode has the memory that it had.
 *
 * @param pooled the same with one DataNode that has the memory of all
 * @param dataNodes with memory or without
 * @param readsPlaced reads of which the log says where the reader was
 * @param blocksPlaced blocks of which it says who holds them
 */
public record PlacementReplay(Outcome cluster, Outcome pooled, int dataNodes, long readsPlaced, long blocksPlaced) {

    private static final long SEED = 1;
    private static final int BLOCKS_AHEAD = TerraceSettings.PLACEMENT_READ_AHEAD_BLOCKS.get(key -> null);

    /** Of a block whose holders nobody knows. */
    private static final int REPLICATION = 3;

    /**
     * Simulates.
     *
     * @param numbers of the objects of the trace, by block id
     * @param memoryBytes of all DataNodes together, in the proportions of the log; 0 for what they had
     * @param moveBytesPerS of all DataNodes together, 0 for no limit
     * @param reach part of the reads by clients that find copies on any DataNode
     * @param vainPercent of the bytes moved into memory, those that may be copied before a read in vain; 0 for no such copies
     * @throws Refused if the log has no hosts, or no DataNode has memory
     */
    public static PlacementReplay of(
            PolicySpec spec,
            RuleAssignments rules,
            Trace trace,
            Map<String, Integer> numbers,
            LoggedPlaces places,
            long memoryBytes,
            long moveBytesPerS,
            double reach,
            int vainPercent)
            throws Refused {
        if (places.readsPlaced() == 0 || places.dataNodes() == 0) {
            throw new Refused(
                    "the log of accesses has no hosts, so placement over DataNodes cannot be simulated: it was"
                            + " written by an earlier release, by DataNodes of one, or with"
                            + " terrace.placement.access-log.readers=none");
        }
        FirstReadSettings firstReads = vainPercent == 0
                ? FirstReadSettings.OFF
                : new FirstReadSettings(
                        vainPercent / 100.0, VainLimit.AT_FIRST_BYTES, PolicyReplay.FIRST_READ_WITHIN_MS, BLOCKS_AHEAD);
        long[] memory = scaled(places.memoryBytes(), memoryBytes);
        if (Arrays.stream(memory).sum() == 0) {
            throw new Refused("no DataNode of the log of accesses has memory; give --memory");
        }
        PolicySpec byNumber = ReplayedNamespace.byNumber(spec);
        int[][] holders = new int[trace.objects()][];
        numbers.forEach((block, object) -> holders[object] = places.holders(Long.parseLong(block)));
        long placed = Arrays.stream(holders).filter(some -> some.length > 0).count();
        fill(holders, trace, places);
        Outcome cluster = run(
                "simulating DataNodes",
                trace,
                new ClusterReplay(
                        trace,
                        new ReplayedNamespace(trace, holders, rules.paths()),
                        places,
                        byNumber,
                        new Conditions(memory, moveBytesPerS / memory.length, reach, SEED, firstReads)));
        int[][] one = new int[trace.objects()][];
        Arrays.fill(one, new int[] {0});
        Outcome pooled = run(
                "simulating one memory",
                trace,
                new ClusterReplay(
                        trace,
                        new ReplayedNamespace(trace, one, rules.paths()),
                        new DrawnReads(1, SEED),
                        byNumber,
                        new Conditions(new long[] {Arrays.stream(memory).sum()}, moveBytesPerS, 1, SEED, firstReads)));
        return new PlacementReplay(cluster, pooled, places.dataNodes(), places.readsPlaced(), placed);
    }

    private static Outcome run(String what, Trace trace, ClusterReplay replay) {
        try (ProgressLine progress = new ProgressLine(what, trace.rows())) {
            return replay.run(progress::at);
        }
    }

    /** Of a block whose holders the log does not name: the DataNode that served it first, or drawn ones. */
    private static void fill(int[][] holders, Trace trace, LoggedPlaces places) {
        for (int row = 0; row < trace.rows(); row++) {
            int object = trace.object(row);
            int server = places.servedBy(row);
            if (holders[object].length == 0 && server != ClusterReads.NONE) {
                holders[object] = new int[] {server};
            }
        }
        int nodes = places.dataNodes();
        for (int object = 0; object < holders.length; object++) {
            if (holders[object].length == 0) {
                holders[object] = ReplayedNamespace.draw(object, nodes, Math.min(REPLICATION, nodes), nodes, SEED);
            }
        }
    }

    private static long[] scaled(long[] had, long memoryBytes) {
        long all = Arrays.stream(had).sum();
        if (memoryBytes == 0) {
            return had;
        }
        return Arrays.stream(had)
                .map(bytes -> all == 0 ? memoryBytes / had.length : (long) ((double) bytes / all * memoryBytes))
                .toArray();
    }
}
