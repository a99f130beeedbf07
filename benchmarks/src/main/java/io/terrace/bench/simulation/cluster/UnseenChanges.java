package io.terrace.bench.simulation.cluster;

import io.terrace.datanode.extent.Extent;
import io.terrace.datanode.extent.ExtentStore;
import java.io.IOException;
import java.nio.channels.FileChannel;

/**
 * Files of extents whose replica goes, now and then, when the copy is whole and not published yet, by a way that the tier
 * hears nothing of. Only a last look at the replica can find that out.
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
        // Of a loss in the calm the NameNode might hear too late for the last look at its counts.
        if (!simulatedCluster.isQuiet() && simulatedCluster.scheduler().oneIn(ONE_COPY_IN)) {
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
