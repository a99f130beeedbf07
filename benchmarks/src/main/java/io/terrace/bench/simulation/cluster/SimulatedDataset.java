package io.terrace.bench.simulation.cluster;

import io.terrace.bench.simulation.kernel.Invariant;
import io.terrace.bench.simulation.kernel.MemoryChannel;
import io.terrace.bench.simulation.kernel.OsProcess;
import io.terrace.bench.simulation.kernel.Scheduler;
import io.terrace.bench.simulation.kernel.Violation;
import io.terrace.common.BlockKey;
import io.terrace.common.BlockVersion;
import io.terrace.datanode.replica.ReplicaSource;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
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

    private final Scheduler scheduler;
    private final OsProcess process;
    private final SimulatedVolumes simulatedVolumes;
    private final LongConsumer changed;
    private final LongConsumer corruptReported;

    /**
     * @param changed hears the id of a block whose replica changes, moves or goes
     * @param corruptReported brings a report of a corrupt replica to the NameNode
     */
    SimulatedDataset(
            Scheduler scheduler,
            OsProcess process,
            SimulatedVolumes simulatedVolumes,
            LongConsumer changed,
            LongConsumer corruptReported) {
        this.scheduler = scheduler;
        this.process = process;
        this.simulatedVolumes = simulatedVolumes;
        this.changed = changed;
        this.corruptReported = corruptReported;
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
        process.blockFor(READ_NS + simulatedVolumes.extraOpenNs());
        Replica replica = simulatedVolumes.find(block.key().blockId());
        if (replica == null || !replica.finalised) {
            throw new FileNotFoundException("no finalised replica of " + block.key());
        }
        return new OpenFiles(replica);
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

    public void invalidate(long blockId) {
        change(blockId, replica -> simulatedVolumes.remove(blockId));
    }

    /** A volume is taken out with all its replicas. */
    public void removeVolume(int volume) {
        for (Replica replica : simulatedVolumes.all()) {
            if (replica.volume == volume) {
                simulatedVolumes.remove(replica.blockId);
                changed.accept(replica.blockId);
            }
        }
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
            changed.accept(blockId);
            how.accept(replica);
            changed.accept(blockId);
        }
    }

    private final class OpenFiles implements OpenReplica {

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
