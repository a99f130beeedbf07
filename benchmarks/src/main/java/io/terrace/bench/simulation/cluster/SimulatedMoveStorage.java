package io.terrace.bench.simulation.cluster;

import io.terrace.bench.simulation.kernel.Invariant;
import io.terrace.bench.simulation.kernel.MemoryChannel;
import io.terrace.bench.simulation.kernel.MemoryFile;
import io.terrace.bench.simulation.kernel.OsProcess;
import io.terrace.bench.simulation.kernel.Scheduler;
import io.terrace.bench.simulation.kernel.Violation;
import io.terrace.common.BlockVersion;
import io.terrace.datanode.hdfs.volume.MoveStep;
import io.terrace.datanode.hdfs.volume.MoveStorage;
import io.terrace.datanode.replica.DurableCopy;
import io.terrace.datanode.replica.VerifiedCopy;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/** The files and locks of one move between volumes of a simulated DataNode. */
final class SimulatedMoveStorage implements MoveStorage<Replica, SimulatedVolume> {

    private static final long MS = 1_000_000;
    private static final long WRITE_NS = 100_000;
    private static final int ONE_STEP_IN = 300;

    private final SimulatedDataNode dataNode;
    private final SimulatedDataset dataset;
    private final SimulatedVolumes volumes;
    private final OsProcess process;
    private final Scheduler scheduler;
    private final long beganNs;

    SimulatedMoveStorage(SimulatedDataNode dataNode) {
        this.dataNode = dataNode;
        this.dataset = dataNode.dataset();
        this.volumes = dataNode.host().simulatedVolumes;
        this.process = dataNode.process();
        this.scheduler = dataNode.simulatedCluster().scheduler();
        this.beganNs = scheduler.nowNs();
    }

    @Override
    public boolean isCurrent(BlockVersion block, Replica replica) {
        process.checkAlive();
        return volumes.find(block.key().blockId()) == replica && isOf(replica, block);
    }

    private static boolean isOf(Replica replica, BlockVersion block) {
        return replica.finalised
                && replica.stamp == block.key().generationStamp()
                && replica.lengthBytes() == block.lengthBytes();
    }

    @Override
    public boolean hasOn(BlockVersion block, SimulatedVolume volume) {
        process.checkAlive();
        Replica now = volumes.find(block.key().blockId());
        return now != null && volumes.volume(now) == volume;
    }

    @Override
    public SimulatedVolume volume(Replica replica) {
        return volumes.volume(replica);
    }

    @Override
    public String id(SimulatedVolume volume) {
        return Integer.toString(volume.number());
    }

    @Override
    public Closeable hold(SimulatedVolume volume) throws IOException {
        process.checkAlive();
        return dataset.locks().hold(volume);
    }

    @Override
    public long metaBytes(Replica replica) {
        return replica.meta.lengthBytes();
    }

    @Override
    public boolean reserve(SimulatedVolume volume, long bytes) {
        process.checkAlive();
        if (volume.freeBytes() < bytes) {
            return false;
        }
        volume.reserve(bytes);
        return true;
    }

    @Override
    public void release(SimulatedVolume volume, long bytes) {
        process.checkAlive();
        volume.reserve(-bytes);
    }

    @Override
    public Replica copied(
            BlockVersion block,
            Replica replica,
            SimulatedVolume target,
            VerifiedCopy copier,
            DurableCopy.Checkpoint checkpoint)
            throws IOException {
        Replica copy = replica.emptyCopy(target.number());
        target.temporary().put(copy.blockId, copy);
        boolean done = false;
        try (SimulatedDataset.OpenFiles source = dataset.files(replica)) {
            Path directory = Path.of("volume" + target.number(), "tmp");
            DurableCopy.run(
                    copier,
                    source.data(),
                    source.meta(),
                    block.lengthBytes(),
                    directory.resolve("data"),
                    directory.resolve("meta"),
                    checkpoint,
                    file -> opened(file.endsWith("data") ? copy.data : copy.meta, target));
            copy.finalised = true;
            step(MoveStep.COPIED);
            done = true;
            return copy;
        } finally {
            if (!done) {
                discard(copy);
            }
        }
    }

    private FileChannel opened(MemoryFile file, SimulatedVolume volume) {
        return MemoryChannel.opened(process, file, true, bytes -> {
            process.blockFor(scheduler.between(WRITE_NS / 4, WRITE_NS * 4));
            if (volume.isFailing()) {
                throw new IOException("Input/output error");
            }
            return bytes;
        });
    }

    @Override
    public Replica linked(BlockVersion block, Replica replica, SimulatedVolume target) {
        throw new UnsupportedOperationException("no two volumes are on one mount");
    }

    @Override
    public Held lock(BlockVersion block, SimulatedVolume volume) {
        process.checkAlive();
        return dataset.locks().lock();
    }

    @Override
    public Held lockPool(BlockVersion block) {
        process.checkAlive();
        return dataset.locks().lock();
    }

    @Override
    public boolean hasDirectory(BlockVersion block, SimulatedVolume volume) {
        return true;
    }

    /** Renames the meta file first, as stock does. */
    @Override
    public Replica finalise(BlockVersion block, Replica old, Replica temporary, long reservedBytes) {
        process.checkAlive();
        SimulatedVolume target = volume(temporary);
        temporary.dataNamed = false;
        temporary.nameSynced = false;
        target.finalised().put(temporary.blockId, temporary);
        process.blockFor(scheduler.between(0, WRITE_NS));
        temporary.dataNamed = true;
        target.temporary().remove(temporary.blockId, temporary);
        release(target, reservedBytes);
        return temporary;
    }

    @Override
    public void syncDirectory(BlockVersion block, SimulatedVolume volume, boolean parents) {
        process.blockFor(scheduler.between(0, MS));
        volume.syncDirectory();
    }

    @Override
    public void publish(BlockVersion block, Replica moved) {
        // The thread may have to wait for a processor while it holds the lock.
        process.blockFor(scheduler.between(0, 5 * MS));
        Replica now = volumes.find(moved.blockId);
        Violation.unless(
                now != null && now != moved && isOf(now, block),
                Invariant.CHANGE_KEPT,
                "%s puts %s in the place of %s",
                dataNode,
                moved,
                now);
        Violation.unless(
                !dataset.isDeletedSince(moved.blockId, beganNs),
                Invariant.CHANGE_KEPT,
                "%s publishes %s, which was to be deleted since the move began",
                dataNode,
                moved);
        checkBytes(block, moved);
        volumes.put(moved);
        process.say("publishes %s on %s", moved, volume(moved));
        if (dataNode.simulatedCluster().hooks().reportsMoves()) {
            dataNode.reportReceived(moved);
        }
    }

    private void checkBytes(BlockVersion block, Replica moved) {
        byte[] right = volumes.content(block.key().blockId(), block.key().generationStamp());
        Violation.unless(
                moved.data.holds(right) && moved.hasSumsOf(right),
                Invariant.REPLICAS_RIGHT,
                "%s publishes %s with %s",
                dataNode,
                moved,
                moved.data.holds(right) ? "other checksums" : "other bytes");
    }

    @Override
    public void moved(BlockVersion block) {
        process.checkAlive();
    }

    @Override
    public boolean awaitOpens(BlockVersion block, long timeoutMs) {
        long untilNs = scheduler.nowNs() + timeoutMs * MS;
        while (dataset.locks().isOpening(block.key().blockId())) {
            if (scheduler.nowNs() >= untilNs) {
                return false;
            }
            process.blockFor(10 * MS);
        }
        return true;
    }

    @Override
    public void discard(Replica temporary) {
        process.checkAlive();
        volume(temporary).temporary().remove(temporary.blockId, temporary);
    }

    /** By their names, data before meta, as stock does. */
    @Override
    public void remove(BlockVersion block, Replica finalised) {
        process.checkAlive();
        SimulatedVolume volume = volume(finalised);
        Replica there = volume.finalised().get(finalised.blockId);
        if (there != null && there.finalised) {
            there.dataNamed = false;
            process.blockFor(scheduler.between(0, WRITE_NS));
            volume.unlink(there);
        }
    }

    /** Here the process may die, or the host lose its power. */
    @Override
    public void step(MoveStep step) {
        SimulatedCluster cluster = dataNode.simulatedCluster();
        if (!cluster.isQuiet() && scheduler.oneIn(ONE_STEP_IN)) {
            process.say("ends at step %s of a move", step);
            cluster.crash(dataNode.host(), scheduler.oneIn(2));
        }
        process.checkAlive();
    }
}
