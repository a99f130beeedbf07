package io.terrace.bench.simulation.cluster;

import io.terrace.bench.simulation.kernel.OsProcess;
import io.terrace.bench.simulation.kernel.Scheduler;
import io.terrace.channel.shm.SlotTable;
import io.terrace.common.BlockKey;
import io.terrace.common.BlockVersion;
import io.terrace.common.TokenBucket;
import io.terrace.datanode.extent.AddressSpace;
import io.terrace.datanode.extent.Extent;
import io.terrace.datanode.extent.ExtentStore;
import io.terrace.datanode.extent.GrantLedger;
import io.terrace.datanode.extent.LocalTier;
import io.terrace.datanode.extent.SharedSlots;
import io.terrace.datanode.heartbeat.AccessRecorder;
import io.terrace.datanode.heartbeat.HeartbeatExchange;
import io.terrace.datanode.heartbeat.NodeIdentity;
import io.terrace.datanode.heartbeat.ReplicaOffers;
import io.terrace.datanode.heartbeat.ResizeOrders;
import io.terrace.datanode.memory.HousekeepingAgent;
import io.terrace.datanode.memory.LeftoverRecovery;
import io.terrace.datanode.memory.MemorySize;
import io.terrace.datanode.memory.MemoryTierListener;
import io.terrace.datanode.memory.PinRequests;
import io.terrace.datanode.memory.Scrubber;
import io.terrace.datanode.move.CopyQueue;
import io.terrace.datanode.move.EpochFence;
import io.terrace.datanode.move.MemoryCopier;
import io.terrace.datanode.move.MoveOrderExecutor;
import io.terrace.datanode.replica.ReplicaSource;
import io.terrace.datanode.write.ClientSpeeds;
import io.terrace.datanode.writethrough.WriteThroughCopies;
import io.terrace.datanode.writethrough.WriteThroughRules;
import io.terrace.metrics.MetricRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One process of a DataNode: the real memory tier, wired to simulated files, disks, clock and connections. */
public final class SimulatedDataNode {

    private static final long REGION_BASE = 1L << 40;
    private static final long MS = 1_000_000;
    /** How long a passed descriptor keeps the bytes of a retired extent. */
    public static final long PASSED_NS = 2_000 * MS;

    public static final int GRANTS = 24;
    public static final int GRANTS_PER_PEER = 6;

    private final SimulatedCluster simulatedCluster;
    private final Host host;
    private final OsProcess process;
    private final long incarnation;
    private final SimulatedTmpfs.Mount mount;
    private final ExtentStore store;
    private final SlotTable table;
    private final SimulatedDataset dataset;
    private final ReplicaSource source;
    private final MetricRegistry metricRegistry = new MetricRegistry();
    private final MemoryTierListener memoryTierListener;
    private final ClusterObserver.DataNodeObserver observer;
    private final LocalTier tier;
    private final AccessRecorder accessRecorder;
    private final PinRequests pinRequests = new PinRequests(16);
    private final CopyQueue copyQueue;
    private final ArrayDeque<MemoryCopier> idleWorkers = new ArrayDeque<>();
    private final HousekeepingAgent housekeeping;
    private final GrantServerDriver grantServerDriver;
    private final SimulatedMoves moves;
    private final WriteThroughRules writeThroughRules = new WriteThroughRules(metricRegistry);
    private final WriteThroughCopies writeThroughCopies;
    private final Map<BlockKey, Integer> passedDescriptors = new LinkedHashMap<>();
    private boolean housekeepingSoon;

    public SimulatedDataNode(SimulatedCluster simulatedCluster, Host host) {
        this.simulatedCluster = simulatedCluster;
        this.host = host;
        Scheduler scheduler = simulatedCluster.scheduler();
        ClusterHooks hooks = simulatedCluster.hooks();
        process = new OsProcess(scheduler, host.name);
        incarnation = scheduler.random().nextLong();
        mount = host.simulatedTmpfs.new Mount(process);
        try {
            table = SlotTable.create(simulatedCluster.slotTablePath(host), 16, scheduler.random());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        observer = simulatedCluster.observer().watch(this);
        GrantLedger ledger = new GrantLedger(new GrantLedger.Limits(
                GRANTS,
                GRANTS_PER_PEER,
                simulatedCluster.leaseNs(),
                simulatedCluster.deadlineNs(),
                1L << 30,
                1_000_000));
        ExtentStore files = new UnseenChanges(simulatedCluster, this, hooks.files(mount));
        store = hooks.store(process, ledger, observer, observer.files(files));
        host.simulatedVolumes.start(host.name);
        dataset = new SimulatedDataset(
                scheduler,
                process,
                host.simulatedVolumes,
                hooks,
                hooks.changed(this::changed),
                blockId -> simulatedCluster.writeLoad().corrupt(host, blockId),
                replica -> simulatedCluster.namespace().deleted(host.name, replica));
        source = hooks.source(dataset, host.simulatedVolumes);
        memoryTierListener = new MemoryTierListener(metricRegistry, key -> {}, more -> {});
        tier = new LocalTier(
                new LocalTier.Limits(simulatedCluster.capacityBytes(), 12, PASSED_NS),
                new AddressSpace(REGION_BASE, 64 * AddressSpace.PAGE_BYTES, 100 * MS),
                ledger,
                store,
                hooks.slots(table, observer.slots(new SharedSlots(table))),
                hooks.events(observer.events(memoryTierListener)),
                passedDescriptors::containsKey);
        memoryTierListener.onHousekeeping(this::housekeepSoon);
        memoryTierListener.listen(pinRequests);
        accessRecorder = new AccessRecorder(metricRegistry, process::nanoTime, () -> null);
        accessRecorder.listen(SimulatedNamespace.POOL, observer.heat());
        TokenBucket tokenBucket = new TokenBucket(64 << 20, process::nanoTime, process::blockFor);
        copyQueue = new CopyQueue(tier, 8, process::nanoTime, process::blockFor);
        for (int i = 0; i < 2; i++) {
            idleWorkers.add(
                    new MemoryCopier(tier, source, store, tokenBucket, true, metricRegistry, process::nanoTime));
        }
        grantServerDriver = new GrantServerDriver(this);
        housekeeping = new HousekeepingAgent(
                tier,
                pinRequests,
                source,
                copyQueue,
                grantServerDriver::revoke,
                () -> {},
                () -> {},
                process::nanoTime,
                host.name);
        EpochFence epochFence = new EpochFence();
        TokenBucket orderPace = new TokenBucket(0, process::nanoTime, process::blockFor);
        moves = new SimulatedMoves(this, tokenBucket);
        ReplicaOffers offers = new ReplicaOffers(
                UnreadBlocks.on(host.simulatedVolumes), metricRegistry, simulatedCluster::wallMs, process::nanoTime);
        MoveOrderExecutor orders = new MoveOrderExecutor(
                tier, copyQueue, epochFence, orderPace, 0, metricRegistry, this::housekeepSoon, moves.queue());
        HeartbeatExchange.Shared shared = new HeartbeatExchange.Shared(
                new NodeIdentity(host.name, host.name, 9866, incarnation),
                tier,
                new ResizeOrders(new MemorySize(tier, new MemorySize.Bounds(0, 0, 0), () -> 0)),
                orders,
                epochFence,
                accessRecorder,
                this::look,
                List::of,
                List::of,
                new ClientSpeeds(),
                writeThroughRules,
                offers,
                metricRegistry,
                64);
        writeThroughCopies = new WriteThroughCopies(
                tier,
                source,
                observer.drafts(hooks.drafts(mount)),
                simulatedCluster.capacityBytes() / 2,
                metricRegistry,
                process::nanoTime,
                host.name);
        leftovers(tokenBucket);
        start(shared);
        if (!simulatedCluster.unreadBlocks().all().isEmpty()) {
            process.every(100 * MS, "offers", () -> offers.doWork(process.nanoTime()));
        }
    }

    private void leftovers(TokenBucket tokenBucket) {
        host.simulatedTmpfs.takeOver();
        ReplicaSource heldAgainst = simulatedCluster.hooks().leftoverSource(dataset, host.simulatedTmpfs);
        try {
            LeftoverRecovery leftoverRecovery = new LeftoverRecovery(
                    tier, observer.leftovers(mount), heldAgainst, tokenBucket, metricRegistry, process::nanoTime);
            process.after(
                    simulatedCluster.scheduler().between(MS, 500 * MS),
                    "leftovers",
                    () -> leftoverRecovery.recover(SimulatedNamespace.POOL, () -> true));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        ReplicaSource scrubbed = simulatedCluster.hooks().scrubbed(source, this);
        Scrubber scrub = new Scrubber(tier, store, scrubbed, tokenBucket, metricRegistry, process::nanoTime);
        process.every(2_000 * MS, "scrub", () -> {
            long begunNs = simulatedCluster.scheduler().nowNs();
            scrub.pass(() -> true);
            observer.scrubbed(begunNs);
        });
    }

    private HeartbeatExchange.ReplicaLook.@Nullable Seen look(String pool, long blockId) {
        BlockVersion found = dataset.find(pool, blockId);
        if (found == null) {
            observer.heatWithoutReplica(blockId);
        }
        return found == null
                ? null
                : new HeartbeatExchange.ReplicaLook.Seen(found, host.simulatedVolumes.tierOf(blockId));
    }

    private void start(HeartbeatExchange.Shared shared) {
        for (int i = 0; i < SimulatedCluster.NAMENODES; i++) {
            HeartbeatDriver heartbeatDriver = new HeartbeatDriver(this, i, shared);
            memoryTierListener.listen(heartbeatDriver.link());
            accessRecorder.listen(SimulatedNamespace.POOL, heartbeatDriver.link());
            process.every(250 * MS, "heartbeat", heartbeatDriver::beat);
        }
        process.every(100 * MS, "housekeeping", () -> {
            housekeep();
            observer.turned();
        });
        process.every(20 * MS, "copies", this::copy);
        process.every(100 * MS, "moves", moves::step);
        process.every(2_000 * MS, "scan", () -> dataset.locks().exclusively("scan", moves::scan));
        process.every(3_000 * MS, "block report", this::reportAll);
        process.after(simulatedCluster.scheduler().between(MS, 50 * MS), "block report", this::reportAll);
    }

    public SimulatedCluster simulatedCluster() {
        return simulatedCluster;
    }

    public Host host() {
        return host;
    }

    public OsProcess process() {
        return process;
    }

    long incarnation() {
        return incarnation;
    }

    public SimulatedDataset dataset() {
        return dataset;
    }

    SimulatedMoves moves() {
        return moves;
    }

    public LocalTier tier() {
        return tier;
    }

    ExtentStore store() {
        return store;
    }

    public SimulatedTmpfs.Mount mount() {
        return mount;
    }

    /** The bytes of the live copy of a block; null when there is none. */
    public byte @Nullable [] copied(long blockId) {
        for (Extent extent : tier.liveExtents()) {
            if (extent.key().blockId() == blockId) {
                try {
                    return mount.file(extent).content();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }
        return null;
    }

    /** The durable replicas as copies are made of them. */
    ReplicaSource source() {
        return source;
    }

    public MetricRegistry metricRegistry() {
        return metricRegistry;
    }

    public SlotTable table() {
        return table;
    }

    public AccessRecorder accessRecorder() {
        return accessRecorder;
    }

    public WriteThroughRules writeThroughRules() {
        return writeThroughRules;
    }

    public WriteThroughCopies writeThroughCopies() {
        return writeThroughCopies;
    }

    /** Copies that are ordered and not begun. */
    public int copiesWaiting() {
        return copyQueue.waiting();
    }

    public GrantServerDriver grantServerDriver() {
        return grantServerDriver;
    }

    void descriptorPassed(BlockKey key, int delta) {
        passedDescriptors.merge(key, delta, Integer::sum);
        passedDescriptors.remove(key, 0);
    }

    private void changed(long blockId) {
        tier.changed(SimulatedNamespace.POOL, blockId, process.nanoTime());
    }

    private void housekeepSoon() {
        if (!housekeepingSoon) {
            housekeepingSoon = true;
            process.after(simulatedCluster.scheduler().between(0, 2 * MS), "housekeeping", () -> {
                housekeepingSoon = false;
                housekeep();
            });
        }
    }

    private void housekeep() {
        housekeeping.doWork(simulatedCluster.hooks().housekeepingNs(process.nanoTime()));
    }

    /** An idle worker takes the next waiting task. */
    private void copy() {
        MemoryCopier worker = idleWorkers.poll();
        if (worker != null) {
            boolean more = true;
            while (more) {
                more = copyQueue.step(worker);
            }
            idleWorkers.add(worker);
        }
    }

    /** A finalised replica is announced; the NameNode may want it deleted. */
    public void reportReceived(Replica replica) {
        if (!simulatedCluster.namespace().received(host.name, replica, host.simulatedVolumes.tier(replica))) {
            simulatedCluster.writeLoad().invalidateSoon(host, replica.blockId);
        }
    }

    private void reportAll() {
        List<Replica> reported = simulatedCluster.hooks().reported(this, host.simulatedVolumes.finalised());
        simulatedCluster.namespace().recount(host.name, reported);
        reported.forEach(this::reportReceived);
    }

    /** A {@code cacheadmin} directive asks for the block. */
    public void pin(long blockId) {
        pinRequests.add(new PinRequests.Pin(SimulatedNamespace.POOL, blockId), process.nanoTime());
        housekeepSoon();
    }

    /** No directive asks for it any more. */
    public void unpin(long blockId) {
        pinRequests.remove(new PinRequests.Pin(SimulatedNamespace.POOL, blockId));
        tier.unpin(SimulatedNamespace.POOL, blockId, process.nanoTime());
    }

    /** Ends in order: live copies stay for the next process. */
    public void shutDown() {
        tier.close(process.nanoTime());
        tier.sweep(process.nanoTime());
        kill();
    }

    public void kill() {
        process.kill();
        writeThroughCopies.close();
        host.simulatedVolumes.processEnded(host.name);
        try {
            table.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        host.dataNode = null;
        simulatedCluster.observer().died(this);
    }

    @Override
    public String toString() {
        return host.name;
    }
}
