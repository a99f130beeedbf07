package io.terrace.datanode.hdfs;

import io.terrace.channel.server.AnnouncedBlocks;
import io.terrace.channel.server.Peer;
import io.terrace.channel.server.TcpGrantServer;
import io.terrace.channel.verbs.ExtentRegistry;
import io.terrace.common.CachedValue;
import io.terrace.common.DaemonThreads;
import io.terrace.common.StorageTier;
import io.terrace.datanode.extent.AddressSpace;
import io.terrace.datanode.extent.AnnouncedSlots;
import io.terrace.datanode.extent.GrantLedger;
import io.terrace.datanode.extent.GrantRecord;
import io.terrace.datanode.extent.LocalTier;
import io.terrace.datanode.extent.WatchedFiles;
import io.terrace.datanode.grant.RoutingGrantService;
import io.terrace.datanode.grant.TierGrantService;
import io.terrace.datanode.hdfs.dataset.BlockTokens;
import io.terrace.datanode.hdfs.dataset.NvmVolumes;
import io.terrace.datanode.hdfs.dataset.StockMetrics;
import io.terrace.datanode.nvm.NvmExtentListener;
import io.terrace.datanode.nvm.NvmExtents;
import io.terrace.datanode.nvm.NvmLinks;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.protocol.proto.DataNodeProtos.TierProto;
import io.terrace.protocol.proto.DataNodeProtos.TierStateProto;
import java.io.Closeable;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The replicas on NVM that clients of other hosts are granted as they are, with all parts wired. There is one in each
 * DataNode that serves other hosts, since a volume of NVM may be added at any time; without one it has no thread and does
 * nothing.
 */
final class NvmService implements Closeable {

    private static final Logger LOG = LoggerFactory.getLogger(NvmService.class);
    private static final long IDLE_SECONDS = 10;
    private static final long CAPACITY_NS = 10_000_000_000L;

    private final NvmLinks links = new NvmLinks();
    private final WatchedFiles files = new WatchedFiles(links);
    private final ThreadPoolExecutor verifier;
    private final LocalTier tier;
    private final NvmExtents extents;
    private final TierGrantService grantService;
    private final CachedValue<Long> capacityBytes;
    private volatile @Nullable TcpGrantServer server;

    /** Grants nothing before {@link #servedBy}. */
    NvmService(GrantServers.Parts parts, BlockTokens tokens, NvmVolumes volumes, AnnouncedBlocks announced) {
        DataNode datanode = parts.datanode();
        DataNodeConfig settings = parts.settings();
        MetricRegistry metricRegistry = parts.metricRegistry();
        MemoryTier memory = parts.memory();
        GrantLedger.Limits limits = settings.grantLimits();
        capacityBytes = new CachedValue<>(volumes::capacityBytes, CAPACITY_NS, System::nanoTime);
        tier = new LocalTier(
                // Extents take no memory: their number is the limit, and the addresses that there are.
                new LocalTier.Limits(settings.regionBytes(), settings.nvmExtentsMax(), 0),
                new AddressSpace(memory.regionEnd(), settings.regionBytes(), settings.regionRestNs()),
                new GrantLedger(limits, RoutingGrantService.FIRST_NVM_GRANT),
                files,
                new AnnouncedSlots(announced),
                new NvmExtentListener(metricRegistry, memory.listener()::housekeepingWanted),
                key -> false);
        verifier = new ThreadPoolExecutor(
                1,
                1,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                DaemonThreads.named("terrace-nvm-" + datanode.getDatanodeUuid()));
        verifier.allowCoreThreadTimeOut(true);
        extents = new NvmExtents(
                tier,
                memory.extents(),
                parts.replicas(),
                parts.source(),
                links,
                parts.tokenBucket(),
                limits.leaseNs(),
                verifier,
                metricRegistry,
                System::nanoTime);
        grantService = new TierGrantService(
                tier,
                StorageTier.NVM,
                links::oneTimeLink,
                tokens,
                parts.accessRecorder(),
                new StockMetrics(datanode.getMetrics()),
                metricRegistry,
                System::nanoTime);
        metricRegistry.gauge(Metric.NVM_EXTENTS, () -> tier.usage().extents());
        metricRegistry.gauge(Metric.NVM_EXTENT_BYTES, () -> tier.usage().usedBytes());
        metricRegistry.gauge(Metric.NVM_GRANTS, () -> tier.usage().grants());
    }

    /** Who serves the grants of {@link #grantService}. */
    void servedBy(TcpGrantServer newServer) {
        server = newServer;
    }

    /** RDMA reads too, until an extent's link is removed. */
    void registeredBy(ExtentRegistry registered) {
        files.beforeRemoval(extent -> registered.freed(extent.key(), extent.address()));
        extents.removeInTurns();
    }

    /** Where grants on NVM are given. */
    TierGrantService grantService() {
        return grantService;
    }

    /** The extents. */
    NvmExtents extents() {
        return extents;
    }

    /** What heartbeats say: what is granted of all that the volumes hold. Nothing where there are none. */
    List<TierStateProto> state() {
        if (capacityBytes.get() == 0) {
            return List.of();
        }
        LocalTier.Usage usage = tier.usage();
        return List.of(TierStateProto.newBuilder()
                .setTier(TierProto.NVM)
                .setCapacityBytes(capacityBytes.get())
                .setUsedBytes(usage.usedBytes())
                .setRetiringBytes(usage.retiringBytes())
                .setExtents(usage.extents())
                .build());
    }

    /** One turn of housekeeping; the work done. */
    int turn(long nowNs) {
        return extents.turn(nowNs, this::revoke);
    }

    private void revoke(GrantRecord grant) {
        TcpGrantServer present = server;
        Peer peer = grantService.peer(grant.peer());
        if (present != null && peer != null) {
            present.revoke(peer, grant.id(), grant.extentRetires());
        }
    }

    /** After everybody who serves from the links has stopped. */
    @Override
    public void close() {
        extents.close();
        verifier.shutdownNow();
        try {
            if (!verifier.awaitTermination(IDLE_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn("The verification of a replica on NVM did not end in time");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        links.close();
    }
}
