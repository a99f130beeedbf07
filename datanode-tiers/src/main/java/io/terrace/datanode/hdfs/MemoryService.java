package io.terrace.datanode.hdfs;

import io.terrace.channel.SlotTable;
import io.terrace.datanode.Accesses;
import io.terrace.datanode.Authority;
import io.terrace.datanode.BackgroundChecks;
import io.terrace.datanode.DataNodeSettings;
import io.terrace.datanode.GrantLedger;
import io.terrace.datanode.HostConditions;
import io.terrace.datanode.Housekeeping;
import io.terrace.datanode.KeptOpen;
import io.terrace.datanode.Leftovers;
import io.terrace.datanode.MemoryDirectory;
import io.terrace.datanode.MemoryTier;
import io.terrace.datanode.MoveOrders;
import io.terrace.datanode.NodeIdentity;
import io.terrace.datanode.NvmExtents;
import io.terrace.datanode.Pace;
import io.terrace.datanode.Pins;
import io.terrace.datanode.Promotion;
import io.terrace.datanode.Promotions;
import io.terrace.datanode.Region;
import io.terrace.datanode.Remembered;
import io.terrace.datanode.ReplicaSource;
import io.terrace.datanode.Scrub;
import io.terrace.datanode.ServiceLink;
import io.terrace.datanode.SharedSlots;
import io.terrace.datanode.Slots;
import io.terrace.datanode.TierNews;
import io.terrace.datanode.WatchedFiles;
import io.terrace.metrics.Figure;
import io.terrace.metrics.Figures;
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
final class MemoryService implements Closeable {

    private static final Logger LOG = LoggerFactory.getLogger(MemoryService.class);
    /** An extent's address is a name until verbs maps it; far from what a JVM maps by itself. */
    private static final long REGION_BASE = 0x1000_0000_0000L;

    private static final long CONDITIONS_NS = 60_000_000_000L;
    private static final int DROPS_WAITING = 4_096;

    private final Figures figures = new Figures();
    private final Deque<Closeable> toClose;
    private final boolean promotesAtOnce;
    private final MemoryTier tier;
    private final MemoryDirectory directory;
    private final @Nullable GrantServers grants;
    private final @Nullable NvmService nvm;
    private final Pins pins;
    private final AnchoredPins anchored;
    private final Accesses accesses;
    private final Promotions promotions;
    private final LocalReplicas replicas;
    private final TierNews news;
    private final Housekeeping housekeeping;
    private final KeptOpen keptOpen;
    private final BackgroundChecks checks;
    private final ServiceLinks services;
    private volatile boolean brokenOff;

    private MemoryService(
            DataNode datanode, WatchedDataset dataset, DataNodeSettings settings, Deque<Closeable> toClose)
            throws IOException {
        this.toClose = toClose;
        String name = datanode.getDatanodeUuid();
        PassedDescriptors descriptors = new PassedDescriptors(datanode.getShortCircuitRegistry());
        replicas = new LocalReplicas(datanode, dataset, pageDropper(name));
        NvmVolumes volumes = new NvmVolumes(dataset);
        volumes.sweep();
        promotesAtOnce = settings.promotesAtOnce();
        settings.testSwitches().forEach(key -> LOG.warn("{} is on, which is for tests; set it to false", key));
        directory = opened(MemoryDirectory.open(memoryDir(settings, name), settings.requireTmpfs()));
        Path channelDir = settings.channelDir();
        SlotTable table = channelDir == null ? null : opened(slotTable(settings));
        Slots slots = table == null ? SharedSlots.NONE : new SharedSlots(table);
        news = new TierNews(figures, descriptors::invalidate, new StockMetrics(datanode.getMetrics()));
        GrantLedger ledger = new GrantLedger(settings.grantLimits());
        WatchedFiles extentFiles = new WatchedFiles(directory);
        tier = new MemoryTier(
                new MemoryTier.Limits(settings.capacityBytes(), settings.extentsMax(), settings.lentTimeoutNs()),
                new Region(REGION_BASE, settings.regionBytes(), settings.regionRestNs()),
                ledger,
                extentFiles,
                slots,
                news,
                descriptors::isHeld);
        pins = new Pins(settings.extentsMax());
        anchored = new AnchoredPins(tier, descriptors::endAnchors, settings.lentTimeoutNs());
        accesses = new Accesses(figures, System::nanoTime);
        Pace pace = Pace.ofSystem(settings.copyBytesPerSecond());
        ReplicaSource source = promotesAtOnce ? new PromotesAtOnce.QuietSource(replicas) : replicas;
        promotions = opened(new Promotions(
                tier,
                settings.copyThreads(),
                settings.copyQueue(),
                name,
                () -> new Promotion(
                        tier, source, directory, pace, settings.dropSourcePages(), figures, System::nanoTime)));
        if (channelDir == null || table == null) {
            grants = null;
            LOG.warn(
                    "{} is not set: stock readers are served from memory, clients get no grants",
                    DataNodeSettings.CHANNEL_DIR);
        } else {
            grants = opened(new GrantServers(
                    new GrantServers.Parts(datanode, settings, tier, replicas, source, pace, accesses, figures),
                    new GrantServers.MemoryFiles(directory, extentFiles),
                    channelDir,
                    table,
                    volumes,
                    REGION_BASE + settings.regionBytes(),
                    news::housekeepingWanted));
        }
        nvm = grants == null ? null : grants.nvm();
        Housekeeping.Revoker revoker = grants == null ? grant -> {} : grants::revoke;
        Runnable beat = table == null ? () -> {} : () -> table.beat(System.nanoTime());
        housekeeping = new Housekeeping(
                tier, pins, replicas, promotions, revoker, dataset::pinFailed, beat, System::nanoTime, name);
        NvmService onNvm = nvm;
        keptOpen = new KeptOpen(tier, directory::usedBytes, table == null ? 0 : Files.size(table.path()));
        housekeeping.also(nowNs -> {
            keptOpen.turn(nowNs);
            if (brokenOff) {
                leavePins(dataset);
            }
            return onNvm == null ? 0 : onNvm.turn(nowNs);
        });
        toClose.push(housekeeping::close);
        news.onHousekeeping(housekeeping::wake);
        checks = checks(datanode, settings, name);
        services = opened(services(datanode, settings, pace));
        gauges();
        opened(FiguresShown.show(figures, settings, name));
    }

    /** One thread and a bounded queue; what does not fit is not dropped, and the kernel forgets it in its own time. */
    private ThreadPoolExecutor pageDropper(String name) {
        ThreadPoolExecutor dropper = new ThreadPoolExecutor(
                1,
                1,
                0,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(DROPS_WAITING),
                work -> {
                    Thread thread = new Thread(work, "terrace-pages-" + name);
                    thread.setDaemon(true);
                    return thread;
                },
                new ThreadPoolExecutor.DiscardPolicy());
        toClose.push(dropper::shutdownNow);
        return dropper;
    }

    private BackgroundChecks checks(DataNode datanode, DataNodeSettings settings, String name) throws IOException {
        Leftovers leftovers = new Leftovers(tier, directory, replicas, Pace.ofSystem(0), figures, System::nanoTime);
        Scrub scrub = new Scrub(
                tier, directory, replicas, Pace.ofSystem(settings.scrubBytesPerSecond()), figures, System::nanoTime);
        boolean scrubs = settings.scrubBytesPerSecond() > 0;
        return new BackgroundChecks(
                leftovers,
                scrub,
                scrubs,
                settings.scrubIntervalMs(),
                pool -> ServiceLinks.serves(datanode, pool),
                System::nanoTime,
                name);
    }

    private ServiceLinks services(DataNode datanode, DataNodeSettings settings, Pace pace) throws IOException {
        Authority authority = new Authority();
        MoveOrders orders = new MoveOrders(
                tier, promotions, authority, pace, settings.copyBytesPerSecond(), figures, housekeeping::wake);
        NodeIdentity identity = new NodeIdentity(
                datanode.getDatanodeUuid(),
                datanode.getDatanodeHostname(),
                datanode.getXferPort(),
                new SecureRandom().nextLong() >>> 1);
        HostConditions host = new HostConditions(Path.of("/"));
        HostConditions.Facts facts = StockFacts.of(datanode, settings, directory, grants != null, rdmaTrouble());
        ServiceLink.Shared shared = new ServiceLink.Shared(
                identity,
                tier,
                orders,
                authority,
                accesses,
                replicas::look,
                nvm == null ? List::of : nvm::state,
                new Remembered<>(() -> host.look(facts), CONDITIONS_NS, System::nanoTime),
                figures,
                settings.heatBlocksMax());
        return new ServiceLinks(datanode, shared, settings, accesses, news);
    }

    /** Makes and starts everything. */
    static MemoryService start(DataNode datanode, WatchedDataset dataset, DataNodeSettings settings)
            throws IOException {
        Deque<Closeable> made = new ArrayDeque<>();
        try {
            MemoryService service = new MemoryService(datanode, dataset, settings, made);
            service.run(dataset);
            return service;
        } catch (IOException | RuntimeException e) {
            closeAll(made);
            throw e;
        }
    }

    private void run(WatchedDataset dataset) {
        housekeeping.start();
        NvmExtents onNvm = nvm == null ? null : nvm.extents();
        if (onNvm != null) {
            news.listen((key, lengthBytes, resident, pinned) -> {
                if (resident) {
                    onNvm.superseded(key);
                }
            });
        }
        ReplicaWatch copies = new ResidentCopies(
                tier,
                directory,
                onNvm,
                pins,
                anchored,
                accesses,
                checks::poolReady,
                housekeeping::wake,
                System::nanoTime);
        if (promotesAtOnce) {
            copies = new PromotesAtOnce(copies, tier, promotions, replicas, System::nanoTime);
        }
        dataset.watch(new GuardedWatch(copies, () -> breakOff(dataset)));
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
    private void breakOff(WatchedDataset dataset) {
        dataset.unwatch();
        brokenOff = true;
        tier.breakOff(System.nanoTime());
        closeNvm();
    }

    /**
     * To stock, as far as that may lock memory. The NameNode would not ask it for them: it is never told that nothing is
     * cached any more, and believes that they are.
     */
    private void leavePins(WatchedDataset dataset) {
        List<Pins.Pin> left = pins.takeAll();
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

    /**
     * Where DataNodes of one JVM are given one configuration, as in Hadoop's tests, each has a directory below it. Only
     * there: below a name that changes when a DataNode is formatted anew, nobody would clear what the old one left.
     */
    private static Path memoryDir(DataNodeSettings settings, String name) throws IOException {
        return settings.memoryDirPerDataNode()
                ? Files.createDirectories(settings.memoryDir().resolve(name))
                : settings.memoryDir();
    }

    private SlotTable slotTable(DataNodeSettings settings) throws IOException {
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
        figures.gauge(Figure.MEMORY_CAPACITY_BYTES, () -> tier.usage().capacityBytes());
        figures.gauge(Figure.MEMORY_USED_BYTES, () -> tier.usage().usedBytes());
        figures.gauge(Figure.MEMORY_RETIRING_BYTES, () -> tier.usage().retiringBytes());
        figures.gauge(Figure.MEMORY_KEPT_OPEN_BYTES, keptOpen::bytes);
        figures.gauge(Figure.MEMORY_PINNED_BYTES, () -> tier.usage().pinnedBytes());
        figures.gauge(Figure.MEMORY_EXTENTS, () -> tier.usage().extents());
        figures.gauge(Figure.MEMORY_GRANTS, () -> tier.usage().grants());
    }

    private <C extends Closeable> C opened(C part) {
        toClose.push(part);
        return part;
    }

    /** What this DataNode counts. */
    Figures figures() {
        return figures;
    }

    /** Where copies are asked for. */
    Promotions promotions() {
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
    MemoryTier tier() {
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
