package io.terrace.datanode.hdfs;

import io.terrace.channel.server.AnnouncedBlocks;
import io.terrace.channel.server.GrantServer;
import io.terrace.channel.server.Peer;
import io.terrace.channel.server.TcpGrantServer;
import io.terrace.channel.shm.SlotTable;
import io.terrace.channel.verbs.ExtentRegistry;
import io.terrace.common.AgentThread;
import io.terrace.common.CachedValue;
import io.terrace.common.DaemonThreads;
import io.terrace.common.StorageTier;
import io.terrace.datanode.extent.AddressSpace;
import io.terrace.datanode.extent.AnnouncedSlots;
import io.terrace.datanode.extent.Extent;
import io.terrace.datanode.extent.GrantLedger;
import io.terrace.datanode.extent.GrantRecord;
import io.terrace.datanode.extent.LocalTier;
import io.terrace.datanode.extent.SharedSlots;
import io.terrace.datanode.extent.WatchedFiles;
import io.terrace.datanode.grant.RoutingGrantService;
import io.terrace.datanode.grant.TierGrantService;
import io.terrace.datanode.hdfs.dataset.BlockTokens;
import io.terrace.datanode.hdfs.dataset.NvmVolumes;
import io.terrace.datanode.hdfs.dataset.StockMetrics;
import io.terrace.datanode.nvm.LocalLinkDirectories;
import io.terrace.datanode.nvm.NvmExtentListener;
import io.terrace.datanode.nvm.NvmExtents;
import io.terrace.datanode.nvm.NvmLinks;
import io.terrace.datanode.nvm.NvmSlots;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.protocol.proto.DataNodeProtos.TierProto;
import io.terrace.protocol.proto.DataNodeProtos.TierStateProto;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The replicas on NVM that clients are granted as they are, with all parts wired. There is one in each DataNode that serves
 * other hosts, or its own host in directories of NVM, since a volume of NVM may be added at any time; without one it does
 * nothing. Links are removed by a thread of its own: a volume that hangs must stop nothing else.
 */
final class NvmService implements Closeable {

    private static final Logger LOG = LoggerFactory.getLogger(NvmService.class);
    private static final long IDLE_SECONDS = 10;
    private static final long TURN_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long STOP_WAIT_MS = 5_000;
    private static final long CAPACITY_NS = 10_000_000_000L;

    private final LocalLinkDirectories directories;
    private final NvmLinks links;
    private final WatchedFiles files;
    private final NvmSlots slots;
    private final ThreadPoolExecutor verifier;
    private final AgentThread turns;
    private final LocalTier tier;
    private final NvmExtents extents;
    private final TierGrantService grantService;
    private final @Nullable TierGrantService localGrantService;
    private final CachedValue<Long> capacityBytes;
    /** Whether the DataNode has a volume of this tier, as of the last turn. */
    private volatile boolean hasVolume;

    private volatile @Nullable TcpGrantServer server;
    private volatile @Nullable GrantServer localServer;

    /** Grants nothing before {@link #servedBy}. */
    NvmService(
            GrantServers.Parts parts,
            BlockTokens tokens,
            NvmVolumes volumes,
            SlotTable table,
            AnnouncedBlocks announced) {
        DataNode datanode = parts.datanode();
        DataNodeConfig settings = parts.settings();
        MetricRegistry metricRegistry = parts.metricRegistry();
        MemoryTier memory = parts.memory();
        GrantLedger.Limits limits = settings.grantLimits();
        directories = new LocalLinkDirectories(settings.nvmLocalDirs(), volumes::all);
        directories.open();
        links = new NvmLinks(directories);
        files = new WatchedFiles(links);
        slots = new NvmSlots(
                new SharedSlots(table),
                table.slots(),
                new AnnouncedSlots(announced, table.slots()),
                links::opensHere,
                settings.nvmLocal(),
                metricRegistry);
        capacityBytes = new CachedValue<>(volumes::capacityBytes, CAPACITY_NS, System::nanoTime);
        lookForVolume();
        turns = new AgentThread(
                "terrace-nvm-turns-" + datanode.getDatanodeUuid(), this::turn, TURN_NS, System::nanoTime);
        tier = new LocalTier(
                // Extents take no memory: their number is the limit, and the addresses that there are.
                new LocalTier.Limits(settings.regionBytes(), settings.nvmExtentsMax(), 0),
                new AddressSpace(memory.regionEnd(), settings.regionBytes(), settings.regionRestNs()),
                new GrantLedger(limits, RoutingGrantService.FIRST_NVM_GRANT),
                files,
                slots,
                new NvmExtentListener(metricRegistry, turns::wake),
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
                // Without such a volume a read does without the lock of the look-up.
                (pool, blockId) -> hasVolume ? parts.replicas().onNvm(pool, blockId) : null,
                parts.source(),
                links,
                parts.tokenBucket(),
                limits.leaseNs(),
                verifier,
                metricRegistry,
                System::nanoTime);
        memory.listener().listen((block, resident, pinned) -> {
            if (resident) {
                extents.superseded(block.key());
            }
        });
        grantService = grantService(parts, tokens, links::oneTimeLink);
        localGrantService = settings.nvmLocal() ? grantService(parts, tokens, this::localLink) : null;
        metricRegistry.gauge(Metric.NVM_EXTENTS, () -> tier.usage().extents());
        metricRegistry.gauge(Metric.NVM_EXTENT_BYTES, () -> tier.usage().usedBytes());
        metricRegistry.gauge(Metric.NVM_GRANTS, () -> tier.usage().grants());
    }

    private TierGrantService grantService(
            GrantServers.Parts parts, BlockTokens tokens, TierGrantService.ExtentLinks extentLinks) {
        return new TierGrantService(
                tier,
                StorageTier.NVM,
                extentLinks,
                tokens,
                parts.accessRecorder(),
                new StockMetrics(parts.datanode().getMetrics()),
                parts.metricRegistry(),
                System::nanoTime);
    }

    private String localLink(Extent extent) throws TierGrantService.NoLinkException {
        // A client asks without having seen a slot that is not in its table, and would check somebody else's.
        if (!slots.isInTable(extent.slot())) {
            throw new TierGrantService.NoLinkException(extent + " is for clients of other hosts only");
        }
        try {
            return links.localLink(extent);
        } catch (IOException e) {
            throw new TierGrantService.NoLinkException(
                    extent + " cannot be linked for clients of this host: " + e.getMessage(), e);
        }
    }

    /**
     * Who serves the grants, which begin now.
     *
     * @param ofThisHost those of {@link #localGrantService}
     * @param ofOtherHosts those of {@link #grantService}; null when no other host is served
     */
    void servedBy(GrantServer ofThisHost, @Nullable TcpGrantServer ofOtherHosts) {
        localServer = ofThisHost;
        server = ofOtherHosts;
        turns.start();
    }

    /** RDMA reads too, until an extent's link is removed. */
    void registeredBy(ExtentRegistry registered) {
        files.beforeRemoval(extent -> registered.freed(extent.key(), extent.address()));
        extents.removeInTurns();
    }

    /** Where clients of other hosts are given grants on NVM. */
    TierGrantService grantService() {
        return grantService;
    }

    /** Where clients of this host are; null when they are given none. */
    @Nullable
    TierGrantService localGrantService() {
        return localGrantService;
    }

    /** What the operator should repair so that clients of this host read NVM; empty when nothing is known to be wrong. */
    String problem() {
        return localGrantService == null ? "" : directories.problem();
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

    private void lookForVolume() {
        hasVolume = capacityBytes.get() > 0;
    }

    private int turn(long nowNs) {
        lookForVolume();
        return extents.turn(nowNs, this::revoke);
    }

    private void revoke(GrantRecord grant) {
        TcpGrantServer remote = server;
        Peer peer = grantService.peer(grant.peer());
        if (remote != null && peer != null) {
            remote.revoke(peer, grant.id(), grant.extentRetires());
        }
        GrantServer local = localServer;
        Peer localPeer = localGrantService == null ? null : localGrantService.peer(grant.peer());
        if (local != null && localPeer != null) {
            local.revoke(
                    localPeer, grant.id(), grant.extent().slot(), grant.extent().sequence());
        }
    }

    /** After everybody who serves from the links has stopped. */
    @Override
    public void close() {
        extents.close();
        // Not interrupted, as housekeeping of memory.
        turns.close(false, STOP_WAIT_MS);
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
