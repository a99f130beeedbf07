package io.terrace.client;

import io.terrace.channel.shm.SocketDirectory;
import io.terrace.common.BlockKey;
import io.terrace.common.LogThrottle;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The memory of this host's DataNodes as one client process sees it: which blocks are resident, and the grants held.
 * There is one for each different set of settings in a process; everything that reads shares it.
 *
 * <p>To know that a block is not in memory costs a look at the slot table of each DataNode: no allocation, no lock, no call. A
 * read of a block whose grant is held costs a hash lookup and a look at its slot. Asking for a grant costs one round
 * trip over a Unix socket, once; a block that was refused is not asked for again for a while. Thread-safe.
 */
final class LocalDataNodes {
    private static final Logger LOG = LoggerFactory.getLogger(LocalDataNodes.class);
    private static final Map<ClientConfig.Local, LocalDataNodes> ALL = new ConcurrentHashMap<>();
    private static final CopyBuffers PIECES = new CopyBuffers();
    private static final MappingBudget MAPPINGS = new MappingBudget();
    private static final long GOODBYE_MS = 500;

    /** DataNodes of one host, at most. */
    private static final int MAX_LINKS = 64;

    private static final int MAX_REFUSED = 8192;

    private final ClientConfig.Local settings;
    private final Path directory;
    private final ReadResources limits;
    private final String clientName;
    /** Replaced by whoever scans: readers go through it by number, which allocates nothing. */
    private volatile List<DataNodeLink> links = List.of();

    private final GrantCache<LocalGrant, GrantKey> grants;
    private final ReentrantLock scanning = new ReentrantLock();
    private volatile long lastScanNs;
    private volatile boolean scanned;
    private final LogThrottle failures = LogThrottle.once();

    private LocalDataNodes(ClientConfig.Local settings, Path directory) {
        this.settings = settings;
        this.directory = directory;
        this.limits = new ReadResources(PIECES, MAPPINGS, settings.mappedMaxBytes(), settings.reportBytes());
        this.grants =
                new GrantCache<>(TimeUnit.MILLISECONDS.toNanos(settings.refusedPauseMs()), MAX_REFUSED, this::pause);
        this.clientName = "pid " + ProcessHandle.current().pid();
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
        ALL.values().forEach(memory -> memory.links.forEach(DataNodeLink::reportSoon));
    }

    /** Gives every grant back and forgets all connections; the next read starts anew. */
    static void closeAll() {
        for (LocalDataNodes memory : ALL.values()) {
            memory.links.forEach(link -> link.close(GOODBYE_MS));
            memory.links = List.of();
            memory.scanned = false;
        }
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

    ReadBuffer readBuffer() {
        return new ReadBuffer(PIECES);
    }

    /** Leaves the block to stock HDFS for a while. */
    void pause(GrantKey key) {
        grants.refuse(key);
    }

    /** Whether a DataNode of this host has the block in memory or on NVM, as far as its table tells. */
    boolean holds(String pool, long blockId, long generationStamp) {
        if (resident(pool, blockId, generationStamp) != null) {
            return true;
        }
        return scanIfDue(System.nanoTime()) && resident(pool, blockId, generationStamp) != null;
    }

    /** Counts a block that no DataNode of this host holds. */
    void countAbsent() {
        ClientMetrics.metricRegistry()
                .increment(isAnyOpen() ? Metric.CLIENT_FALLBACK_NOT_RESIDENT : Metric.CLIENT_FALLBACK_NO_DATANODE);
    }

    private @Nullable LocalGrant obtain(GrantKey key) {
        long nowNs = System.nanoTime();
        boolean unused = scanIfDue(nowNs);
        BlockKey block = key.block();
        DataNodeLink link = resident(block.pool(), block.blockId(), block.generationStamp());
        if (link == null) {
            countAbsent();
            return null;
        }
        if (grants.isRefused(key, nowNs)) {
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

    private @Nullable DataNodeLink resident(String pool, long blockId, long generationStamp) {
        List<DataNodeLink> known = links;
        for (int i = 0; i < known.size(); i++) {
            if (known.get(i).isResident(pool, blockId, generationStamp)) {
                return known.get(i);
            }
        }
        return null;
    }

    private boolean isAnyOpen() {
        List<DataNodeLink> known = links;
        for (int i = 0; i < known.size(); i++) {
            if (known.get(i).isOpen()) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether it looked. */
    private boolean scanIfDue(long nowNs) {
        if (scanned && nowNs - lastScanNs <= TimeUnit.MILLISECONDS.toNanos(settings.connectPauseMs())) {
            return false;
        }
        scan(nowNs);
        return true;
    }

    /** Looks for DataNodes that came, and drops those that went. Only the very first look waits for them to answer. */
    private void scan(long nowNs) {
        if (!scanning.tryLock()) {
            if (scanned) {
                return;
            }
            scanning.lock();
        }
        List<DataNodeLink> now = new ArrayList<>(links);
        try {
            if (scanned && nowNs - lastScanNs < TimeUnit.MILLISECONDS.toNanos(settings.connectPauseMs())) {
                return;
            }
            now.removeIf(DataNodeLink::hasEnded);
            now.forEach(link -> link.touch(nowNs));
            SocketDirectory channel = SocketDirectory.check(directory);
            for (Path socket : channel.sockets(MAX_LINKS)) {
                if (now.size() < MAX_LINKS
                        && now.stream().noneMatch(link -> link.socketPath().equals(socket))) {
                    // Not at each lookup, since it may have to resolve the owner's name.
                    channel.requireOwner(settings.owners(), SocketDirectory.ownUid());
                    DataNodeLink link = new DataNodeLink(
                            socket, settings, limits, clientName, grants::size, (grant, how) -> grants.forget(grant));
                    now.add(link);
                    link.start();
                }
            }
            if (!scanned) {
                long deadlineNs = nowNs + TimeUnit.MILLISECONDS.toNanos(settings.grantTimeoutMs());
                for (Iterator<DataNodeLink> each = now.iterator(); each.hasNext(); ) {
                    each.next().awaitOpened(deadlineNs - System.nanoTime());
                }
                now.removeIf(DataNodeLink::hasEnded);
            }
        } catch (IOException e) {
            if (failures.first()) {
                LOG.info("Reads through stock HDFS only: {}", e.toString());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            links = List.copyOf(now);
            lastScanNs = nowNs;
            scanned = true;
            scanning.unlock();
        }
    }

    private static @Nullable LocalGrant fallback(Metric reason) {
        ClientMetrics.metricRegistry().increment(reason);
        return null;
    }
}
