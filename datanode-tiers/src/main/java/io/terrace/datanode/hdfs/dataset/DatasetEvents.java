package io.terrace.datanode.hdfs.dataset;

import io.terrace.datanode.hdfs.volume.MovesInProgress;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.util.functional.CallableRaisingIOE;
import org.jspecify.annotations.Nullable;

/**
 * Tells a dataset's listener, while it has one, about pools and about every change of a replica. A change also ends a move
 * of that replica between volumes. Thread-safe.
 */
public final class DatasetEvents {

    /** Guarded by itself: the pools whose replicas are all known. */
    private final Set<String> readyPools = new HashSet<>();

    private final MovesInProgress moves;
    private volatile @Nullable DatasetListener listener;

    /** Without a listener. */
    public DatasetEvents(MovesInProgress moves) {
        this.moves = moves;
    }

    /** Who is told now; null for nobody. */
    public @Nullable DatasetListener listener() {
        return listener;
    }

    /** Tells this listener from now on, beginning with the pools that are ready. */
    public void listen(DatasetListener newListener) {
        synchronized (readyPools) {
            listener = newListener;
            readyPools.forEach(newListener::poolReady);
        }
    }

    /** Tells nobody. */
    public void unlisten() {
        listener = null;
    }

    /** All replicas of the pool are known. */
    public void poolReady(String pool) {
        synchronized (readyPools) {
            readyPools.add(pool);
            DatasetListener present = listener;
            if (present != null) {
                present.poolReady(pool);
            }
        }
    }

    /** The pool leaves this DataNode. */
    public void poolGone(String pool) {
        synchronized (readyPools) {
            readyPools.remove(pool);
            DatasetListener present = listener;
            if (present != null) {
                present.poolGone(pool);
            }
        }
    }

    /**
     * Makes a change, and tells of it before, so that nobody begins to read the old copy, and after, so that no copy made
     * in between stays.
     */
    public <T> T change(String pool, long blockId, CallableRaisingIOE<T> change) throws IOException {
        changed(pool, blockId);
        try {
            return change.apply();
        } finally {
            changed(pool, blockId);
        }
    }

    /** Makes a change of this block, as the other one does. */
    public <T> T change(ExtendedBlock block, CallableRaisingIOE<T> change) throws IOException {
        return change(block.getBlockPoolId(), block.getBlockId(), change);
    }

    /** The replica changes, or did. */
    public void changed(String pool, long blockId) {
        moves.veto(pool, blockId, "the replica changed while it was moved");
        DatasetListener present = listener;
        if (present != null) {
            present.changed(pool, blockId);
        }
    }

    /** A replica was finalised, which a client wrote or another DataNode sent. */
    public void finalised(ExtendedBlock block, boolean written) {
        DatasetListener present = listener;
        if (present != null) {
            present.finalised(block, written);
        }
    }

    /** The replica is about to be on another volume, or is; its bytes are the same. */
    public void moved(String pool, long blockId) {
        DatasetListener present = listener;
        if (present != null) {
            present.moved(pool, blockId);
        }
    }
}
