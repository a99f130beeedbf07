package io.terrace.bench.simulation;

import io.terrace.channel.BlockKey;
import io.terrace.channel.SlotTable;
import io.terrace.datanode.Accesses;
import io.terrace.datanode.Authority;
import io.terrace.datanode.Extent;
import io.terrace.datanode.ExtentStore;
import io.terrace.datanode.GrantLedger;
import io.terrace.datanode.Housekeeping;
import io.terrace.datanode.Leftovers;
import io.terrace.datanode.MemoryTier;
import io.terrace.datanode.MoveOrders;
import io.terrace.datanode.NodeIdentity;
import io.terrace.datanode.Pace;
import io.terrace.datanode.Pins;
import io.terrace.datanode.Promotion;
import io.terrace.datanode.Promotions;
import io.terrace.datanode.Region;
import io.terrace.datanode.ReplicaSource;
import io.terrace.datanode.Scrub;
import io.terrace.datanode.ServiceLink;
import io.terrace.datanode.SharedSlots;
import io.terrace.datanode.TierNews;
import io.terrace.metrics.Figures;
import io.terrace.protocol.proto.DataNodeProtos.TierProto;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One process of a DataNode: the real memory tier, wired to simulated files, disks, clock and connections. */
final class DataNode {

    private static final long REGION_BASE = 1L << 40;
    private static final long MS = 1_000_000;
    /** How long a passed descriptor keeps the bytes of a retired extent. */
    static final long PASSED_NS = 2_000 * MS;

    static final int GRANTS = 24;
    static final int GRANTS_PER_PEER = 6;

    private final World world;
    private final Host host;
    private final OsProcess process;
    private final long incarnation;
    private final TmpFs.Mount mount;
    private final ExtentStore store;
    private final SlotTable table;
    private final Dataset dataset;
    private final ReplicaSource source;
    private final Figures figures = new Figures();
    private final TierNews news;
    private final TierWatch watch;
    private final MemoryTier tier;
    private final Accesses accesses;
    private final ToldHeat toldHeat = new ToldHeat();
    private final Pins pins = new Pins(16);
    private final Promotions promotions;
    private final ArrayDeque<Promotion> idleWorkers = new ArrayDeque<>();
    private final Housekeeping housekeeping;
    private final Desk desk;
    private final Map<BlockKey, Integer> passedDescriptors = new LinkedHashMap<>();
    private boolean housekeepingSoon;

    DataNode(World world, Host host) {
        this.world = world;
        this.host = host;
        Scheduler scheduler = world.scheduler();
        Planted planted = world.planted();
        process = new OsProcess(scheduler, host.name);
        incarnation = scheduler.random().nextLong();
        mount = host.tmpFs.new Mount(process);
        try {
            table = SlotTable.create(world.slotTablePath(host), 16, scheduler.random());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        watch = world.checks().watch(this);
        GrantLedger ledger = new GrantLedger(new GrantLedger.Limits(
                GRANTS, GRANTS_PER_PEER, world.leaseNs(), world.deadlineNs(), 1L << 30, 1_000_000));
        ExtentStore files = new UnseenChanges(world, this, planted.files(mount));
        store = planted.store(process, ledger, watch, watch.files(files));
        dataset =
                new Dataset(scheduler, process, host.disks, planted.changed(this::changed), blockId -> world.workload()
                        .corrupt(host, blockId));
        source = planted.source(dataset, host.disks);
        news = new TierNews(figures, key -> {}, more -> {});
        tier = new MemoryTier(
                new MemoryTier.Limits(world.capacityBytes(), 12, PASSED_NS),
                new Region(REGION_BASE, 64 * Region.PAGE_BYTES, 100 * MS),
                ledger,
                store,
                planted.slots(table, new WatchedSlots(new SharedSlots(table))),
                planted.events(watch.events(news)),
                passedDescriptors::containsKey);
        news.onHousekeeping(this::housekeepSoon);
        accesses = new Accesses(figures, process::nanoTime);
        accesses.listen(Namespace.POOL, toldHeat);
        Pace pace = new Pace(64 << 20, process::nanoTime, process::blockFor);
        promotions = new Promotions(tier, 8, process::nanoTime, process::blockFor);
        for (int i = 0; i < 2; i++) {
            idleWorkers.add(new Promotion(tier, source, store, pace, true, figures, process::nanoTime));
        }
        desk = new Desk(this);
        housekeeping = new Housekeeping(
                tier, pins, source, promotions, desk::revoke, () -> {}, () -> {}, process::nanoTime, host.name);
        Authority authority = new Authority();
        Pace orderPace = new Pace(0, process::nanoTime, process::blockFor);
        MoveOrders orders = new MoveOrders(tier, promotions, authority, orderPace, 0, figures, this::housekeepSoon);
        ServiceLink.Shared shared = new ServiceLink.Shared(
                new NodeIdentity(host.name, host.name, 9866, incarnation),
                tier,
                orders,
                authority,
                accesses,
                this::look,
                List::of,
                List::of,
                figures,
                64);
        leftovers(pace);
        start(shared);
    }

    private void leftovers(Pace pace) {
        host.tmpFs.takeOver();
        ReplicaSource heldAgainst = world.planted().leftoverSource(dataset, host.tmpFs);
        try {
            Leftovers leftovers =
                    new Leftovers(tier, watch.leftovers(mount), heldAgainst, pace, figures, process::nanoTime);
            process.after(
                    world.scheduler().between(MS, 500 * MS),
                    "leftovers",
                    () -> leftovers.settle(Namespace.POOL, () -> true));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        ReplicaSource scrubbed = world.planted().scrubbed(source, this);
        Scrub scrub = new Scrub(tier, store, scrubbed, pace, figures, process::nanoTime);
        process.every(2_000 * MS, "scrub", () -> {
            long begunNs = world.scheduler().nowNs();
            scrub.pass(() -> true);
            watch.scrubbed(begunNs);
        });
    }

    private ServiceLink.ReplicaLook.@Nullable Seen look(String pool, long blockId) {
        ReplicaSource.Found found = dataset.find(pool, blockId);
        if (found == null) {
            toldHeat.gone(blockId);
        }
        return found == null
                ? null
                : new ServiceLink.ReplicaLook.Seen(found.key(), found.lengthBytes(), TierProto.DISK);
    }

    private void start(ServiceLink.Shared shared) {
        for (int i = 0; i < World.NAMENODES; i++) {
            Uplink uplink = new Uplink(this, i, shared);
            news.listen(uplink.link());
            accesses.listen(Namespace.POOL, uplink.link());
            process.every(250 * MS, "heartbeat", uplink::beat);
        }
        process.every(100 * MS, "housekeeping", () -> {
            housekeep();
            watch.turned();
        });
        process.every(20 * MS, "copies", this::copy);
        process.every(3_000 * MS, "block report", this::reportAll);
        process.after(world.scheduler().between(MS, 50 * MS), "block report", this::reportAll);
    }

    World world() {
        return world;
    }

    Host host() {
        return host;
    }

    OsProcess process() {
        return process;
    }

    long incarnation() {
        return incarnation;
    }

    Dataset dataset() {
        return dataset;
    }

    MemoryTier tier() {
        return tier;
    }

    ExtentStore store() {
        return store;
    }

    TmpFs.Mount mount() {
        return mount;
    }

    /** The bytes of the live copy of a block; null when there is none. */
    byte @Nullable [] copied(long blockId) {
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

    Figures figures() {
        return figures;
    }

    TierWatch watch() {
        return watch;
    }

    SlotTable table() {
        return table;
    }

    Accesses accesses() {
        return accesses;
    }

    ToldHeat toldHeat() {
        return toldHeat;
    }

    /** Copies that are ordered and not begun. */
    int copiesWaiting() {
        return promotions.waiting();
    }

    Desk desk() {
        return desk;
    }

    void descriptorPassed(BlockKey key, int delta) {
        passedDescriptors.merge(key, delta, Integer::sum);
        passedDescriptors.remove(key, 0);
    }

    private void changed(long blockId) {
        tier.changed(Namespace.POOL, blockId, process.nanoTime());
    }

    private void housekeepSoon() {
        if (!housekeepingSoon) {
            housekeepingSoon = true;
            process.after(world.scheduler().between(0, 2 * MS), "housekeeping", () -> {
                housekeepingSoon = false;
                housekeep();
            });
        }
    }

    private void housekeep() {
        housekeeping.turn(world.planted().housekeepingNs(process.nanoTime()));
    }

    /** A worker that is idle carries out what waits. */
    private void copy() {
        Promotion worker = idleWorkers.poll();
        if (worker != null) {
            boolean more = true;
            while (more) {
                more = promotions.step(worker);
            }
            idleWorkers.add(worker);
        }
    }

    /** A finalised replica is announced; the NameNode may want it deleted. */
    void reportReceived(Replica replica) {
        if (!world.namespace().received(host.name, replica.blockId, replica.stamp, replica.lengthBytes())) {
            world.workload().invalidateSoon(host, replica.blockId);
        }
    }

    private void reportAll() {
        List<Replica> reported = world.planted().reported(this, host.disks.finalised());
        world.namespace().recount(host.name, reported);
        reported.forEach(this::reportReceived);
    }

    /** A {@code cacheadmin} directive asks for the block. */
    void pin(long blockId) {
        pins.add(new Pins.Pin(Namespace.POOL, blockId), process.nanoTime());
        housekeepSoon();
    }

    /** No directive asks for it any more. */
    void unpin(long blockId) {
        pins.remove(new Pins.Pin(Namespace.POOL, blockId));
        tier.unpin(Namespace.POOL, blockId, process.nanoTime());
    }

    /** Ends in order: live copies stay for the next process. */
    void shutDown() {
        tier.close(process.nanoTime());
        tier.sweep(process.nanoTime());
        kill();
    }

    void kill() {
        process.kill();
        try {
            table.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        host.dataNode = null;
        world.checks().died(this);
    }

    @Override
    public String toString() {
        return host.name;
    }
}
