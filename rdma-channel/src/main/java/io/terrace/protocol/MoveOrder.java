package io.terrace.protocol;

import io.terrace.common.StorageTier;
import org.jspecify.annotations.Nullable;

/**
 * A move that a placement service asks a DataNode for. What kind of move it is follows from the tiers. Epoch and block pool
 * are those of the answer that brings it.
 *
 * @param moveId unique in the epoch
 * @param from the tier that the block leaves, as far as the service knows; null for the one where the replica is
 * @param to the tier that the block enters; null, with a copy that is dropped, for the one where the replica is
 * @param bytesPerSecond the most that the DataNode's copies may take together; 0 for no limit
 * @param kept a range of tiers keeps the replica there
 */
public record MoveOrder(
        long moveId,
        StampedBlock block,
        @Nullable StorageTier from,
        @Nullable StorageTier to,
        long bytesPerSecond,
        boolean kept) {

    /** An order after which nothing keeps the replica where it is. */
    public MoveOrder(
            long moveId,
            StampedBlock block,
            @Nullable StorageTier from,
            @Nullable StorageTier to,
            long bytesPerSecond) {
        this(moveId, block, from, to, bytesPerSecond, false);
    }

    /** Asks for a verified memory copy. */
    public static MoveOrder promotion(long moveId, StampedBlock block, long bytesPerSecond) {
        return new MoveOrder(moveId, block, null, StorageTier.MEMORY, bytesPerSecond);
    }

    /** Asks to retire the memory copy. */
    public static MoveOrder drop(long moveId, StampedBlock block) {
        return new MoveOrder(moveId, block, StorageTier.MEMORY, null, 0);
    }

    public boolean isPromotion() {
        return to == StorageTier.MEMORY;
    }

    /** Asks to move the replica itself to a volume of another tier; an order that is neither asks to drop the copy. */
    public boolean isVolumeMove() {
        return to != null && to != StorageTier.MEMORY;
    }
}
