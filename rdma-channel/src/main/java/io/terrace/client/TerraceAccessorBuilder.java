package io.terrace.client;

import io.terrace.compat.JvmFit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.ReplicaAccessor;
import org.apache.hadoop.hdfs.ReplicaAccessorBuilder;
import org.jspecify.annotations.Nullable;

/**
 * The way into an HDFS client: named in {@code dfs.client.replica.accessor.builder.classes}, asked before every block
 * reader, and answering null, which means stock HDFS, unless the block is resident in the memory of a DataNode of this
 * host and granted.
 *
 * <p>One is made for every positional read, so it holds nothing but what is asked for. Compiled for Java 8: in a JVM that
 * cannot load the rest of Terrace it answers null too.
 */
public final class TerraceAccessorBuilder extends ReplicaAccessorBuilder {
    private static final byte[] NO_TOKEN = new byte[0];

    String clientName = "";
    String pool = "";
    long blockId;
    long generationStamp;
    long visibleLength;
    boolean allowShortCircuit;
    boolean verifyChecksum = true;
    byte[] token = NO_TOKEN;

    @Nullable
    Configuration conf;

    @Override
    public ReplicaAccessorBuilder setFileName(String fileName) {
        return this;
    }

    @Override
    public ReplicaAccessorBuilder setBlock(long id, String blockPoolId) {
        this.blockId = id;
        this.pool = blockPoolId;
        return this;
    }

    @Override
    public ReplicaAccessorBuilder setGenerationStamp(long genstamp) {
        this.generationStamp = genstamp;
        return this;
    }

    /**
     * Memory copies are verified when they are made, and scrubbed; reads trust them. But who first wanted no checksums of HDFS
     * and then does has a reason, and gets stock HDFS.
     */
    @Override
    public ReplicaAccessorBuilder setVerifyChecksum(boolean verify) {
        this.verifyChecksum = verify;
        return this;
    }

    @Override
    public ReplicaAccessorBuilder setClientName(String name) {
        this.clientName = name;
        return this;
    }

    @Override
    public ReplicaAccessorBuilder setAllowShortCircuitReads(boolean allowed) {
        this.allowShortCircuit = allowed;
        return this;
    }

    @Override
    public ReplicaAccessorBuilder setVisibleLength(long length) {
        this.visibleLength = length;
        return this;
    }

    @Override
    public ReplicaAccessorBuilder setConfiguration(Configuration configuration) {
        this.conf = configuration;
        return this;
    }

    @Override
    public ReplicaAccessorBuilder setBlockAccessToken(byte[] blockToken) {
        this.token = blockToken;
        return this;
    }

    /** Null means stock HDFS. Never throws: Hadoop would log a warning for each read. */
    @Override
    public @Nullable ReplicaAccessor build() {
        return JvmFit.ofClient() ? AccessorBindings.open(this) : null;
    }
}
