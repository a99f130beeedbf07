package io.terrace.client;

import io.terrace.common.BlockKey;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.util.Map;
import java.util.WeakHashMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.ReplicaAccessor;
import org.apache.hadoop.hdfs.ReplicaAccessorBuilder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way into an HDFS client: named in {@code dfs.client.replica.accessor.builder.classes}, asked before every block
 * reader, and answering null, which means stock HDFS, unless the block is resident in the memory of a DataNode of this
 * host and granted.
 *
 * <p>One is made for every positional read, so it holds nothing: connections and grants belong to the process.
 */
public final class TerraceAccessorBuilder extends ReplicaAccessorBuilder {
    private static final Logger LOG = LoggerFactory.getLogger(TerraceAccessorBuilder.class);
    private static final Map<Configuration, Binding> BINDINGS = new WeakHashMap<>();
    private static final ClientUsers USERS = new ClientUsers();
    private static volatile @Nullable Binding last;

    /** What a configuration means; read once, as the HDFS client reads its own settings once. */
    private record Binding(WeakReference<Configuration> of, @Nullable LocalDataNodes memory, Metric otherwise) {}

    private String clientName = "";
    private String pool = "";
    private long blockId;
    private long generationStamp;
    private long visibleLength;
    private boolean allowShortCircuit;
    private byte[] token = new byte[0];
    private @Nullable Configuration conf;

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

    /** Memory copies are verified when they are made, and scrubbed; reads trust them. */
    @Override
    public ReplicaAccessorBuilder setVerifyChecksum(boolean verifyChecksum) {
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

    /** Whether readers with this configuration look for memory of this host at all; says so once where it is wrong. */
    public static boolean looksForMemory(Configuration conf) {
        return binding(conf).memory() != null;
    }

    /** Null means stock HDFS. Never throws: Hadoop would log a warning for each read. */
    @Override
    public @Nullable ReplicaAccessor build() {
        try {
            return granted();
        } catch (IOException | RuntimeException | LinkageError e) {
            LOG.debug("No grant for block {}", blockId, e);
            ClientMetrics.metricRegistry().increment(Metric.CLIENT_FALLBACK_FAILED);
            return null;
        }
    }

    private @Nullable ReplicaAccessor granted() throws IOException {
        Configuration configuration = conf;
        if (configuration == null) {
            throw new IllegalStateException("no configuration");
        }
        Binding binding = binding(configuration);
        LocalDataNodes memory = binding.memory();
        if (memory == null) {
            ClientMetrics.metricRegistry().increment(binding.otherwise());
            return null;
        }
        if (!allowShortCircuit) {
            // Stock forbids it for files under construction (HDFS-2757), whatever block; LocalReads asks for the
            // complete ones.
            ClientMetrics.metricRegistry().increment(Metric.CLIENT_FALLBACK_UNDER_CONSTRUCTION);
            return null;
        }
        String user = USERS.of(clientName);
        GrantKey key = new GrantKey(user, token, new BlockKey(pool, blockId, generationStamp));
        LocalGrant grant = memory.grant(key, visibleLength);
        return grant == null ? null : new LocalBlockAccessor(memory, key, visibleLength, grant);
    }

    private static Binding binding(Configuration conf) {
        Binding recent = last;
        if (recent != null && recent.of().refersTo(conf)) {
            return recent;
        }
        synchronized (BINDINGS) {
            Binding known = BINDINGS.computeIfAbsent(conf, TerraceAccessorBuilder::bind);
            last = known;
            return known;
        }
    }

    private static Binding bind(Configuration conf) {
        WeakReference<Configuration> of = new WeakReference<>(conf);
        try {
            ClientConfig.Local settings = ClientConfig.from(conf).local();
            Path directory = settings.channelDirectory();
            if (directory == null) {
                LOG.debug("Terrace is off in this client");
                return new Binding(of, null, Metric.CLIENT_FALLBACK_OFF);
            }
            return new Binding(of, LocalDataNodes.of(settings, directory), Metric.CLIENT_FALLBACK_OFF);
        } catch (IllegalArgumentException e) {
            LOG.error("Reads through stock HDFS only: {}", e.getMessage());
            return new Binding(of, null, Metric.CLIENT_FALLBACK_SETTINGS);
        }
    }
}
