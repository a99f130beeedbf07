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
 * Opens blocks for {@link TerraceAccessorBuilder}, of which Hadoop makes one for each reader: all that it comes with is a
 * configuration, and what that means is remembered here. Thread-safe.
 */
final class AccessorBindings {
    private static final Logger LOG = LoggerFactory.getLogger(AccessorBindings.class);
    private static final Map<Configuration, Binding> BINDINGS = new WeakHashMap<>();
    private static final ClientUsers USERS = new ClientUsers();

    /** So many are found without the lock: a configuration for each file system, of which a process has few. */
    private static final int MAX_QUICK = 32;

    private static volatile List<Binding> quick = List.of();

    /**
     * What a configuration means.
     *
     * @param memory null when readers with it look for none of this host
     * @param otherwise why then
     */
    record Binding(WeakReference<Configuration> of, @Nullable LocalDataNodes memory, Metric otherwise) {}

    private AccessorBindings() {}

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
            // Stock forbids it for files under construction (HDFS-2757), whatever block; LocalAccess opens the complete
            // ones.
            ClientMetrics.metricRegistry().increment(Metric.CLIENT_FALLBACK_UNDER_CONSTRUCTION);
            return null;
        }
        if (!memory.holds(asked.pool, asked.blockId, asked.generationStamp)) {
            // Before anything is made of what was asked: most blocks of a client are not there.
            memory.countAbsent();
            return null;
        }
        if (asked.verifyChecksum && memory.isDistrusted(asked.blockId)) {
            return null;
        }
        String user = USERS.of(asked.clientName);
        BlockKey block = new BlockKey(asked.pool, asked.blockId, asked.generationStamp);
        GrantKey key = new GrantKey(user, asked.token, block);
        LocalGrant grant = memory.grant(key, asked.visibleLength);
        return grant == null ? null : memory.accessor(key, asked.visibleLength, grant, asked.verifyChecksum);
    }

    private static Binding binding(Configuration conf) {
        List<Binding> known = quick;
        for (int i = 0; i < known.size(); i++) {
            if (known.get(i).of().refersTo(conf)) {
                return known.get(i);
            }
        }
        synchronized (BINDINGS) {
            Binding binding = BINDINGS.get(conf);
            if (binding == null) {
                binding = bind(conf);
                BINDINGS.put(conf, binding);
                quick = Stream.concat(Stream.of(binding), quick.stream())
                        .filter(each -> !each.of().refersTo(null))
                        .limit(MAX_QUICK)
                        .toList();
            }
            return binding;
        }
    }

    /** What it means; says so where it is wrong. */
    static Binding bind(Configuration conf) {
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
