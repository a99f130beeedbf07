package io.terrace.bench.simulation;

import io.terrace.placement.StampedBlock;
import java.util.LinkedHashSet;
import java.util.Set;

/** A block in the NameNode's map. */
final class Block {

    final long id;
    long stamp;
    int lengthBytes;
    boolean underConstruction;
    boolean deleted;
    /** DataNodes whose replica counts. */
    final Set<String> holders = new LinkedHashSet<>();

    Block(long id, long stamp, int lengthBytes) {
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
