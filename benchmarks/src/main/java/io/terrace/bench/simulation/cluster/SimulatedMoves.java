package io.terrace.bench.simulation.cluster;

import io.terrace.bench.simulation.kernel.Invariant;
import io.terrace.bench.simulation.kernel.OsProcess;
import io.terrace.bench.simulation.kernel.Violation;
import io.terrace.common.BlockVersion;
import io.terrace.common.StorageTier;
import io.terrace.common.TokenBucket;
import io.terrace.datanode.hdfs.volume.MoveException;
import io.terrace.datanode.hdfs.volume.MovesInProgress;
import io.terrace.datanode.hdfs.volume.VolumeMove;
import io.terrace.datanode.move.VolumeMoveQueue;
import io.terrace.datanode.replica.CorruptReplicaException;
import io.terrace.datanode.replica.VerifiedCopy;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.MoveResult;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Moves between the volumes of a simulated DataNode: real queue and real {@link VolumeMove}; what {@code ReplicaMover}
 * refuses, and stock's choice of the volume, are simulated.
 */
final class SimulatedMoves implements VolumeMoveQueue.Mover {

    private static final int WORKERS = 2;

    private final SimulatedDataNode dataNode;
    private final SimulatedVolumes volumes;
    private final OsProcess process;
    private final VolumeMoveQueue queue;
    private final TokenBucket tokenBucket;
    private final ArrayDeque<VerifiedCopy> idleWorkers = new ArrayDeque<>();
    private int workers;

    SimulatedMoves(SimulatedDataNode dataNode, TokenBucket tokenBucket) {
        this.dataNode = dataNode;
        this.volumes = dataNode.host().simulatedVolumes;
        this.process = dataNode.process();
        this.queue = new VolumeMoveQueue(this, 8, dataNode.metricRegistry());
        this.tokenBucket = tokenBucket;
    }

    VolumeMoveQueue queue() {
        return queue;
    }

    /** An operator moves a replica by hand. */
    void byHand(BlockVersion block, StorageTier to) {
        queue.submit(new VolumeMoveQueue.Order(
                block,
                to,
                () -> true,
                result -> process.say(
                        "move of %s to %s by hand: %s %s", block.key(), to, result.outcome(), result.message())));
    }

    /** An idle worker takes what waits. None begins while a lock is held: what begins inside a pause cannot wait for it. */
    void step() {
        VerifiedCopy worker = dataNode.dataset().locks().isLocked() ? null : idleWorker();
        if (worker != null) {
            while (!dataNode.dataset().locks().isLocked() && queue.step(worker)) {
                // The next one.
            }
            idleWorkers.add(worker);
        }
    }

    /** Made when it is wanted: its buffers are large, and most processes end before they need a second one. */
    private @Nullable VerifiedCopy idleWorker() {
        if (idleWorkers.isEmpty() && workers < WORKERS) {
            workers++;
            return new VerifiedCopy(tokenBucket);
        }
        return idleWorkers.poll();
    }

    @Override
    public MoveResult move(BlockVersion block, StorageTier to, VerifiedCopy copier, BooleanSupplier stillWanted) {
        MoveResult result = run(block, to, copier, stillWanted);
        Replica now = volumes.find(block.key().blockId());
        return now == null ? result : result.in(volumes.tier(now));
    }

    private MoveResult run(BlockVersion block, StorageTier to, VerifiedCopy copier, BooleanSupplier stillWanted) {
        long startNs = process.nanoTime();
        long blockId = block.key().blockId();
        try (MovesInProgress.Move move =
                dataNode.dataset().moves().begin(block.key().pool(), blockId)) {
            if (move == null) {
                return MoveResult.of(MoveOutcome.REFUSED, "the block is being moved between volumes already");
            }
            Replica replica = volumes.find(blockId);
            if (replica == null || !isSame(replica, block)) {
                return MoveResult.of(MoveOutcome.NOT_HERE, "there is " + replica);
            }
            if (!replica.finalised) {
                return MoveResult.of(MoveOutcome.REFUSED, "the replica is open");
            }
            if (volumes.tier(replica) == to) {
                return MoveResult.of(MoveOutcome.DONE, "already on " + to);
            }
            SimulatedVolume target = volumeOf(to);
            if (target == null) {
                return MoveResult.of(MoveOutcome.REFUSED, "no volume of " + to);
            }
            return to(block, replica, target, move, copier, stillWanted, startNs);
        }
    }

    private MoveResult to(
            BlockVersion block,
            Replica replica,
            SimulatedVolume target,
            MovesInProgress.Move move,
            VerifiedCopy copier,
            BooleanSupplier stillWanted,
            long startNs) {
        SimulatedMoveStorage storage = new SimulatedMoveStorage(dataNode);
        try (Closeable ignored = storage.hold(target)) {
            new VolumeMove<>(dataNode.simulatedCluster().hooks().moveStorage(storage), move, block, copier, stillWanted)
                    .to(replica, target, false);
            if (dataNode.dataset().locks().isLeaving(target)) {
                volumes.endedOnLeaving(replica.blockId);
            }
            return new MoveResult(MoveOutcome.DONE, block.lengthBytes(), process.nanoTime() - startNs, "");
        } catch (ClosedChannelException e) {
            // Stock chooses none that is being removed.
            return MoveResult.of(MoveOutcome.REFUSED, "no volume of " + target.tier());
        } catch (MoveException e) {
            return MoveResult.of(e.outcome(), String.valueOf(e.getMessage()));
        } catch (IOException e) {
            return failed(block, e);
        }
    }

    private MoveResult failed(BlockVersion block, IOException cause) {
        process.checkAlive();
        String message = String.valueOf(cause.getMessage());
        Replica now = volumes.find(block.key().blockId());
        if (now == null || !now.finalised || !isSame(now, block)) {
            return MoveResult.of(MoveOutcome.CHANGED, "the replica changed while it was moved");
        }
        if (cause instanceof CorruptReplicaException) {
            dataNode.dataset().reportCorrupt(block);
            return MoveResult.of(MoveOutcome.CORRUPT, message);
        }
        return MoveResult.of(MoveOutcome.FAILED, message);
    }

    private static boolean isSame(Replica replica, BlockVersion block) {
        return replica.stamp == block.key().generationStamp() && replica.lengthBytes() == block.lengthBytes();
    }

    private @Nullable SimulatedVolume volumeOf(StorageTier tier) {
        for (SimulatedVolume volume : volumes.volumes()) {
            if (volume.tier() == tier) {
                return volume;
            }
        }
        return null;
    }

    /** What the directory scanner does: files of no replica are there only while one is moved. */
    void scan() {
        for (SimulatedVolume volume : volumes.volumes()) {
            for (Replica replica : List.copyOf(volume.finalised().values())) {
                if (!replica.dataNamed && !isMoving(replica)) {
                    // A crash between two renames or two removals left the meta file.
                    volume.finalised().remove(replica.blockId, replica);
                } else if (volumes.find(replica.blockId) != replica
                        && !isMoving(replica)
                        && !isLeaving(replica.blockId)
                        && volumes.takeLeftByMove(replica.blockId)) {
                    foundAgain(replica, volume);
                } else {
                    Violation.unless(
                            volumes.find(replica.blockId) == replica || isMoving(replica) || isLeaving(replica.blockId),
                            Invariant.NO_FILES_LEFT,
                            "%s has files of %s on %s, and nobody moves it",
                            process.name(),
                            replica,
                            volume);
                }
            }
            for (Replica replica : volume.temporary().values()) {
                Violation.unless(
                        isMoving(replica),
                        Invariant.NO_FILES_LEFT,
                        "%s has temporary files of %s on %s, and nobody moves it",
                        process.name(),
                        replica,
                        volume);
            }
        }
    }

    /** Files that a move left, and the volume to which it went is gone. Of two copies stock keeps one. */
    private void foundAgain(Replica replica, SimulatedVolume volume) {
        if (volumes.find(replica.blockId) == null) {
            volumes.put(replica);
            dataNode.reportReceived(replica);
        } else {
            volume.finalised().remove(replica.blockId, replica);
        }
    }

    /** Whether the map has the replica on a volume that is being removed: a move has left its old files. */
    private boolean isLeaving(long blockId) {
        Replica known = volumes.find(blockId);
        return known != null && dataNode.dataset().locks().isLeaving(volumes.volume(known));
    }

    private boolean isMoving(Replica replica) {
        return dataNode.dataset().moves().isMoving(SimulatedNamespace.POOL, replica.blockId);
    }
}
