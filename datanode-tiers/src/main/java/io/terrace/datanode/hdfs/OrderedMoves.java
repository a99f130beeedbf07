package io.terrace.datanode.hdfs;

import io.terrace.common.BlockVersion;
import io.terrace.common.StorageTier;
import io.terrace.datanode.hdfs.volume.ReplicaMover;
import io.terrace.datanode.move.VolumeMoveQueue;
import io.terrace.datanode.replica.VerifiedCopy;
import io.terrace.protocol.MoveResult;
import java.util.function.BooleanSupplier;

/** Carries out the moves between volumes that the placement service orders. */
record OrderedMoves(ReplicaMover mover) implements VolumeMoveQueue.Mover {

    @Override
    public MoveResult move(BlockVersion block, StorageTier to, VerifiedCopy copier, BooleanSupplier stillWanted) {
        return mover.move(block, to, copier, stillWanted);
    }

    @Override
    public void keep(BlockVersion block, boolean kept) {
        mover.keep(block, kept);
    }
}
