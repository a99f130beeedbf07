package io.terrace.bench.read;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.ReplicaAccessor;
import org.apache.hadoop.hdfs.ReplicaAccessorBuilder;
import org.jspecify.annotations.Nullable;

/** Declines every block: what Hadoop's own side of an accessor costs a read. */
public final class DecliningAccessorBuilder extends ReplicaAccessorBuilder {

    @Override
    public ReplicaAccessorBuilder setFileName(String fileName) {
        return this;
    }

    @Override
    public ReplicaAccessorBuilder setBlock(long blockId, String blockPoolId) {
        return this;
    }

    @Override
    public ReplicaAccessorBuilder setGenerationStamp(long genstamp) {
        return this;
    }

    @Override
    public ReplicaAccessorBuilder setVerifyChecksum(boolean verifyChecksum) {
        return this;
    }

    @Override
    public ReplicaAccessorBuilder setClientName(String clientName) {
        return this;
    }

    @Override
    public ReplicaAccessorBuilder setAllowShortCircuitReads(boolean allowShortCircuit) {
        return this;
    }

    @Override
    public ReplicaAccessorBuilder setVisibleLength(long visibleLength) {
        return this;
    }

    @Override
    public ReplicaAccessorBuilder setConfiguration(Configuration conf) {
        return this;
    }

    @Override
    public ReplicaAccessorBuilder setBlockAccessToken(byte[] token) {
        return this;
    }

    @Override
    public @Nullable ReplicaAccessor build() {
        return null;
    }
}
