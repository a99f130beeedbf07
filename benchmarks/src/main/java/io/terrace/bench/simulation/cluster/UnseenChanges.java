package io.terrace.bench.simulation.cluster;

import io.terrace.datanode.extent.Extent;
import io.terrace.datanode.extent.ExtentStore;
import java.io.IOException;
import java.nio.channels.FileChannel;

/**
 * Files of extents whose replica is sometimes removed, without notice to the tier, when the copy is complete and not
 * yet published. Only a last check of the replica can detect that.
 */
final class UnseenChanges implements ExtentStore {

    private static final int ONE_COPY_IN = 12;

    private final SimulatedCluster simulatedCluster;
    private final SimulatedDataNode dataNode;
    private final ExtentStore store;

    UnseenChanges(SimulatedCluster simulatedCluster, SimulatedDataNode dataNode, ExtentStore store) {
        this.simulatedCluster = simulatedCluster;
        this.dataNode = dataNode;
        this.store = store;
    }

    @Override
    public FileChannel create(Extent extent) throws IOException {
        return store.create(extent);
    }

    @Override
    public void seal(Extent extent) throws IOException {
        store.seal(extent);
        // After the faults, the NameNode might hear of a loss too late for the final check of its counts.
        if (!simulatedCluster.isQuiet()
                && !dataNode.dataset().locks().isLocked()
                && simulatedCluster.scheduler().oneIn(ONE_COPY_IN)) {
            dataNode.process().say("loses the replica of %s unseen", extent);
            dataNode.host().simulatedVolumes.remove(extent.key().blockId());
        }
    }

    @Override
    public FileChannel open(Extent extent) throws IOException {
        return store.open(extent);
    }

    @Override
    public boolean remove(Extent extent, boolean truncate) {
        return store.remove(extent, truncate);
    }
}
