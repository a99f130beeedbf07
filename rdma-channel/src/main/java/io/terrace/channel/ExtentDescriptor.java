package io.terrace.channel;

import io.terrace.common.BlockKey;
import io.terrace.common.StorageTier;
import java.util.Objects;

/**
 * A resident block: what it is, where its extent lies in the DataNode's region and which slot tells its state.
 *
 * @param address first byte of the extent in the region's range of addresses
 * @param lengthBytes length of the block and of its extent
 * @param slot index in the DataNode's {@code SlotTable}
 * @param sequence the slot's sequence when the extent was published; another one means another extent
 */
public record ExtentDescriptor(
        BlockKey block, StorageTier tier, long address, long lengthBytes, int slot, long sequence) {
    public ExtentDescriptor {
        Objects.requireNonNull(block, "block");
        Objects.requireNonNull(tier, "tier");
        if (lengthBytes < 0 || slot < 0 || sequence < 0) {
            throw new IllegalArgumentException("negative length, slot or sequence of " + block);
        }
    }
}
