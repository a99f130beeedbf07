package io.terrace.client;

import io.terrace.common.BlockKey;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.stream.Stream;
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
    /** Configurations that readers came with lately; a process has few. */
    private static final int MAX_RECENT = 8;

    private static volatile List<Binding> recent = List.of();

    /** What a configuration means; read once, as the HDFS client reads its own settings once. */
    private record Binding(WeakReference<Configuration> of, @Nullable LocalDataNodes memory, Metric otherwise) {}

    private LocalAccess() {}

    /** Whether readers with this configuration look for memory of this host at all; says so once where it is wrong. */
    public static boolean looksForMemory(Configuration conf) {
        return binding(conf).memory() != null;
    }

    /** Whether a DataNode of this host has the block, as far as its table tells. Allocates nothing, locks nothing, calls nobody. */
    public static boolean holds(Configuration conf, String pool, long blockId, long generationStamp) {
        LocalDataNodes memory = binding(conf).memory();
        return memory != null && memory.holds(pool, blockId, generationStamp);
    }

    /** Counts a block that stock HDFS reads because no DataNode of this host has it. */
    public static void countAbsent(Configuration conf) {
        LocalDataNodes memory = binding(conf).memory();
        if (memory != null) {
            memory.countAbsent();
        }
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
        if (!memory.holds(asked.pool, asked.blockId, asked.generationStamp)) {
            // Before anything is made of what was asked: most blocks of a client are not there.
            memory.countAbsent();
            return null;
        }
        String user = USERS.of(asked.clientName);
        BlockKey block = new BlockKey(asked.pool, asked.blockId, asked.generationStamp);
        GrantKey key = new GrantKey(user, asked.token, block);
        LocalGrant grant = memory.grant(key, asked.visibleLength);
        return grant == null ? null : new LocalBlockAccessor(memory, key, asked.visibleLength, grant);
    }

    private static Binding binding(Configuration conf) {
        List<Binding> lately = recent;
        for (int i = 0; i < lately.size(); i++) {
            if (lately.get(i).of().refersTo(conf)) {
                return lately.get(i);
            }
        }
        synchronized (BINDINGS) {
            Binding known = BINDINGS.computeIfAbsent(conf, LocalAccess::bind);
            recent = Stream.concat(Stream.of(known), lately.stream())
                    .filter(binding -> !binding.of().refersTo(null))
                    .limit(MAX_RECENT)
                    .toList();
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
