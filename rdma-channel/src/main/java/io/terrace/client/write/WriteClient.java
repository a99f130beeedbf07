package io.terrace.client.write;

import io.terrace.client.ClientConfig;
import io.terrace.client.landing.WindowConnector;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.io.Closeable;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.util.DataChecksum;
import org.jspecify.annotations.Nullable;

/**
 * Writes of one file system. Those of a process that have the same settings share connections, and what is known of the speed of
 * DataNodes; what a NameNode refuses, each learns for itself. The memory of frames, and the limit of closed files that are still
 * sent, are those of the whole process. Thread-safe.
 */
public final class WriteClient implements Closeable {
    private static final Map<ClientConfig, WriteClient> SHARED = new ConcurrentHashMap<>();
    private static final long HEAP_SHARE = 10;

    /** Closed files that are still sent; each has its thread. */
    private static final int MOST_UNFINISHED = 64;

    static final Semaphore UNFINISHED = new Semaphore(MOST_UNFINISHED);

    private static @Nullable FramePool pool;

    private final FramePool frames;
    private final WriteConnections connections;
    private final MetricRegistry metricRegistry;
    private final PipelineLimit pipelineLimit;
    private final ClientConfig.Through through;
    private final NodeSpeeds speeds;
    private final FirstExchange firstExchange;
    private final boolean closesEarly;

    private WriteClient(FramePool frames, ClientConfig settings, MetricRegistry metricRegistry) {
        this.frames = frames;
        this.speeds = new NodeSpeeds();
        this.pipelineLimit = new PipelineLimit(settings.write().pipelinesMax());
        this.through = settings.write().through();
        this.closesEarly = settings.write().closesEarly();
        this.firstExchange =
                new FirstExchange(speeds, settings.write().firstExchangePercent(), () -> ThreadLocalRandom.current()
                        .nextInt(100));
        this.connections =
                new WriteConnections(settings, WindowConnector.of(settings.remote(), metricRegistry), metricRegistry);
        this.metricRegistry = metricRegistry;
        metricRegistry.gauge(
                Metric.CLIENT_WRITE_CLOSED_UNFINISHED, () -> MOST_UNFINISHED - UNFINISHED.availablePermits());
    }

    /** Shares all with another one but what that has learned of its NameNode. */
    private WriteClient(WriteClient shared) {
        this.frames = shared.frames;
        this.connections = shared.connections;
        this.metricRegistry = shared.metricRegistry;
        this.pipelineLimit = shared.pipelineLimit.fresh();
        this.through = shared.through;
        this.speeds = shared.speeds;
        this.firstExchange = shared.firstExchange;
        this.closesEarly = shared.closesEarly;
    }

    /** One for a file system with these settings. The first of a process says how much memory frames may take. */
    public static WriteClient of(ClientConfig settings, MetricRegistry metricRegistry) {
        return new WriteClient(SHARED.computeIfAbsent(
                settings, fresh -> new WriteClient(pool(fresh, metricRegistry), fresh, metricRegistry)));
    }

    /** One that shares no connections, for whoever closes it. */
    public static WriteClient ofItsOwn(ClientConfig settings, MetricRegistry metricRegistry) {
        return new WriteClient(pool(settings, metricRegistry), settings, metricRegistry);
    }

    private static synchronized FramePool pool(ClientConfig settings, MetricRegistry metricRegistry) {
        FramePool known = pool;
        if (known == null) {
            long most = Runtime.getRuntime().maxMemory() / HEAP_SHARE;
            FramePool fresh = new FramePool(
                    Math.min(settings.write().retainedMaxBytes(), most),
                    () -> metricRegistry.increment(Metric.CLIENT_WRITE_RETAINED_WAITS));
            metricRegistry.gauge(Metric.CLIENT_WRITE_RETAINED_BYTES, fresh::lentBytes);
            pool = fresh;
            known = fresh;
        }
        return known;
    }

    /** Whether a file with these checksums can be written. */
    public static boolean knows(DataChecksum checksum) {
        return ChunkSummer.knows(checksum.getChecksumType())
                && DataFrame.roomBytes(FramePool.SMALLEST_BYTES, checksum.getBytesPerChecksum()) > 0;
    }

    /**
     * A file to write.
     *
     * @param path of it
     * @param checksum of a type that is known
     * @param syncBlocks whether each block is to be on the disk before it counts as written
     * @param replicated whether blocks have more than one replica
     */
    public FileOutput open(
            StockStreamer stock,
            String path,
            DataChecksum checksum,
            long blockBytes,
            boolean syncBlocks,
            boolean replicated) {
        FileSender sender = new FileSender(
                frames, connections, stock, metricRegistry, speeds, replicated, pipelineLimit, through.of(path));
        return new FileOutput(sender, frames, ChunkSummer.of(checksum), blockBytes, syncBlocks);
    }

    /** Lets a new block begin at another DataNode of its pipeline, where that one is known to be faster. */
    public void exchangeFirst(DatanodeInfo[] nodes, StorageType[] types, String[] storages) {
        if (firstExchange.exchange(nodes, types, storages, System.nanoTime())) {
            metricRegistry.increment(Metric.CLIENT_WRITE_FIRST_EXCHANGED);
        }
    }

    /** Whether a DataNode is on this host, or nobody knows. */
    public static boolean isLocal(DatanodeInfo node) {
        return FirstExchange.isLocal(node);
    }

    /** Whether a file is closed once the NameNode accepts it, not when all DataNodes have all of it. */
    public boolean closesEarly() {
        return closesEarly;
    }

    /**
     * Leaves a file to its streamer, which goes on until all DataNodes have all of it. Nobody writes to it any more, and the
     * NameNode has accepted it.
     *
     * @return false where too many files are; all DataNodes are to be waited for
     */
    public boolean leaveUnfinished(FileOutput closed) {
        if (!UNFINISHED.tryAcquire()) {
            metricRegistry.increment(Metric.CLIENT_WRITE_CLOSED_WAITED);
            return false;
        }
        metricRegistry.increment(Metric.CLIENT_WRITE_CLOSED_EARLY);
        closed.release(UNFINISHED::release);
        return true;
    }

    /** As {@link #leaveUnfinished}, but always: the thread that closes the file was interrupted, and waits for nobody. */
    public void leaveInterrupted(FileOutput closed) {
        metricRegistry.increment(Metric.CLIENT_WRITE_CLOSED_EARLY);
        closed.release();
    }

    PipelineLimit pipelineLimit() {
        return pipelineLimit;
    }

    /** Closes the connections that no file uses. */
    @Override
    public void close() {
        connections.closeIdle();
    }

    /** Counts a file, or the rest of one, that is left to stock. */
    public void leftToStock(Metric why) {
        metricRegistry.increment(why);
    }
}
