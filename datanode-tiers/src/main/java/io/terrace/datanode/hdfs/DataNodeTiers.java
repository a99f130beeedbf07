package io.terrace.datanode.hdfs;

import io.terrace.channel.shm.SlotTable;
import io.terrace.common.AgentThread;
import io.terrace.common.CachedValue;
import io.terrace.common.DaemonThreads;
import io.terrace.common.TokenBucket;
import io.terrace.conf.TerraceSettings;
import io.terrace.datanode.extent.LocalTier;
import io.terrace.datanode.hdfs.dataset.AnchoredPins;
import io.terrace.datanode.hdfs.dataset.DatasetListener;
import io.terrace.datanode.hdfs.dataset.DatasetReplicas;
import io.terrace.datanode.hdfs.dataset.DatasetWalk;
import io.terrace.datanode.hdfs.dataset.GuardedListener;
import io.terrace.datanode.hdfs.dataset.NvmVolumes;
import io.terrace.datanode.hdfs.dataset.ObservedDataset;
import io.terrace.datanode.hdfs.dataset.PassedDescriptors;
import io.terrace.datanode.hdfs.dataset.PassedMetaFiles;
import io.terrace.datanode.hdfs.dataset.ReaderAddresses;
import io.terrace.datanode.hdfs.dataset.TierDatasetListener;
import io.terrace.datanode.hdfs.dataset.TierExtension;
import io.terrace.datanode.hdfs.volume.ReplicaMover;
import io.terrace.datanode.heartbeat.AccessRecorder;
import io.terrace.datanode.heartbeat.HeartbeatExchange;
import io.terrace.datanode.heartbeat.HostDiagnostics;
import io.terrace.datanode.heartbeat.NodeIdentity;
import io.terrace.datanode.heartbeat.ReplicaOffers;
import io.terrace.datanode.heartbeat.ResizeOrders;
import io.terrace.datanode.memory.BackgroundChecks;
import io.terrace.datanode.memory.HousekeepingAgent;
import io.terrace.datanode.memory.MemoryDirectory;
import io.terrace.datanode.memory.MemorySize;
import io.terrace.datanode.memory.MemoryTierListener;
import io.terrace.datanode.memory.PinRequests;
import io.terrace.datanode.move.CopyQueue;
import io.terrace.datanode.move.EpochFence;
import io.terrace.datanode.move.MemoryCopier;
import io.terrace.datanode.move.MoveOrderExecutor;
import io.terrace.datanode.move.VolumeMoveQueue;
import io.terrace.datanode.replica.ReplicaSource;
import io.terrace.datanode.write.ClientSpeeds;
import io.terrace.datanode.writethrough.WriteThroughRules;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The memory tier of one running DataNode, with all its parts wired: made when the dataset is there, closed when the
 * DataNode stops. A part that cannot be made closes what was made before.
 */
final class DataNodeTiers implements Closeable {

    private static final Logger LOG = LoggerFactory.getLogger(DataNodeTiers.class);
    private static final long CONDITIONS_NS = 60_000_000_000L;
    private static final int DROPS_WAITING = 4_096;

    /** Between two looks of a walk over the replicas, at least. */
    private static final long OFFERS_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final long STOP_WAIT_MS = 5_000;

    private final MetricRegistry metricRegistry = new MetricRegistry();
    private final CloseStack parts;
    private final TierExtension extension;
    private final MemoryTier memory;
    private final LocalTier tier;
    private final MemoryDirectory directory;
    private final @Nullable GrantServers grants;
    private final @Nullable NvmService nvm;
    private final PinRequests pinRequests;
    private final AnchoredPins anchored;
    private final PassedDescriptors descriptors;
    private final AccessRecorder accessRecorder;
    private final ClientSpeeds clientSpeeds = new ClientSpeeds();
    private final WriteThroughRules writeThroughRules;
    private final CopyQueue promotions;
    private final DatasetReplicas replicas;
    private final MemoryTierListener tierListener;
    private final HousekeepingAgent housekeeping;
    private final BackgroundChecks checks;
    private final VolumeMoveQueue volumeMoves;
    private final boolean guarded;
    private final HeartbeatAgents services;
    private volatile boolean brokenOff;

    private DataNodeTiers(DataNode datanode, ObservedDataset dataset, DataNodeConfig settings, CloseStack parts)
            throws IOException {
        this.parts = parts;
        String name = datanode.getDatanodeUuid();
        descriptors = new PassedDescriptors(datanode.getShortCircuitRegistry());
        replicas = new DatasetReplicas(datanode, dataset, pageDropper(name));
        NvmVolumes volumes = new NvmVolumes(dataset);
        volumes.sweep();
        extension = TierExtension.find();
        if (extension != TierExtension.NONE) {
            LOG.warn(
                    "{} changes the memory tier for tests; take it off the class path",
                    extension.getClass().getName());
        }
        Path path = extension.memoryDir(settings.memoryDir(), name, datanode.getConf());
        memory = new MemoryTier(datanode, settings, path, descriptors, metricRegistry, parts);
        tier = memory.extents();
        directory = memory.directory();
        tierListener = memory.listener();
        pinRequests = new PinRequests(settings.extentsMax());
        anchored = new AnchoredPins(tier, descriptors::endAnchors, settings.lentTimeoutNs());
        accessRecorder = new AccessRecorder(metricRegistry, System::nanoTime, new ReaderAddresses());
        metricRegistry.gauge(Metric.READS_DESCRIPTORS_HELD, descriptors::held);
        writeThroughRules = new WriteThroughRules(metricRegistry);
        TokenBucket tokenBucket = TokenBucket.ofSystem(settings.copyBytesPerSecond());
        ReplicaSource source = extension.copySource(replicas, datanode.getConf());
        promotions = parts.add(new CopyQueue(
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
        Path channelDir = settings.channelDir();
        SlotTable slots = memory.slots();
        if (channelDir == null || slots == null) {
            grants = null;
            LOG.warn(
                    "{} is not set: stock readers are served from memory, clients get no grants",
                    TerraceSettings.CHANNEL_DIR.key());
        } else {
            grants = parts.add(new GrantServers(
                    new GrantServers.Parts(
                            datanode,
                            settings,
                            memory,
                            replicas,
                            source,
                            tokenBucket,
                            accessRecorder,
                            clientSpeeds,
                            writeThroughRules,
                            metricRegistry),
                    channelDir,
                    slots,
                    volumes));
        }
        nvm = grants == null ? null : grants.nvm();
        HousekeepingAgent.Revoker revoker = grants == null ? grant -> {} : grants::revoke;
        Runnable beat = slots == null ? () -> {} : () -> slots.beat(System.nanoTime());
        housekeeping = new HousekeepingAgent(
                tier, pinRequests, replicas, promotions, revoker, dataset::pinFailed, beat, System::nanoTime, name);
        housekeeping.also(nowNs -> {
            memory.unlinkedBytes().turn(nowNs);
            if (brokenOff) {
                leavePins(dataset);
            }
            return 0;
        });
        parts.add(housekeeping::close);
        tierListener.onHousekeeping(housekeeping::wake);
        tierListener.listen(pinRequests);
        checks = TierChecks.of(datanode, settings, memory, replicas, metricRegistry);
        guarded = settings.moveGuard();
        volumeMoves = parts.add(new VolumeMoveQueue(
                new OrderedMoves(dataset.mover()),
                settings.moveThreads(),
                settings.moveQueue(),
                tokenBucket,
                name,
                metricRegistry));
        services = parts.add(services(datanode, settings, tokenBucket));
        parts.add(MetricsExport.show(metricRegistry, name));
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
        parts.add(dropper::shutdownNow);
        return dropper;
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
                ReplicaMover.removesDuplicates(datanode.getConf()) ? volumeMoves : null);
        NodeIdentity identity = new NodeIdentity(
                datanode.getDatanodeUuid(),
                datanode.getDatanodeHostname(),
                datanode.getXferPort(),
                new SecureRandom().nextLong() >>> 1);
        HostDiagnostics host = new HostDiagnostics(Path.of("/"));
        HostDiagnostics.Facts facts = HostFacts.of(
                datanode,
                settings,
                directory,
                grants != null,
                this::rdmaProblem,
                nvm == null ? () -> "" : nvm::problem);
        ReplicaOffers offers = new ReplicaOffers(
                (pool, tiers) -> DatasetWalk.begin(datanode.getFSDataset(), pool, tiers),
                metricRegistry,
                System::currentTimeMillis,
                System::nanoTime);
        AgentThread walks =
                new AgentThread("terrace-offers-" + identity.datanodeUuid(), offers, OFFERS_NS, System::nanoTime);
        walks.start();
        parts.add(() -> walks.close(false, STOP_WAIT_MS));
        HeartbeatExchange.Shared shared = new HeartbeatExchange.Shared(
                identity,
                tier,
                new ResizeOrders(new MemorySize(
                        tier,
                        new MemorySize.Bounds(
                                settings.capacityBytes(), settings.capacityMaxBytes(), settings.regionBytes()),
                        directory::usableBytes)),
                orders,
                epochFence,
                accessRecorder,
                replicas::look,
                nvm == null ? List::of : nvm::state,
                new CachedValue<>(
                        () -> host.look(facts.withCapacity(tier.usage().capacityBytes())),
                        CONDITIONS_NS,
                        System::nanoTime),
                clientSpeeds,
                writeThroughRules,
                offers,
                metricRegistry,
                settings.heatBlocksMax());
        return new HeartbeatAgents(datanode, shared, settings, accessRecorder, tierListener);
    }

    /** Makes and starts everything. */
    static DataNodeTiers start(DataNode datanode, ObservedDataset dataset, DataNodeConfig settings) throws IOException {
        CloseStack made = new CloseStack();
        boolean started = false;
        try {
            DataNodeTiers service = new DataNodeTiers(datanode, dataset, settings, made);
            service.run(datanode, dataset);
            started = true;
            return service;
        } finally {
            if (!started) {
                made.close();
            }
        }
    }

    private void run(DataNode datanode, ObservedDataset dataset) {
        housekeeping.start();
        DatasetListener copies = new TierDatasetListener(
                tier,
                directory,
                new PassedMetaFiles(memory.checksums(), replicas),
                nvm == null ? null : nvm.extents(),
                pinRequests,
                anchored,
                accessRecorder,
                descriptors::invalidate,
                checks::poolReady,
                housekeeping::wake,
                System::nanoTime);
        DatasetListener extended = extension.listener(copies, tier, promotions, replicas, datanode.getConf());
        dataset.events().listen(new GuardedListener(extended, () -> breakOff(dataset)));
        if (guarded) {
            dataset.mover().guard(() -> metricRegistry.increment(Metric.VOLUME_GUARDED));
        }
        services.start();
        parts.add(() -> {
            dataset.mover().guard(null);
            dataset.events().unlisten();
            // Readers stop before the parts that serve them go.
            closeTiers();
        });
        checks.start();
        // Closed before the tier, which would refuse to adopt what is still whole.
        parts.add(checks);
    }

    /** The DataNode is stock from now on: nothing is served, and housekeeping gives the memory back. */
    private void breakOff(ObservedDataset dataset) {
        dataset.events().unlisten();
        brokenOff = true;
        dataset.mover().guard(null);
        try {
            volumeMoves.stop();
            tier.breakOff(System.nanoTime());
        } finally {
            closeNvm();
        }
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
        try {
            tier.close(System.nanoTime());
        } finally {
            closeNvm();
        }
    }

    private void closeNvm() {
        if (nvm != null) {
            nvm.extents().close();
        }
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
    String rdmaProblem() {
        return grants == null ? "" : grants.rdmaProblem();
    }

    /** Who hands out grants; null when there is no channel. */
    @Nullable
    GrantServers grants() {
        return grants;
    }

    /** Extents on NVM; null when there are none because nobody is served, or the operator wants none. */
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
        parts.close();
    }
}
