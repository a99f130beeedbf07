package io.terrace.bench.simulation.cluster;

import io.terrace.bench.simulation.kernel.OsProcess;
import io.terrace.datanode.hdfs.volume.MoveStorage;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The locks of a simulated dataset and the references to its volumes. One lock stands for that of the block pool and those
 * of directories. Nothing can wait for it inside a pause, so what wants it is put off.
 */
final class DatasetLocks {

    private static final long LOCKED_NS = 100_000;

    private final OsProcess process;
    /** How many have looked up a replica and have yet to open its files. */
    private final Map<Long, Integer> opening = new HashMap<>();

    private final Map<SimulatedVolume, Integer> held = new HashMap<>();
    private final Set<SimulatedVolume> leaving = new HashSet<>();
    private int locks;

    DatasetLocks(OsProcess process) {
        this.process = process;
    }

    MoveStorage.Held lock() {
        locks++;
        return () -> locks--;
    }

    boolean isLocked() {
        return locks > 0;
    }

    /** Changes replicas when nobody holds the lock: now or later. */
    void exclusively(String what, Runnable change) {
        if (isLocked()) {
            process.after(LOCKED_NS, what, () -> exclusively(what, change));
        } else {
            change.run();
        }
    }

    /** Somebody looked up a replica, and its files are open when this returns. */
    void opening(long blockId, Runnable open) {
        opening.merge(blockId, 1, Integer::sum);
        try {
            open.run();
        } finally {
            opening.computeIfPresent(blockId, (id, count) -> count == 1 ? null : count - 1);
        }
    }

    boolean isOpening(long blockId) {
        return opening.containsKey(blockId);
    }

    /** A reference to a volume, without which it may be removed. */
    Closeable hold(SimulatedVolume volume) throws IOException {
        if (leaving.contains(volume)) {
            throw new ClosedChannelException();
        }
        held.merge(volume, 1, Integer::sum);
        return () -> held.computeIfPresent(volume, (same, count) -> count == 1 ? null : count - 1);
    }

    boolean isLeaving(SimulatedVolume volume) {
        return leaving.contains(volume);
    }

    /** The volume is to be removed: false while somebody still uses it. Nobody new may. */
    boolean letGo(SimulatedVolume volume) {
        boolean free = !held.containsKey(volume) && !isLocked();
        if (free) {
            leaving.remove(volume);
        } else {
            leaving.add(volume);
        }
        return free;
    }
}
