package io.terrace.bench.simulation.cluster;

import io.terrace.protocol.StampedBlock;
import java.util.LinkedHashSet;
import java.util.Set;

/** A block in the NameNode's map. */
public final class SimulatedBlock {

    public final long id;
    public long stamp;
    public int lengthBytes;
    public boolean underConstruction;
    public boolean deleted;
    /** DataNodes whose replica counts. */
    public final Set<String> holders = new LinkedHashSet<>();

    public SimulatedBlock(long id, long stamp, int lengthBytes) {
        this.id = id;
        this.stamp = stamp;
        this.lengthBytes = lengthBytes;
    }

    StampedBlock stamped() {
        return new StampedBlock(id, stamp, lengthBytes);
    }

    @Override
    public String toString() {
        return "blk_" + id + "_" + stamp;
    }
}
