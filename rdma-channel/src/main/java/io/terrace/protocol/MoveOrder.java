package io.terrace.protocol;

import io.terrace.common.BlockVersion;
import io.terrace.common.StorageTier;
import org.jspecify.annotations.Nullable;

/**
 * A move that a placement service asks a DataNode for.
 *
 * @param moveId unique in its epoch
 * @param epoch of the service that gives the order
 * @param from the tier that the block leaves; null for the one where HDFS put the replica, which the wire does not name
 * @param to the tier that the block enters; null as in {@code from}
 * @param bytesPerSecond the most that the DataNode's copies may take together; 0 for no limit
 */
public record MoveOrder(
        long moveId,
        long epoch,
        BlockVersion block,
        @Nullable StorageTier from,
        @Nullable StorageTier to,
        long bytesPerSecond) {

    /** Asks for a verified memory copy; any other order asks to drop it. */
    public boolean isPromotion() {
        return to == StorageTier.MEMORY;
    }
}
