package io.terrace.datanode.hdfs;

import io.terrace.channel.shm.SlotTable;
import io.terrace.common.CachedValue;
import io.terrace.common.DaemonThreads;
import io.terrace.common.TokenBucket;
import io.terrace.conf.TerraceSettings;
import io.terrace.datanode.extent.AddressSpace;
import io.terrace.datanode.extent.GrantLedger;
import io.terrace.datanode.extent.LocalTier;
import io.terrace.datanode.extent.SharedSlots;
import io.terrace.datanode.extent.SlotAllocator;
import io.terrace.datanode.extent.WatchedFiles;
import io.terrace.datanode.hdfs.dataset.AnchoredPins;
import io.terrace.datanode.hdfs.dataset.DatasetListener;
import io.terrace.datanode.hdfs.dataset.DatasetReplicas;
import io.terrace.datanode.hdfs.dataset.GuardedListener;
import io.terrace.datanode.hdfs.dataset.NvmVolumes;
import io.terrace.datanode.hdfs.dataset.ObservedDataset;
import io.terrace.datanode.hdfs.dataset.PassedDescriptors;
import io.terrace.datanode.hdfs.dataset.StockMetrics;
import io.terrace.datanode.hdfs.dataset.TierDatasetListener;
import io.terrace.datanode.hdfs.dataset.TierExtension;
import io.terrace.datanode.heartbeat.AccessRecorder;
import io.terrace.datanode.heartbeat.HeartbeatExchange;
import io.terrace.datanode.heartbeat.HostDiagnostics;
import io.terrace.datanode.heartbeat.NodeIdentity;
import io.terrace.datanode.memory.BackgroundChecks;
import io.terrace.datanode.memory.HousekeepingAgent;
import io.terrace.datanode.memory.LeftoverRecovery;
import io.terrace.datanode.memory.MemoryDirectory;
import io.terrace.datanode.memory.MemoryTierListener;
import io.terrace.datanode.memory.PinRequests;
import io.terrace.datanode.memory.Scrubber;
import io.terrace.datanode.memory.UnlinkedBytes;
import io.terrace.datanode.move.CopyQueue;
import io.terrace.datanode.move.EpochFence;
import io.terrace.datanode.move.MemoryCopier;
import io.terrace.datanode.move.MoveOrderExecutor;
import io.terrace.datanode.move.VolumeMoveQueue;
import io.terrace.datanode.nvm.NvmExtents;
import io.terrace.datanode.replica.ReplicaSource;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The memory tier of one running DataNode, with all its parts wired: made when the dataset is there, closed when the
 * DataNode stops. A part that cannot be made closes what was made before and is an IOException.
 */
final class DataNodeTiers implements Closeable {

    private static final Logger LOG = LoggerFactory.getLogger(DataNodeTiers.class);
    /** An extent's address is a name until verbs maps it; far from what a JVM maps by itself. */
    private static final long REGION_BASE = 0x1000_0000_0000L;

    private static final long CONDITIONS_NS = 60_000_000_000L;
    private static final int DROPS_WAITING = 4_096;

    private final MetricRegistry metricRegistry = new MetricRegistry();
    private final Deque<Closeable> toClose;
    private final TierExtension extension;
    private final LocalTier tier;
    private final MemoryDirectory directory;
    private final @Nullable GrantServers grants;
    private final @Nullable NvmService nvm;
    private final PinRequests pinRequests;
    private final AnchoredPins anchored;
    private final AccessRecorder accessRecorder;
    private final CopyQueue promotions;
    private final DatasetReplicas replicas;
    private final MemoryTierListener tierListener;
    private final HousekeepingAgent housekeeping;
    private final UnlinkedBytes unlinkedBytes;
    private final BackgroundChecks checks;
    private final VolumeMoveQueue volumeMoves;
    private final HeartbeatAgents services;
    private volatile boolean brokenOff;

    private DataNodeTiers(DataNode datanode, ObservedDataset dataset, DataNodeConfig settings, Deque<Closeable> toClose)
            throws IOException {
        this.toClose = toClose;
        String name = datanode.getDatanodeUuid();
        PassedDescriptors descriptors = new PassedDescriptors(datanode.getShortCircuitRegistry());
        replicas = new DatasetReplicas(datanode, dataset, pageDropper(name));
        NvmVolumes volumes = new NvmVolumes(dataset);
        volumes.sweep();
        extension = TierExtension.find();
        if (extension != TierExtension.NONE) {
            LOG.warn(
                    "{} changes the memory tier for tests; take it off the class path",
                    extension.getClass().getName());
        }
        directory = opened(MemoryDirectory.open(
                extension.memoryDir(settings.memoryDir(), name, datanode.getConf()), settings.requireTmpfs()));
        Path channelDir = settings.channelDir();
        SlotTable table = channelDir == null ? null : opened(slotTable(settings));
        SlotAllocator slotAllocator = table == null ? SharedSlots.NONE : new SharedSlots(table);
        tierListener = new MemoryTierListener(
                metricRegistry, descriptors::invalidate, new StockMetrics(datanode.getMetrics()));
        GrantLedger ledger = new GrantLedger(settings.grantLimits());
        WatchedFiles extentFiles = new WatchedFiles(directory);
        tier = new LocalTier(
                new LocalTier.Limits(settings.capacityBytes(), settings.extentsMax(), settings.lentTimeoutNs()),
                new AddressSpace(REGION_BASE, settings.regionBytes(), settings.regionRestNs()),
                ledger,
                extentFiles,
                slotAllocator,
                tierListener,
                descriptors::isHeld);
        pinRequests = new PinRequests(settings.extentsMax());
        anchored = new AnchoredPins(tier, descriptors::endAnchors, settings.lentTimeoutNs());
        accessRecorder = new AccessRecorder(metricRegistry, System::nanoTime);
        TokenBucket tokenBucket = TokenBucket.ofSystem(settings.copyBytesPerSecond());
        ReplicaSource source = extension.copySource(replicas, datanode.getConf());
        promotions = opened(new CopyQueue(
                tier,
                settings.copyThreads(),
                settings.copyQueue(),
                name,
                () -> new MemoryCopier(
                        tier,
                        source,
                        directory,
                        tokenBucket,
                        settings.dropSourcePages(),
                        metricRegistry,
                        System::nanoTime)));
        if (channelDir == null || table == null) {
            grants = null;
            LOG.warn(
                    "{} is not set: stock readers are served from memory, clients get no grants",
                    TerraceSettings.CHANNEL_DIR.key());
        } else {
            grants = opened(new GrantServers(
                    new GrantServers.Parts(
                            datanode, settings, tier, replicas, source, tokenBucket, accessRecorder, metricRegistry),
                    new GrantServers.MemoryFiles(directory, extentFiles),
                    channelDir,
                    table,
                    volumes,
                    REGION_BASE + settings.regionBytes(),
                    tierListener::housekeepingWanted));
        }
        nvm = grants == null ? null : grants.nvm();
        HousekeepingAgent.Revoker revoker = grants == null ? grant -> {} : grants::revoke;
        Runnable beat = table == null ? () -> {} : () -> table.beat(System.nanoTime());
        housekeeping = new HousekeepingAgent(
                tier, pinRequests, replicas, promotions, revoker, dataset::pinFailed, beat, System::nanoTime, name);
        NvmService onNvm = nvm;
        unlinkedBytes = new UnlinkedBytes(tier, directory::usedBytes, table == null ? 0 : Files.size(table.path()));
        housekeeping.also(nowNs -> {
            unlinkedBytes.turn(nowNs);
            if (brokenOff) {
                leavePins(dataset);
            }
            return onNvm == null ? 0 : onNvm.turn(nowNs);
        });
        toClose.push(housekeeping::close);
        tierListener.onHousekeeping(housekeeping::wake);
        checks = checks(datanode, settings, name);
        volumeMoves = opened(new VolumeMoveQueue(
                dataset.mover()::move,
                settings.moveThreads(),
                settings.moveQueue(),
                tokenBucket,
                name,
                metricRegistry));
        services = opened(services(datanode, settings, tokenBucket));
        gauges();
        opened(MetricsExport.show(metricRegistry, settings, name));
    }

    /** One thread and a bounded queue; what does not fit is not dropped, and the kernel forgets it in its own time. */
    private ThreadPoolExecutor pageDropper(String name) {
        ThreadPoolExecutor dropper = new ThreadPoolExecutor(
                1,
                1,
                0,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(DROPS_WAITING),
                DaemonThreads.named("terrace-pages-" + name),
                new ThreadPoolExecutor.DiscardPolicy());
        toClose.push(dropper::shutdownNow);
        return dropper;
    }

    private BackgroundChecks checks(DataNode datanode, DataNodeConfig settings, String name) throws IOException {
        LeftoverRecovery leftoverRecovery = new LeftoverRecovery(
                tier, directory, replicas, TokenBucket.ofSystem(0), metricRegistry, System::nanoTime);
        Scrubber scrub = new Scrubber(
                tier,
                directory,
                replicas,
                TokenBucket.ofSystem(settings.scrubBytesPerSecond()),
                metricRegistry,
                System::nanoTime);
        boolean scrubs = settings.scrubBytesPerSecond() > 0;
        return new BackgroundChecks(
                leftoverRecovery,
                scrub,
                scrubs,
                settings.scrubIntervalMs(),
                pool -> HeartbeatAgents.serves(datanode, pool),
                System::nanoTime,
                name);
    }

    private HeartbeatAgents services(DataNode datanode, DataNodeConfig settings, TokenBucket tokenBucket)
            throws IOException {
        EpochFence epochFence = new EpochFence();
        MoveOrderExecutor orders = new MoveOrderExecutor(
                tier,
                promotions,
                epochFence,
                tokenBucket,
                settings.copyBytesPerSecond(),
                metricRegistry,
                housekeeping::wake,
                volumeMoves);
        NodeIdentity identity = new NodeIdentity(
                datanode.getDatanodeUuid(),
                datanode.getDatanodeHostname(),
                datanode.getXferPort(),
                new SecureRandom().nextLong() >>> 1);
        HostDiagnostics host = new HostDiagnostics(Path.of("/"));
        HostDiagnostics.Facts facts = HostFacts.of(datanode, settings, directory, grants != null, rdmaTrouble());
        HeartbeatExchange.Shared shared = new HeartbeatExchange.Shared(
                identity,
                tier,
                orders,
                epochFence,
                accessRecorder,
                replicas::look,
                nvm == null ? List::of : nvm::state,
                new CachedValue<>(() -> host.look(facts), CONDITIONS_NS, System::nanoTime),
                metricRegistry,
                settings.heatBlocksMax());
        return new HeartbeatAgents(datanode, shared, settings, accessRecorder, tierListener);
    }

    /** Makes and starts everything. */
    static DataNodeTiers start(DataNode datanode, ObservedDataset dataset, DataNodeConfig settings) throws IOException {
        Deque<Closeable> made = new ArrayDeque<>();
        try {
            DataNodeTiers service = new DataNodeTiers(datanode, dataset, settings, made);
            service.run(datanode, dataset);
            return service;
        } catch (IOException | RuntimeException e) {
            closeAll(made);
            throw e;
        }
    }

    private void run(DataNode datanode, ObservedDataset dataset) {
        housekeeping.start();
        NvmExtents onNvm = nvm == null ? null : nvm.extents();
        if (onNvm != null) {
            tierListener.listen((block, resident, pinned) -> {
                if (resident) {
                    onNvm.superseded(block.key());
                }
            });
        }
        DatasetListener copies = new TierDatasetListener(
                tier,
                directory,
                onNvm,
                pinRequests,
                anchored,
                accessRecorder,
                checks::poolReady,
                housekeeping::wake,
                System::nanoTime);
        DatasetListener extended = extension.listener(copies, tier, promotions, replicas, datanode.getConf());
        dataset.watch(new GuardedListener(extended, () -> breakOff(dataset)));
        services.start();
        toClose.push(() -> {
            dataset.unwatch();
            // Readers stop before the parts that serve them go.
            closeTiers();
        });
        checks.start();
        // Closed before the tier, which would refuse to adopt what is still whole.
        toClose.push(checks);
    }

    /** The DataNode is stock from now on: nothing is served, and housekeeping gives the memory back. */
    private void breakOff(ObservedDataset dataset) {
        dataset.unwatch();
        brokenOff = true;
        volumeMoves.stop();
        tier.breakOff(System.nanoTime());
        closeNvm();
    }

    /**
     * To stock, as far as that may lock memory. The NameNode would not ask it for them: it is never told that nothing is
     * cached any more, and believes that they are.
     */
    private void leavePins(ObservedDataset dataset) {
        List<PinRequests.Pin> left = pinRequests.takeAll();
        if (dataset.getCacheCapacity() > 0) {
            left.forEach(pin -> dataset.cache(pin.pool(), new long[] {pin.blockId()}));
        }
    }

    /** Nothing is served from them any more. */
    private void closeTiers() {
        tier.close(System.nanoTime());
        closeNvm();
    }

    private void closeNvm() {
        if (nvm != null) {
            nvm.extents().close();
        }
    }

    private SlotTable slotTable(DataNodeConfig settings) throws IOException {
        Path root = directory.root();
        Set<PosixFilePermission> mode = Files.getPosixFilePermissions(root);
        if (mode.add(PosixFilePermission.OTHERS_EXECUTE) | mode.add(PosixFilePermission.GROUP_EXECUTE)) {
            // Clients pass through to the links; they cannot list.
            Files.setPosixFilePermissions(root, mode);
        }
        Path path = root.resolve("slots");
        Files.deleteIfExists(path);
        return SlotTable.create(path, 2 * settings.extentsMax(), new SecureRandom());
    }

    private void gauges() {
        metricRegistry.gauge(Metric.MEMORY_CAPACITY_BYTES, () -> tier.usage().capacityBytes());
        metricRegistry.gauge(Metric.MEMORY_USED_BYTES, () -> tier.usage().usedBytes());
        metricRegistry.gauge(Metric.MEMORY_RETIRING_BYTES, () -> tier.usage().retiringBytes());
        metricRegistry.gauge(Metric.MEMORY_KEPT_OPEN_BYTES, unlinkedBytes::bytes);
        metricRegistry.gauge(Metric.MEMORY_PINNED_BYTES, () -> tier.usage().pinnedBytes());
        metricRegistry.gauge(Metric.MEMORY_EXTENTS, () -> tier.usage().extents());
        metricRegistry.gauge(Metric.MEMORY_GRANTS, () -> tier.usage().grants());
    }

    private <C extends Closeable> C opened(C part) {
        toClose.push(part);
        return part;
    }

    /** What this DataNode counts. */
    MetricRegistry metricRegistry() {
        return metricRegistry;
    }

    /** Where copies are asked for. */
    CopyQueue promotions() {
        return promotions;
    }

    /** Why there is no RDMA although it is wanted; empty when there is, or it is not. */
    String rdmaTrouble() {
        return grants == null ? "" : grants.rdmaTrouble();
    }

    /** Extents on NVM; null when there are none because no other host is served, or the operator wants none. */
    @Nullable
    NvmService nvm() {
        return nvm;
    }

    /** The tier itself. */
    LocalTier tier() {
        return tier;
    }

    /** Copies stay in the directory for the next process; the last part made is closed first. */
    @Override
    public void close() {
        closeAll(toClose);
    }

    private static void closeAll(Deque<Closeable> parts) {
        for (Closeable part = parts.poll(); part != null; part = parts.poll()) {
            try {
                part.close();
            } catch (IOException | RuntimeException e) {
                LOG.warn("Closing a part of the memory tier", e);
            }
        }
    }
}
