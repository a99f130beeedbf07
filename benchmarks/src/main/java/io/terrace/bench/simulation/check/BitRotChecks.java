package io.terrace.bench.simulation.check;

import io.terrace.bench.simulation.cluster.SimulatedDataNode;
import io.terrace.bench.simulation.kernel.Invariant;
import io.terrace.bench.simulation.kernel.MemoryFile;
import io.terrace.bench.simulation.kernel.Scheduler;
import io.terrace.bench.simulation.kernel.Violation;
import io.terrace.datanode.extent.Extent;
import io.terrace.datanode.extent.ExtentState;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/** Flips bits of live copies in the memory of one DataNode, and checks that the next scrub finds them. */
final class BitRotChecks {

    private final SimulatedDataNode dataNode;
    /** Extents that were live when a bit of them flipped, with the time. */
    private final Map<Extent, Long> flipped = new LinkedHashMap<>();

    BitRotChecks(SimulatedDataNode dataNode) {
        this.dataNode = dataNode;
    }

    boolean isFlipped(Extent extent) {
        return flipped.containsKey(extent);
    }

    void freed(Extent extent) {
        flipped.remove(extent);
    }

    /** A bit of a live copy flips; a scrub that begins later finds it. */
    void flip(Extent extent, Scheduler scheduler) {
        try {
            MemoryFile file = dataNode.mount().file(extent);
            if (!file.isRotten()) {
                dataNode.process().say("a bit of %s flips", extent);
                file.rot(
                        scheduler.random().nextInt(file.lengthBytes()),
                        scheduler.random().nextInt(8));
                flipped.put(extent, scheduler.nowNs());
            }
        } catch (IOException e) {
            throw new Violation(Invariant.VERIFIED_WHEN_PUBLISHED, "no file of " + extent, e);
        }
    }

    /** A pass of the scrub is over that began at that time. */
    void scrubbed(long begunNs) {
        flipped.forEach((extent, sinceNs) -> Violation.unless(
                sinceNs >= begunNs || extent.state() != ExtentState.LIVE,
                Invariant.ROT_ENDS,
                "%s scrubbed %s after a bit of it had flipped, and serves it",
                dataNode,
                extent));
    }

    /** At quiescence a scrub has found every flipped bit. */
    void checkQuiescent() {
        flipped.keySet()
                .forEach(extent -> Violation.unless(
                        extent.state() != ExtentState.LIVE,
                        Invariant.ROT_ENDS,
                        "%s still serves %s, of which a bit flipped",
                        dataNode,
                        extent));
    }
}
