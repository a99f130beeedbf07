package io.terrace.datanode.replica;

import io.terrace.common.BlockVersion;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A DataNode that has no replica at all. */
public class MissingReplicas implements ReplicaSource {
    @Override
    public @Nullable BlockVersion find(String pool, long blockId) {
        return null;
    }

    @Override
    public OpenReplica open(BlockVersion block) throws IOException {
        throw new FileNotFoundException(block.toString());
    }

    @Override
    public boolean ifUnchanged(BlockVersion block, BooleanSupplier action) {
        return false;
    }

    @Override
    public void reportCorrupt(BlockVersion block) {}
}
