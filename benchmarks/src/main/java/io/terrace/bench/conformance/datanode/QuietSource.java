package io.terrace.bench.conformance.datanode;

import io.terrace.common.BlockVersion;
import io.terrace.datanode.replica.ReplicaSource;
import java.io.IOException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The replicas, without reports of corrupt ones. A block reported before the NameNode knows its new stamp would never
 * become complete. Its readers find the damage themselves, as on stock.
 */
record QuietSource(ReplicaSource replicas) implements ReplicaSource {

    private static final Logger LOG = LoggerFactory.getLogger(QuietSource.class);

    @Override
    public @Nullable BlockVersion find(String pool, long blockId) {
        return replicas.find(pool, blockId);
    }

    @Override
    public OpenReplica open(BlockVersion block) throws IOException {
        return replicas.open(block);
    }

    @Override
    public boolean ifUnchanged(BlockVersion block, BooleanSupplier action) {
        return replicas.ifUnchanged(block, action);
    }

    @Override
    public void reportCorrupt(BlockVersion block) {
        LOG.info("{} is corrupt; not reported in tests", block.key());
    }
}
