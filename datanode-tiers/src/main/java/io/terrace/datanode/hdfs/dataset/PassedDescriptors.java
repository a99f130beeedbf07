package io.terrace.datanode.hdfs.dataset;

import io.terrace.common.BlockId;
import io.terrace.common.BlockKey;
import io.terrace.datanode.memory.PinRequests;
import org.apache.hadoop.hdfs.ExtendedBlockId;
import org.apache.hadoop.hdfs.server.datanode.ShortCircuitRegistry;

/** What stock's short-circuit registry knows of descriptors that clients hold. Thread-safe. */
public record PassedDescriptors(ShortCircuitRegistry registry) {

    /** Clients that hold descriptors of this block ask for new ones before their next read. */
    public void invalidate(BlockKey key) {
        registry.processBlockInvalidation(id(key));
    }

    /** As the other one, whatever the block's stamp. */
    public void invalidate(BlockId block) {
        registry.processBlockInvalidation(new ExtendedBlockId(block.id(), block.pool()));
    }

    /** Whether a client holds, or may yet hold, descriptors of this block. */
    public boolean isHeld(BlockKey key) {
        return registry.visit((segments, slots) -> slots.containsKey(id(key)));
    }

    /** How many of all blocks together. A client that holds some reads them without a call, so nobody sees how much. */
    public long held() {
        long[] held = {0};
        registry.visit((segments, slots) -> {
            held[0] = slots.size();
            return true;
        });
        return held[0];
    }

    /** From now on no client may anchor the block, that is, map it and skip checksums; whether none has it anchored. */
    public boolean endAnchors(PinRequests.Pin pin) {
        return registry.processBlockMunlockRequest(new ExtendedBlockId(pin.blockId(), pin.pool()));
    }

    private static ExtendedBlockId id(BlockKey key) {
        return new ExtendedBlockId(key.blockId(), key.pool());
    }
}
