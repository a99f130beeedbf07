package io.terrace.bench.simulation.cluster;

import io.terrace.common.StorageTier;
import io.terrace.protocol.StampedBlock;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A block in the NameNode's map. */
public final class SimulatedBlock {

    public final long id;
    public long stamp;
    public int lengthBytes;
    public boolean underConstruction;
    public boolean deleted;
    /** DataNodes whose replica counts. */
    public final Set<String> holders = new LinkedHashSet<>();
    /** The tier in which each DataNode said to have its replica. */
    private final Map<String, StorageTier> tiers = new HashMap<>();

    public SimulatedBlock(long id, long stamp, int lengthBytes) {
        this.id = id;
        this.stamp = stamp;
        this.lengthBytes = lengthBytes;
    }

    /** A DataNode says that it has a replica. */
    void heldBy(String dataNode, StorageTier tier) {
        holders.add(dataNode);
        tiers.put(dataNode, tier);
    }

    /** Where the NameNode believes the replica to be; null if it knows of none. */
    @Nullable
    public StorageTier tierOn(String dataNode) {
        return holders.contains(dataNode) ? tiers.get(dataNode) : null;
    }

    StampedBlock stamped() {
        return new StampedBlock(id, stamp, lengthBytes);
    }

    @Override
    public String toString() {
        return "blk_" + id + "_" + stamp;
    }
}
