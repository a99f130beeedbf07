package io.terrace.datanode.replica;

import io.terrace.common.BlockKey;
import io.terrace.common.BlockVersion;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A DataNode that has no replica at all. */
public class MissingReplicas implements ReplicaSource {
    @Override
    public long finalisedLength(BlockKey key) {
        return -1;
    }

    @Override
    public @Nullable BlockVersion find(String pool, long blockId) {
        return null;
    }

    @Override
    public OpenReplica open(BlockKey key, long lengthBytes) throws IOException {
        throw new FileNotFoundException(key.toString());
    }

    @Override
    public boolean ifUnchanged(BlockKey key, long lengthBytes, BooleanSupplier action) {
        return false;
    }

    @Override
    public void reportCorrupt(BlockKey key, long lengthBytes) {}
}
