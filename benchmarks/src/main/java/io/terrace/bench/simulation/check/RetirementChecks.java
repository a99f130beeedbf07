package io.terrace.bench.simulation.check;

import io.terrace.bench.simulation.cluster.SimulatedDataNode;
import io.terrace.bench.simulation.kernel.Invariant;
import io.terrace.bench.simulation.kernel.Violation;
import io.terrace.datanode.extent.Extent;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The extents of one DataNode process that are retired and not freed yet. Time is counted in turns of its housekeeping,
 * 100 ms apart, so that the time during which the process is stopped does not count.
 */
final class RetirementChecks {

    /** One turn revokes grants, another frees returned extents; the turns between let messages arrive. */
    private static final int TURNS = 4;

    private static final class Retired {
        final long atNs;
        int turns;
        int turnsTooLong;

        Retired(long atNs) {
            this.atNs = atNs;
        }
    }

    private final SimulatedDataNode dataNode;
    private final LeaseChecks leaseChecks;
    private final long longestNs;
    private final Map<Extent, Retired> retired = new LinkedHashMap<>();

    /** @param longestNs how long a holder that does not answer, or a reader of a passed descriptor, may hold an extent */
    RetirementChecks(SimulatedDataNode dataNode, LeaseChecks leaseChecks, long longestNs) {
        this.dataNode = dataNode;
        this.leaseChecks = leaseChecks;
        this.longestNs = longestNs;
    }

    void retired(Extent extent, long nowNs) {
        retired.put(extent, new Retired(nowNs));
    }

    void freed(Extent extent) {
        retired.remove(extent);
    }

    /** A regular turn of housekeeping is over. */
    void turned(long nowNs) {
        retired.forEach((extent, one) -> {
            one.turns++;
            if (one.turns > TURNS) {
                leaseChecks.checkTold(dataNode, extent, one.atNs);
            }
            one.turnsTooLong += nowNs - one.atNs > longestNs ? 1 : 0;
            // While the process does I/O, its scrub may be reading the extent.
            Violation.unless(
                    one.turnsTooLong <= TURNS || dataNode.process().isBlocked(),
                    Invariant.FREED_IN_TIME,
                    "%s still has %s, %.3f ms after it was retired",
                    dataNode,
                    extent,
                    (nowNs - one.atNs) / 1e6);
        });
    }
}
