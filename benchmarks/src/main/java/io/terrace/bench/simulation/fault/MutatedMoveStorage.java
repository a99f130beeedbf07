package io.terrace.bench.simulation.fault;

import io.terrace.bench.simulation.cluster.Replica;
import io.terrace.bench.simulation.cluster.SimulatedVolume;
import io.terrace.common.BlockVersion;
import io.terrace.datanode.hdfs.volume.MoveStep;
import io.terrace.datanode.hdfs.volume.MoveStorage;
import io.terrace.datanode.replica.DurableCopy;
import io.terrace.datanode.replica.VerifiedCopy;
import java.io.Closeable;
import java.io.IOException;
import java.util.function.Consumer;

/** Files and locks of moves with a bug, for {@link Mutations}. */
class MutatedMoveStorage implements MoveStorage<Replica, SimulatedVolume> {

    private final MoveStorage<Replica, SimulatedVolume> storage;

    private MutatedMoveStorage(MoveStorage<Replica, SimulatedVolume> storage) {
        this.storage = storage;
    }

    /** With the bug, if it is one of moves. */
    static MoveStorage<Replica, SimulatedVolume> of(Mutation mutation, MoveStorage<Replica, SimulatedVolume> storage) {
        return switch (mutation) {
            case MOVE_NOT_SYNCED -> changed(storage, copy -> copy.data.forgetSync());
            case MOVE_WRITES_ANOTHER_BYTE -> changed(storage, MutatedMoveStorage::flipOne);
            case MOVE_VERIFIES_NOTHING -> withCopies(storage, MutatedMoveStorage::unverified);
            case DIRECTORY_NOT_SYNCED -> new MutatedMoveStorage(storage) {
                @Override
                public void syncDirectory(BlockVersion block, SimulatedVolume volume, boolean parents) {
                    // Nobody does.
                }
            };
            case PUBLISHED_WITHOUT_LOCK -> new MutatedMoveStorage(storage) {
                @Override
                public Held lockPool(BlockVersion block) {
                    return () -> {};
                }
            };
            case OLD_FILES_REMOVED_EARLY -> new MutatedMoveStorage(storage) {
                @Override
                public Replica finalise(BlockVersion block, Replica old, Replica temporary, long reservedBytes)
                        throws IOException {
                    Replica moved = super.finalise(block, old, temporary, reservedBytes);
                    remove(block, old);
                    return moved;
                }
            };
            case OLD_FILES_KEPT -> new MutatedMoveStorage(storage) {
                @Override
                public void remove(BlockVersion block, Replica finalised) {
                    // They stay.
                }
            };
            default -> storage;
        };
    }

    /** Changes a copy that is whole. */
    private static MoveStorage<Replica, SimulatedVolume> changed(
            MoveStorage<Replica, SimulatedVolume> storage, Consumer<Replica> change) {
        return withCopies(storage, (replica, copying) -> {
            Replica copy = copying.run();
            change.accept(copy);
            return copy;
        });
    }

    /** A disk's bad bit comes with the copy, as if nobody had compared it with its checksum. */
    private static Replica unverified(Replica replica, Copying copying) throws IOException {
        byte[] sums = replica.meta.content();
        replica.sumUpAnew();
        try {
            return copying.run();
        } finally {
            if (replica.meta.lengthBytes() == sums.length) {
                replica.meta.truncate(0);
                replica.meta.append(sums, 0, sums.length);
            }
        }
    }

    private interface Copying {
        Replica run() throws IOException;
    }

    private interface Copies {
        Replica of(Replica replica, Copying copying) throws IOException;
    }

    private static MoveStorage<Replica, SimulatedVolume> withCopies(
            MoveStorage<Replica, SimulatedVolume> storage, Copies copies) {
        return new MutatedMoveStorage(storage) {
            @Override
            public Replica copied(
                    BlockVersion block,
                    Replica replica,
                    SimulatedVolume target,
                    VerifiedCopy copier,
                    DurableCopy.Checkpoint checkpoint)
                    throws IOException {
                return copies.of(replica, () -> super.copied(block, replica, target, copier, checkpoint));
            }
        };
    }

    private static void flipOne(Replica copy) {
        if (copy.lengthBytes() > 0) {
            copy.data.flip(copy.lengthBytes() / 2, 0);
        }
    }

    @Override
    public boolean isCurrent(BlockVersion block, Replica replica) {
        return storage.isCurrent(block, replica);
    }

    @Override
    public boolean hasOn(BlockVersion block, SimulatedVolume volume) {
        return storage.hasOn(block, volume);
    }

    @Override
    public SimulatedVolume volume(Replica replica) {
        return storage.volume(replica);
    }

    @Override
    public String id(SimulatedVolume volume) {
        return storage.id(volume);
    }

    @Override
    public Closeable hold(SimulatedVolume volume) throws IOException {
        return storage.hold(volume);
    }

    @Override
    public long metaBytes(Replica replica) {
        return storage.metaBytes(replica);
    }

    @Override
    public boolean reserve(SimulatedVolume volume, long bytes) throws IOException {
        return storage.reserve(volume, bytes);
    }

    @Override
    public void release(SimulatedVolume volume, long bytes) {
        storage.release(volume, bytes);
    }

    @Override
    public Replica copied(
            BlockVersion block,
            Replica replica,
            SimulatedVolume target,
            VerifiedCopy copier,
            DurableCopy.Checkpoint checkpoint)
            throws IOException {
        return storage.copied(block, replica, target, copier, checkpoint);
    }

    @Override
    public Replica linked(BlockVersion block, Replica replica, SimulatedVolume target) throws IOException {
        return storage.linked(block, replica, target);
    }

    @Override
    public Held lock(BlockVersion block, SimulatedVolume volume) {
        return storage.lock(block, volume);
    }

    @Override
    public Held lockPool(BlockVersion block) {
        return storage.lockPool(block);
    }

    @Override
    public boolean hasDirectory(BlockVersion block, SimulatedVolume volume) throws IOException {
        return storage.hasDirectory(block, volume);
    }

    @Override
    public Replica finalise(BlockVersion block, Replica old, Replica temporary, long reservedBytes) throws IOException {
        return storage.finalise(block, old, temporary, reservedBytes);
    }

    @Override
    public void syncDirectory(BlockVersion block, SimulatedVolume volume, boolean parents) throws IOException {
        storage.syncDirectory(block, volume, parents);
    }

    @Override
    public void publish(BlockVersion block, Replica moved) throws IOException {
        storage.publish(block, moved);
    }

    @Override
    public void moved(BlockVersion block) {
        storage.moved(block);
    }

    @Override
    public boolean awaitOpens(BlockVersion block, long timeoutMs) throws InterruptedException {
        return storage.awaitOpens(block, timeoutMs);
    }

    @Override
    public void discard(Replica temporary) {
        storage.discard(temporary);
    }

    @Override
    public void remove(BlockVersion block, Replica finalised) {
        storage.remove(block, finalised);
    }

    @Override
    public void step(MoveStep step) {
        storage.step(step);
    }
}
