package io.terrace.client;

import io.terrace.common.BlockKey;
import io.terrace.metrics.Metric;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The memory of this host's DataNodes as one client process sees it: which blocks are resident, and the grants held.
 * There is one for each different set of settings in a process; everything that reads shares it.
 *
 * <p>To know that a block is not in memory costs a look at the slot table of each DataNode: no allocation, no lock, no call. A
 * read of a block whose grant is held costs a hash lookup and a look at its slot. Asking for a grant costs one round
 * trip over a Unix socket, once; a block that was refused is not asked for again for a while. Thread-safe.
 */
final class LocalDataNodes {
    private static final Map<ClientConfig.Local, LocalDataNodes> ALL = new ConcurrentHashMap<>();
    private static final CopyBuffers PIECES = new CopyBuffers();
    private static final MappingBudget MAPPINGS = new MappingBudget();
    private static final UnverifiedReads UNVERIFIED = new UnverifiedReads();
    private static final long GOODBYE_MS = 500;

    private static final int MAX_REFUSED = 8192;

    private final ClientConfig.Local settings;
    private final DataNodeLinks links;
    private final GrantCache<LocalGrant, GrantKey> grants;

    private LocalDataNodes(ClientConfig.Local settings, Path directory) {
        this.settings = settings;
        this.grants =
                new GrantCache<>(TimeUnit.MILLISECONDS.toNanos(settings.refusedPauseMs()), MAX_REFUSED, this::pause);
        ReadResources limits = new ReadResources(PIECES, MAPPINGS, settings.mappedMaxBytes(), settings.reportBytes());
        String clientName = "pid " + ProcessHandle.current().pid();
        this.links = new DataNodeLinks(
                settings,
                directory,
                socket -> new DataNodeLink(
                        socket, settings, limits, clientName, grants::size, (grant, how) -> grants.forget(grant)));
    }

    /** The process's only one for these settings. */
    static LocalDataNodes of(ClientConfig.Local settings, Path directory) {
        return ALL.computeIfAbsent(settings, key -> new LocalDataNodes(key, directory));
    }

    static {
        ClientMetrics.metricRegistry().gauge(Metric.CLIENT_MAPPED_BYTES, MAPPINGS::mappedBytes);
        ClientMetrics.metricRegistry().gauge(Metric.CLIENT_GRANTS, () -> ALL.values().stream()
                .mapToLong(memory -> memory.grants.size())
                .sum());
        ClientMetrics.metricRegistry().gauge(Metric.CLIENT_CONNECTIONS, () -> ALL.values().stream()
                .mapToLong(memory -> memory.links.size())
                .sum());
        // Reports the last reads and says goodbye, so the DataNodes know that this was no crash.
        Runtime.getRuntime().addShutdownHook(new Thread(LocalDataNodes::closeAll, "terrace-goodbye"));
    }

    static void flushAll() {
        ALL.values().forEach(memory -> memory.links.reportSoon());
    }

    /** Gives every grant back and forgets all connections; the next read starts anew. */
    static void closeAll() {
        ALL.values().forEach(memory -> memory.links.close(GOODBYE_MS));
    }

    /**
     * A grant to read the block through; null when stock HDFS is to read it, which is counted.
     *
     * @param visibleBytes where the reader's range ends; a shorter extent is no use to it
     */
    @Nullable
    LocalGrant grant(GrantKey key, long visibleBytes) {
        LocalGrant held = grants.usable(key);
        if (held == null) {
            held = obtain(key);
            if (held == null) {
                return null;
            }
        }
        if (held.lengthBytes() < visibleBytes) {
            return fallback(Metric.CLIENT_FALLBACK_LENGTH);
        }
        return held;
    }

    /**
     * A reader through a grant.
     *
     * @param verified whether its caller wants the checksums verified: they were when the copy was made
     */
    LocalBlockAccessor accessor(GrantKey key, long visibleBytes, LocalGrant grant, boolean verified) {
        if (!verified) {
            UNVERIFIED.add(key.block().blockId());
        }
        return new LocalBlockAccessor(this, key, visibleBytes, grant);
    }

    /**
     * Whether a caller who wants the checksums verified is to be served by stock HDFS, which is counted: the process read this
     * block from memory without, and may have found it wrong.
     */
    boolean isDistrusted(long blockId) {
        boolean distrusted = UNVERIFIED.contain(blockId);
        if (distrusted) {
            ClientMetrics.metricRegistry().increment(Metric.CLIENT_FALLBACK_UNVERIFIED);
        }
        return distrusted;
    }

    ReadBuffer readBuffer() throws CopyBuffers.NoMemoryException {
        return new ReadBuffer(PIECES);
    }

    /** Leaves the block to stock HDFS for a while. */
    void pause(GrantKey key) {
        grants.refuse(key);
    }

    /** Whether a DataNode of this host has the block in memory or on NVM, as far as its table tells. */
    boolean holds(String pool, long blockId, long generationStamp) {
        links.use();
        return links.holding(pool, blockId, generationStamp) != null;
    }

    /** Counts a block that no DataNode of this host holds. */
    void countAbsent() {
        ClientMetrics.metricRegistry()
                .increment(
                        links.isAnyOpen() ? Metric.CLIENT_FALLBACK_NOT_RESIDENT : Metric.CLIENT_FALLBACK_NO_DATANODE);
    }

    private @Nullable LocalGrant obtain(GrantKey key) {
        links.use();
        BlockKey block = key.block();
        DataNodeLink link = links.holding(block.pool(), block.blockId(), block.generationStamp());
        if (link == null) {
            countAbsent();
            return null;
        }
        if (grants.isRefused(key, System.nanoTime())) {
            return fallback(Metric.CLIENT_FALLBACK_REFUSED);
        }
        if (grants.size() >= settings.grantsMax()) {
            return fallback(Metric.CLIENT_FALLBACK_LIMIT);
        }
        return ask(key, link);
    }

    private @Nullable LocalGrant ask(GrantKey key, DataNodeLink link) {
        PendingGrant.Outcome<LocalGrant> outcome =
                grants.obtain(key, link::ask, TimeUnit.MILLISECONDS.toNanos(settings.grantTimeoutMs()));
        LocalGrant held = outcome.grant();
        return held == null ? fallback(outcome.fallback()) : held;
    }

    private static @Nullable LocalGrant fallback(Metric reason) {
        ClientMetrics.metricRegistry().increment(reason);
        return null;
    }
}
