package io.terrace.datanode.hdfs;

import io.terrace.datanode.extent.AddressSpace;
import io.terrace.datanode.extent.GrantLedger;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.jspecify.annotations.Nullable;

/**
 * The settings of the DataNode's part, read once and checked when it starts.
 *
 * <p>Sizes take Hadoop's suffixes ({@code 4g}), times Hadoop's units ({@code 10s}). A value that cannot be is an {@link
 * IllegalArgumentException} that names the key and what would do.
 */
public final class DataNodeConfig {

    public static final String ENABLED = "terrace.enabled";
    public static final String CHANNEL_DIR = "terrace.channel.dir";
    public static final String MEMORY_DIR = "terrace.datanode.memory.dir";
    public static final String MEMORY_CAPACITY = "terrace.datanode.memory.capacity";
    public static final String MEMORY_REQUIRE_TMPFS = "terrace.datanode.memory.require-tmpfs";
    public static final String MEMORY_EXTENTS_MAX = "terrace.datanode.memory.extents.max";
    public static final String COPY_THREADS = "terrace.datanode.memory.copy.threads";
    public static final String COPY_BANDWIDTH = "terrace.datanode.memory.copy.bandwidth";
    public static final String COPY_QUEUE = "terrace.datanode.memory.copy.queue";
    public static final String SCRUB_BANDWIDTH = "terrace.datanode.memory.scrub.bandwidth";
    public static final String SCRUB_INTERVAL = "terrace.datanode.memory.scrub.interval";
    public static final String DROP_SOURCE_PAGES = "terrace.datanode.memory.drop-source-pages";
    public static final String LENT_TIMEOUT = "terrace.datanode.memory.lent.timeout";
    public static final String NVM_ENABLED = "terrace.datanode.nvm.enabled";
    public static final String NVM_EXTENTS_MAX = "terrace.datanode.nvm.extents.max";
    public static final String REGION_SIZE = "terrace.datanode.region.size";
    public static final String REGION_REST = "terrace.datanode.region.rest";
    public static final String GRANTS_MAX = "terrace.datanode.grants.max";
    public static final String GRANTS_PER_PEER_MAX = "terrace.datanode.grants.per-peer.max";
    public static final String GRANT_LEASE = "terrace.datanode.grants.lease";
    public static final String GRANT_DEADLINE = "terrace.datanode.grants.deadline";
    public static final String HEARTBEAT_INTERVAL = "terrace.datanode.heartbeat.interval";
    public static final String HEARTBEAT_SOONEST = "terrace.datanode.heartbeat.interval.min";
    public static final String HEARTBEAT_TIMEOUT = "terrace.datanode.heartbeat.timeout";
    public static final String HEAT_BLOCKS_MAX = "terrace.datanode.heat.blocks.max";

    public static final String METRICS_ADDRESS = "terrace.datanode.metrics.address";

    public static final String MEMORY_DIR_PER_DATANODE = "terrace.datanode.memory.dir.per-datanode";
    public static final String PROMOTE_AT_ONCE = "terrace.datanode.promote.at-once";

    private static final long LONGEST_MS = TimeUnit.DAYS.toMillis(30);
    private static final int MOST_EXTENTS = 1 << 22;

    private final Configuration conf;

    /** Reads from this configuration. */
    public DataNodeConfig(Configuration conf) {
        this.conf = conf;
    }

    /** Looks at every setting once, so that a bad value is found at start. */
    public DataNodeConfig check() {
        memoryDir();
        memoryDirPerDataNode();
        capacityBytes();
        extentsMax();
        copyThreads();
        copyBytesPerSecond();
        copyQueue();
        scrubBytesPerSecond();
        scrubIntervalMs();
        dropSourcePages();
        requireTmpfs();
        lentTimeoutNs();
        nvmEnabled();
        nvmExtentsMax();
        regionBytes();
        regionRestNs();
        grantLimits();
        heartbeatIntervalMs();
        heartbeatSoonestMs();
        heartbeatTimeoutMs();
        heatBlocksMax();
        if (regionBytes() < 2 * capacityBytes()) {
            throw new IllegalArgumentException(REGION_SIZE + "=" + regionBytes() + " must be at least twice "
                    + MEMORY_CAPACITY + "=" + capacityBytes());
        }
        return this;
    }

    /** For tests: blocks are copied to memory when they are finalised or first read. */
    public boolean promotesAtOnce() {
        return bool(PROMOTE_AT_ONCE, false);
    }

    /** For tests: DataNodes that share a configuration have a memory directory each, below {@link #memoryDir}. */
    public boolean memoryDirPerDataNode() {
        return bool(MEMORY_DIR_PER_DATANODE, false);
    }

    /** The settings for tests that are on. */
    public List<String> testSwitches() {
        return Stream.of(PROMOTE_AT_ONCE, MEMORY_DIR_PER_DATANODE)
                .filter(key -> bool(key, false))
                .toList();
    }

    /** The whole switch. */
    public boolean enabled() {
        return bool(ENABLED, true);
    }

    /** Where local clients find the socket of this DataNode; null means that there are only stock readers. */
    public @Nullable Path channelDir() {
        String dir = conf.getTrimmed(CHANNEL_DIR, "");
        return dir.isEmpty() ? null : absolute(CHANNEL_DIR, dir);
    }

    /** The tmpfs directory of the memory tier. */
    public Path memoryDir() {
        String dir = conf.getTrimmed(MEMORY_DIR, "");
        if (dir.isEmpty()) {
            throw new IllegalArgumentException(MEMORY_DIR + " is not set: name a directory on a tmpfs mount");
        }
        return absolute(MEMORY_DIR, dir);
    }

    /** What the memory tier may hold. */
    public long capacityBytes() {
        if (conf.getTrimmed(MEMORY_CAPACITY, "").isEmpty()) {
            throw new IllegalArgumentException(MEMORY_CAPACITY + " is not set: say how much memory, for example 4g");
        }
        return bytes(MEMORY_CAPACITY, 0, AddressSpace.PAGE_BYTES, 1L << 50);
    }

    /** Whether a directory outside memory is refused. */
    public boolean requireTmpfs() {
        return bool(MEMORY_REQUIRE_TMPFS, true);
    }

    /** How many copies there may be. */
    public int extentsMax() {
        return number(MEMORY_EXTENTS_MAX, 65536, 1, MOST_EXTENTS);
    }

    /** Copies made at one time. */
    public int copyThreads() {
        return number(COPY_THREADS, 2, 1, 64);
    }

    /** This DataNode's own limit on making copies; 0 is none. */
    public long copyBytesPerSecond() {
        return bytes(COPY_BANDWIDTH, 0, 0, 1L << 50);
    }

    /** Orders that may wait. */
    public int copyQueue() {
        return number(COPY_QUEUE, 4096, 1, 1 << 20);
    }

    /** How fast copies are checked in the background; 0 turns the scrub off. */
    public long scrubBytesPerSecond() {
        return bytes(SCRUB_BANDWIDTH, 8 << 20, 0, 1L << 50);
    }

    /** The least time from one scrub of all copies to the next. */
    public long scrubIntervalMs() {
        return timeMs(SCRUB_INTERVAL, TimeUnit.HOURS.toMillis(1), 1, LONGEST_MS);
    }

    /** Whether the page cache of a replica is dropped once a copy of it is live. */
    public boolean dropSourcePages() {
        return bool(DROP_SOURCE_PAGES, true);
    }

    /** How long bytes count as used after retirement because a stock client holds their descriptor. */
    public long lentTimeoutNs() {
        long stock = conf.getLong(
                DFSConfigKeys.DFS_DATANODE_CACHE_REVOCATION_TIMEOUT_MS,
                DFSConfigKeys.DFS_DATANODE_CACHE_REVOCATION_TIMEOUT_MS_DEFAULT);
        return ns(timeMs(LENT_TIMEOUT, stock, 0, LONGEST_MS));
    }

    /** Whether replicas on NVM are granted as they are. */
    public boolean nvmEnabled() {
        return bool(NVM_ENABLED, true);
    }

    /** How many replicas on NVM may be granted. */
    public int nvmExtentsMax() {
        return number(NVM_EXTENTS_MAX, 16_384, 1, MOST_EXTENTS);
    }

    /** The virtual range, in whole pages. */
    public long regionBytes() {
        long bytes = bytes(REGION_SIZE, 16L << 40, 2L * AddressSpace.PAGE_BYTES, 1L << 60);
        return bytes / AddressSpace.PAGE_BYTES * AddressSpace.PAGE_BYTES;
    }

    /** How long an address rests. */
    public long regionRestNs() {
        return ns(timeMs(REGION_REST, 10_000, 0, LONGEST_MS));
    }

    /** What the ledger admits. */
    public GrantLedger.Limits grantLimits() {
        return new GrantLedger.Limits(
                number(GRANTS_MAX, 262_144, 1, 1 << 24),
                number(GRANTS_PER_PEER_MAX, 16_384, 1, 1 << 24),
                ns(timeMs(GRANT_LEASE, 60_000, 100, LONGEST_MS)),
                ns(timeMs(GRANT_DEADLINE, 5_000, 10, LONGEST_MS)),
                PLAUSIBLE_BYTES_PER_SECOND,
                PLAUSIBLE_READS_PER_SECOND);
    }

    /** No process reads faster from memory: some times what one memory channel of a server gives. */
    private static final long PLAUSIBLE_BYTES_PER_SECOND = 64L << 30;

    /** No process reads more often: some times what the fastest read path here does on one core, for many cores. */
    private static final long PLAUSIBLE_READS_PER_SECOND = 20_000_000;

    /** Between heartbeats without news. */
    public long heartbeatIntervalMs() {
        return timeMs(HEARTBEAT_INTERVAL, 1_000, 10, 60_000);
    }

    /** Between heartbeats with news. */
    public long heartbeatSoonestMs() {
        return timeMs(HEARTBEAT_SOONEST, 200, 1, 60_000);
    }

    /** How long one heartbeat may take. */
    public int heartbeatTimeoutMs() {
        return (int) timeMs(HEARTBEAT_TIMEOUT, 5_000, 100, 120_000);
    }

    /** Blocks whose reads are remembered until the next heartbeat. */
    public int heatBlocksMax() {
        return number(HEAT_BLOCKS_MAX, 16_384, 16, 1 << 22);
    }

    /** Not used any more, but existing configurations may have it; empty if not. */
    public String metricsAddress() {
        return conf.getTrimmed(METRICS_ADDRESS, "");
    }

    private boolean bool(String key, boolean byDefault) {
        String value = conf.getTrimmed(key, String.valueOf(byDefault));
        if (value.equalsIgnoreCase("true") || value.equalsIgnoreCase("false")) {
            return Boolean.parseBoolean(value);
        }
        throw new IllegalArgumentException(key + "=" + value + " must be true or false");
    }

    private int number(String key, int byDefault, int least, int most) {
        String value = conf.getTrimmed(key, String.valueOf(byDefault));
        try {
            return Math.toIntExact(within(key, Long.parseLong(value), value, least, most));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(key + "=" + value + " must be a whole number", e);
        }
    }

    private long bytes(String key, long byDefault, long least, long most) {
        String value = conf.getTrimmed(key, String.valueOf(byDefault));
        long bytes;
        try {
            bytes = conf.getLongBytes(key, byDefault);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(key + "=" + value + " must be a size such as 512m or 4g", e);
        }
        return within(key, bytes, value, least, most);
    }

    private long timeMs(String key, long byDefaultMs, long leastMs, long mostMs) {
        String value = conf.getTrimmed(key, byDefaultMs + "ms");
        long ms;
        try {
            ms = conf.getTimeDuration(key, byDefaultMs, TimeUnit.MILLISECONDS);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(key + "=" + value + " must be a time such as 500ms or 10s", e);
        }
        return within(key, ms, value, leastMs, mostMs);
    }

    private static long within(String key, long number, String value, long least, long most) {
        if (number < least || number > most) {
            throw new IllegalArgumentException(key + "=" + value + " must be between " + least + " and " + most);
        }
        return number;
    }

    private static Path absolute(String key, String dir) {
        Path path = Path.of(dir);
        if (!path.isAbsolute()) {
            throw new IllegalArgumentException(key + "=" + dir + " must be an absolute path");
        }
        return path.normalize();
    }

    private static long ns(long ms) {
        return TimeUnit.MILLISECONDS.toNanos(ms);
    }
}
