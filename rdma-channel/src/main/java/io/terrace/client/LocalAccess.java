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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which memory of this host readers with one configuration look into, and accessors of the blocks there. Thread-safe.
 * Connections and grants belong to the process.
 */
public final class LocalAccess {
    private static final Logger LOG = LoggerFactory.getLogger(LocalAccess.class);
    private static final Map<Configuration, Binding> BINDINGS = new WeakHashMap<>();
    private static final ClientUsers USERS = new ClientUsers();
    private static volatile @Nullable Binding last;

    /** What a configuration means; read once, as the HDFS client reads its own settings once. */
    private record Binding(WeakReference<Configuration> of, @Nullable LocalDataNodes memory, Metric otherwise) {}

    private LocalAccess() {}

    /** Whether readers with this configuration look for memory of this host at all; says so once where it is wrong. */
    public static boolean looksForMemory(Configuration conf) {
        return binding(conf).memory() != null;
    }

    /** An accessor of the block asked for; null, counted by reason, where stock HDFS is to read. */
    static @Nullable ReplicaAccessor open(TerraceAccessorBuilder asked) {
        try {
            return granted(asked);
        } catch (IOException | RuntimeException | LinkageError e) {
            LOG.debug("No grant for block {}", asked.blockId, e);
            ClientMetrics.metricRegistry().increment(Metric.CLIENT_FALLBACK_FAILED);
            return null;
        }
    }

    private static @Nullable ReplicaAccessor granted(TerraceAccessorBuilder asked) throws IOException {
        Configuration configuration = asked.conf;
        if (configuration == null) {
            throw new IllegalStateException("no configuration");
        }
        Binding binding = binding(configuration);
        LocalDataNodes memory = binding.memory();
        if (memory == null) {
            ClientMetrics.metricRegistry().increment(binding.otherwise());
            return null;
        }
        if (!asked.allowShortCircuit) {
            // Stock forbids it for files under construction (HDFS-2757), whatever block; LocalReads asks for the
            // complete ones.
            ClientMetrics.metricRegistry().increment(Metric.CLIENT_FALLBACK_UNDER_CONSTRUCTION);
            return null;
        }
        String user = USERS.of(asked.clientName);
        BlockKey block = new BlockKey(asked.pool, asked.blockId, asked.generationStamp);
        GrantKey key = new GrantKey(user, asked.token, block);
        LocalGrant grant = memory.grant(key, asked.visibleLength);
        return grant == null ? null : new LocalBlockAccessor(memory, key, asked.visibleLength, grant);
    }

    private static Binding binding(Configuration conf) {
        Binding recent = last;
        if (recent != null && recent.of().refersTo(conf)) {
            return recent;
        }
        synchronized (BINDINGS) {
            Binding known = BINDINGS.computeIfAbsent(conf, LocalAccess::bind);
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
