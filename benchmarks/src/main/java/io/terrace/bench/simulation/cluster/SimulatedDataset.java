package io.terrace.bench.simulation.cluster;

import io.terrace.bench.simulation.kernel.Invariant;
import io.terrace.bench.simulation.kernel.MemoryChannel;
import io.terrace.bench.simulation.kernel.OsProcess;
import io.terrace.bench.simulation.kernel.Scheduler;
import io.terrace.bench.simulation.kernel.Violation;
import io.terrace.common.BlockKey;
import io.terrace.common.BlockVersion;
import io.terrace.datanode.hdfs.volume.MovesInProgress;
import io.terrace.datanode.replica.ReplicaSource;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Simulates the DataNode's dataset: the finalised replicas as {@code DatasetReplicas} shows them, and every way a
 * replica can change, with the calls that {@code TerraceDataset} makes before and after.
 */
public final class SimulatedDataset implements ReplicaSource {

    private static final long READ_NS = 200_000;
    private static final long LONGEST_QUEUE_NS = 20_000_000;

    private final Scheduler scheduler;
    private final OsProcess process;
    private final SimulatedVolumes simulatedVolumes;
    private final ClusterHooks hooks;
    private final LongConsumer changed;
    private final LongConsumer corruptReported;
    private final Consumer<Replica> deleted;
    private final MovesInProgress moves = new MovesInProgress();
    /** Blocks whose replicas wait to be deleted, and since when. */
    private final Map<Long, Long> deletions = new HashMap<>();

    private final DatasetLocks locks;

    /**
     * @param changed hears the id of a block whose replica changes, moves or goes
     * @param corruptReported brings a report of a corrupt replica to the NameNode
     * @param deleted tells the NameNode that a replica is gone
     */
    SimulatedDataset(
            Scheduler scheduler,
            OsProcess process,
            SimulatedVolumes simulatedVolumes,
            ClusterHooks hooks,
            LongConsumer changed,
            LongConsumer corruptReported,
            Consumer<Replica> deleted) {
        this.scheduler = scheduler;
        this.process = process;
        this.simulatedVolumes = simulatedVolumes;
        this.hooks = hooks;
        this.locks = new DatasetLocks(process);
        this.changed = changed;
        this.corruptReported = corruptReported;
        this.deleted = deleted;
    }

    @Override
    public @Nullable BlockVersion find(String pool, long blockId) {
        Replica replica = simulatedVolumes.find(blockId);
        return replica == null || !replica.finalised
                ? null
                : new BlockVersion(new BlockKey(pool, blockId, replica.stamp), replica.lengthBytes());
    }

    @Override
    public OpenReplica open(BlockVersion block) throws IOException {
        long blockId = block.key().blockId();
        Replica replica = simulatedVolumes.find(blockId);
        locks.opening(blockId, () -> process.blockFor(READ_NS + simulatedVolumes.extraOpenNs()));
        if (replica == null || !replica.finalised || !simulatedVolumes.hasFiles(replica)) {
            replica = again(block);
        }
        return files(replica);
    }

    /** Whoever finds no files looks the replica up once more: it may have been moved. */
    private Replica again(BlockVersion block) throws IOException {
        Replica replica = simulatedVolumes.find(block.key().blockId());
        if (replica == null || !replica.finalised) {
            throw new FileNotFoundException("no finalised replica of " + block.key());
        }
        Violation.unless(
                simulatedVolumes.hasFiles(replica),
                Invariant.FILES_FOUND,
                "%s has %s in its map, and a reader finds no files",
                process.name(),
                replica);
        return replica;
    }

    OpenFiles files(Replica replica) {
        return new OpenFiles(replica);
    }

    MovesInProgress moves() {
        return moves;
    }

    DatasetLocks locks() {
        return locks;
    }

    /** Whether the block's replica waits to be deleted, and somebody wanted this since then. */
    boolean isDeletedSince(long blockId, long sinceNs) {
        return deletions.getOrDefault(blockId, -1L) > sinceNs;
    }

    @Override
    public boolean ifUnchanged(BlockVersion block, BooleanSupplier action) {
        process.checkAlive();
        return has(block) && action.getAsBoolean();
    }

    @Override
    public void reportCorrupt(BlockVersion block) {
        BlockKey key = block.key();
        process.checkAlive();
        Replica replica = simulatedVolumes.finalised(key.blockId(), key.generationStamp());
        Violation.unless(
                replica != null && simulatedVolumes.isCorrupt(replica),
                Invariant.HEALTHY_NOT_REPORTED,
                "%s reported %s, of which it has %s",
                process.name(),
                key,
                replica);
        corruptReported.accept(key.blockId());
    }

    /** A new replica; its bytes are all there once it is finalised. */
    public void write(long blockId, long stamp, byte[] content) {
        simulatedVolumes.create(blockId, stamp, content);
    }

    /** Appending begins: the finalised replica is under construction again. */
    public void beginAppend(long blockId, long newStamp) {
        rewrite(blockId, replica -> {
            replica.finalised = false;
            replica.stamp = newStamp;
        });
    }

    /** More bytes arrive; their checksums follow a moment later, as a pipeline writes them. */
    public void lengthen(long blockId, byte[] content) {
        Replica replica = simulatedVolumes.find(blockId);
        if (replica != null) {
            replica.become(content);
            process.after(scheduler.between(0, 1_000_000), "sum up", replica::sumUp);
        }
    }

    public void finalise(long blockId) {
        Replica replica = simulatedVolumes.find(blockId);
        if (replica != null) {
            replica.sumUp();
            replica.finalised = true;
        }
    }

    /** Block recovery: another stamp, perhaps cut shorter. */
    public void recover(long blockId, long newStamp, byte[] content) {
        rewrite(blockId, replica -> {
            replica.stamp = newStamp;
            replica.become(content);
            replica.sumUp();
            replica.finalised = true;
        });
    }

    /** Deletes the replica soon, as stock's queue of deletions does. */
    public void invalidate(long blockId) {
        if (hooks.deletionsEndMoves()) {
            endMove(blockId);
        }
        changed.accept(blockId);
        long askedNs = scheduler.nowNs();
        locks.exclusively("invalidate", () -> queueDeletion(blockId, askedNs));
    }

    private void queueDeletion(long blockId, long askedNs) {
        Replica replica = simulatedVolumes.find(blockId);
        if (replica == null) {
            return;
        }
        deletions.putIfAbsent(blockId, askedNs);
        int volume = replica.volume;
        long stamp = replica.stamp;
        process.after(
                scheduler.between(0, LONGEST_QUEUE_NS),
                "delete",
                () -> locks.exclusively("delete", () -> delete(blockId, stamp, volume)));
    }

    private void delete(long blockId, long stamp, int volume) {
        deletions.remove(blockId);
        Replica replica = simulatedVolumes.find(blockId);
        if (replica == null || replica.stamp != stamp) {
            return;
        }
        if (replica.volume != volume) {
            // It was moved while the deletion waited.
            invalidate(blockId);
            return;
        }
        simulatedVolumes.remove(blockId);
        changed.accept(blockId);
        deleted.accept(replica);
    }

    /** A volume is taken out with all its replicas, once no move uses it. */
    public void removeVolume(int number, Runnable removed) {
        SimulatedVolume volume = simulatedVolumes.volumes().get(number);
        if (!locks.letGo(volume)) {
            process.after(LONGEST_QUEUE_NS, "remove volume", () -> removeVolume(number, removed));
            return;
        }
        List<Replica> gone = simulatedVolumes.all();
        gone.removeIf(replica -> replica.volume != number);
        simulatedVolumes.empty(number);
        gone.forEach(replica -> changed.accept(replica.blockId));
        removed.run();
    }

    private void endMove(long blockId) {
        moves.veto(SimulatedNamespace.POOL, blockId, "the replica changed while it was moved");
    }

    /**
     * Changes a replica if its last chunk can be read. A corrupt one is given up, as an append or a recovery would do.
     */
    private void rewrite(long blockId, Consumer<Replica> how) {
        change(blockId, replica -> {
            if (replica.finalised && simulatedVolumes.isCorrupt(replica)) {
                simulatedVolumes.remove(blockId);
            } else {
                how.accept(replica);
            }
        });
    }

    private void change(long blockId, Consumer<Replica> how) {
        Replica replica = simulatedVolumes.find(blockId);
        if (replica != null) {
            endMove(blockId);
            changed.accept(blockId);
            how.accept(replica);
            changed.accept(blockId);
        }
    }

    final class OpenFiles implements OpenReplica {

        private final MemoryChannel data;
        private final MemoryChannel meta;

        OpenFiles(Replica replica) {
            data = MemoryChannel.opened(process, replica.data, false, bytes -> {
                process.blockFor(scheduler.between(READ_NS / 4, READ_NS * 4));
                if (simulatedVolumes.isFailing(replica.volume)) {
                    throw new IOException("Input/output error");
                }
                // Short reads, so that a copy takes several steps and other events run in between.
                return scheduler.oneIn(2)
                        ? bytes
                        : Math.max(1, scheduler.random().nextInt(bytes) + 1);
            });
            meta = MemoryChannel.opened(process, replica.meta, false, bytes -> bytes);
        }

        @Override
        public FileChannel data() {
            return data;
        }

        @Override
        public ReadableByteChannel meta() {
            return meta;
        }

        @Override
        public void dropPages() {
            process.checkAlive();
        }

        @Override
        public void close() throws IOException {
            data.close();
            meta.close();
        }
    }
}
