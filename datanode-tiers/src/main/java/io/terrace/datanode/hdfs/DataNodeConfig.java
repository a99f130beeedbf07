package io.terrace.datanode.hdfs;

import io.terrace.conf.DataNodeRules;
import io.terrace.conf.Setting;
import io.terrace.conf.TerraceSettings;
import io.terrace.datanode.extent.AddressSpace;
import io.terrace.datanode.extent.GrantLedger;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a DataNode. {@link TerraceSettings} documents each key. A value that cannot be is an
 * {@link IllegalArgumentException} that names key, value and remedy.
 */
public final class DataNodeConfig {

    /** No process reads faster from memory: several times what one memory channel of a server gives. */
    private static final long PLAUSIBLE_BYTES_PER_SECOND = 64L << 30;

    /** No process reads more often: several times what the fastest read path gives on one core, for many cores. */
    private static final long PLAUSIBLE_READS_PER_SECOND = 20_000_000;

    private final Configuration conf;

    public DataNodeConfig(Configuration conf) {
        this.conf = conf;
    }

    /** Looks at every setting of a DataNode once, so that a bad value is found at start. */
    public DataNodeConfig check() {
        memoryDir();
        capacityBytes();
        for (Setting<?> setting : TerraceSettings.all()) {
            if (setting.key().startsWith("terrace.datanode.")) {
                setting.orNull(conf);
            }
        }
        for (IllegalArgumentException broken : DataNodeRules.broken(conf)) {
            throw broken;
        }
        return this;
    }

    public boolean enabled() {
        return TerraceSettings.ENABLED.get(conf);
    }

    /** Where local clients find the socket of this DataNode; null means that there are only stock readers. */
    public @Nullable Path channelDir() {
        return TerraceSettings.CHANNEL_DIR.orNull(conf);
    }

    /** The tmpfs directory of the memory tier. */
    public Path memoryDir() {
        return TerraceSettings.DATANODE_MEMORY_DIR.get(conf);
    }

    /** What the memory tier may hold. */
    public long capacityBytes() {
        return TerraceSettings.DATANODE_MEMORY_CAPACITY.get(conf);
    }

    /** What the memory tier may be changed to hold. */
    public long capacityMaxBytes() {
        Long most = TerraceSettings.DATANODE_MEMORY_CAPACITY_MAX.orNull(conf);
        return most == null ? capacityBytes() : most;
    }

    /** Whether a directory outside memory is refused. */
    public boolean requireTmpfs() {
        return TerraceSettings.DATANODE_MEMORY_REQUIRE_TMPFS.get(conf);
    }

    /** How many copies there may be. */
    public int extentsMax() {
        return TerraceSettings.DATANODE_MEMORY_EXTENTS_MAX.get(conf);
    }

    /** Copies made at one time. */
    public int copyThreads() {
        return TerraceSettings.DATANODE_MEMORY_COPY_THREADS.get(conf);
    }

    /** This DataNode's own limit on making copies; 0 is none. */
    public long copyBytesPerSecond() {
        return TerraceSettings.DATANODE_MEMORY_COPY_BANDWIDTH.get(conf);
    }

    /** Orders that may wait. */
    public int copyQueue() {
        return TerraceSettings.DATANODE_MEMORY_COPY_QUEUE.get(conf);
    }

    /** What copies may take whose blocks are being written. */
    public long writeThroughMaxBytes() {
        return TerraceSettings.DATANODE_WRITE_THROUGH_MAX.get(conf);
    }

    /** Replicas moved between volumes at one time. */
    public int moveThreads() {
        return TerraceSettings.DATANODE_MOVE_THREADS.get(conf);
    }

    /** Whether others who move are refused replicas that a range of tiers keeps. */
    public boolean moveGuard() {
        return TerraceSettings.DATANODE_MOVE_GUARD.get(conf);
    }

    /** Orders for such moves that may wait. */
    public int moveQueue() {
        return TerraceSettings.DATANODE_MOVE_QUEUE.get(conf);
    }

    /** How fast copies are checked in the background; 0 turns these checks off. */
    public long scrubBytesPerSecond() {
        return TerraceSettings.DATANODE_MEMORY_SCRUB_BANDWIDTH.get(conf);
    }

    /** The least time from one check of all copies to the next. */
    public long scrubIntervalMs() {
        return TerraceSettings.DATANODE_MEMORY_SCRUB_INTERVAL.get(conf);
    }

    /** Whether the page cache of a replica is dropped once a copy of it is live. */
    public boolean dropSourcePages() {
        return TerraceSettings.DATANODE_MEMORY_DROP_SOURCE_PAGES.get(conf);
    }

    /** How long bytes count as used after retirement because a stock client holds their descriptor. */
    public long lentTimeoutNs() {
        Long ms = TerraceSettings.DATANODE_MEMORY_LENT_TIMEOUT.orNull(conf);
        return TimeUnit.MILLISECONDS.toNanos(
                ms != null
                        ? ms
                        : conf.getLong(
                                DFSConfigKeys.DFS_DATANODE_CACHE_REVOCATION_TIMEOUT_MS,
                                DFSConfigKeys.DFS_DATANODE_CACHE_REVOCATION_TIMEOUT_MS_DEFAULT));
    }

    /** Whether replicas on NVM are granted as they are. */
    public boolean nvmEnabled() {
        return TerraceSettings.DATANODE_NVM_ENABLED.get(conf);
    }

    /** Where clients of this host open replicas on NVM; none where they are not granted any. */
    public List<Path> nvmLocalDirs() {
        return DataNodeRules.nvmLocalDirs(conf);
    }

    /** Whether replicas on NVM are granted to clients of this host. */
    public boolean nvmLocal() {
        return nvmEnabled() && channelDir() != null && !nvmLocalDirs().isEmpty();
    }

    /** How many replicas on NVM may be granted. */
    public int nvmExtentsMax() {
        return TerraceSettings.DATANODE_NVM_EXTENTS_MAX.get(conf);
    }

    /** The virtual range, in whole pages. */
    public long regionBytes() {
        return TerraceSettings.DATANODE_REGION_SIZE.get(conf) / AddressSpace.PAGE_BYTES * AddressSpace.PAGE_BYTES;
    }

    /** How long an address rests. */
    public long regionRestNs() {
        return ns(TerraceSettings.DATANODE_REGION_REST);
    }

    /** What the ledger admits. */
    public GrantLedger.Limits grantLimits() {
        return new GrantLedger.Limits(
                TerraceSettings.DATANODE_GRANTS_MAX.get(conf),
                TerraceSettings.DATANODE_GRANTS_PER_PEER_MAX.get(conf),
                ns(TerraceSettings.DATANODE_GRANTS_LEASE),
                ns(TerraceSettings.DATANODE_GRANTS_DEADLINE),
                PLAUSIBLE_BYTES_PER_SECOND,
                PLAUSIBLE_READS_PER_SECOND);
    }

    /** Between heartbeats without changes. */
    public long heartbeatIntervalMs() {
        return TerraceSettings.DATANODE_HEARTBEAT_INTERVAL.get(conf);
    }

    /** Between heartbeats with changes. */
    public long heartbeatSoonestMs() {
        return TerraceSettings.DATANODE_HEARTBEAT_INTERVAL_MIN.get(conf);
    }

    /** How long one heartbeat may take. */
    public int heartbeatTimeoutMs() {
        return Math.toIntExact(TerraceSettings.DATANODE_HEARTBEAT_TIMEOUT.get(conf));
    }

    /** Blocks whose reads are kept until the next heartbeat. */
    public int heatBlocksMax() {
        return TerraceSettings.DATANODE_HEAT_BLOCKS_MAX.get(conf);
    }

    private long ns(Setting<Long> millis) {
        return TimeUnit.MILLISECONDS.toNanos(millis.get(conf));
    }
}
