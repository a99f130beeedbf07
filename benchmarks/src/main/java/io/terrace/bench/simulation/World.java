package io.terrace.bench.simulation;

import io.terrace.channel.BlockKey;
import io.terrace.placement.PlacementSettings;
import io.terrace.policy.PolicyCatalog;
import io.terrace.policy.PolicyKind;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatRequestProto;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatResponseProto;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Everything of one seed: hosts, NameNodes, clients, what writers do and what goes wrong. Runs a storm, then lets all
 * faults end and looks whether everything settles.
 */
final class World {

    static final int NAMENODES = 2;
    static final long MOVE_BYTES_PER_SECOND = 8_000;

    private static final int HOSTS = 3;
    private static final int CLIENTS = 5;
    private static final long MS = 1_000_000;
    private static final long STORM_NS = 10_000 * MS;
    private static final long CALM_NS = 14_000 * MS;

    private final Scheduler scheduler;
    private final Planted planted;
    private final Path directory;
    private final Network network;
    private final Contents contents;
    private final Namespace namespace = new Namespace();
    private final Checks checks;
    private final Workload workload;
    private final List<Host> hosts = new ArrayList<>();
    private final List<Client> clients = new ArrayList<>();
    private final NameNode[] nameNodes = new NameNode[NAMENODES];
    private final PlacementSettings settings;
    private final Operator operator;
    private final long capacityBytes;
    private final long leaseNs;
    private int active;
    private long epoch;
    private long lastSession;
    private int lastTable;
    private boolean quiet;
    private long grantReads;
    private long stockReads;

    World(long seed, @Nullable Plant plant, EventLog log, Path directory) {
        this.scheduler = new Scheduler(seed, log);
        this.planted = new Planted(plant);
        this.directory = directory;
        this.network = new Network(scheduler);
        this.contents = new Contents(scheduler.random());
        this.checks = new Checks(this);
        this.workload = new Workload(this);
        this.operator = new Operator(this);
        this.capacityBytes = scheduler.between(15_000, 50_000);
        this.leaseNs = scheduler.between(300 * MS, 2_000 * MS);
        boolean eager = scheduler.oneIn(2);
        List<PolicyKind> kinds = PolicyCatalog.kinds();
        this.settings = planted.settings(new PlacementSettings(
                eager
                        ? "idecider"
                        : kinds.get(scheduler.random().nextInt(kinds.size())).name(),
                eager ? Map.of("threshold", Integer.toString(scheduler.random().nextInt(3))) : Map.of(),
                MOVE_BYTES_PER_SECOND,
                0,
                2,
                32,
                3_000,
                4_000,
                250,
                250,
                1_500,
                60_000,
                1_000,
                100,
                16,
                10_000));
        for (int i = 0; i < HOSTS; i++) {
            hosts.add(new Host("dn" + i, new Disks(scheduler, contents), new TmpFs(scheduler, 2 * capacityBytes)));
        }
    }

    /** Runs the seed to its end. */
    void run() {
        for (Host host : hosts) {
            startDataNode(host);
        }
        for (int i = 0; i < NAMENODES; i++) {
            startNameNode(i);
        }
        failOver(0);
        workload.start();
        operator.pinSome();
        for (int i = 0; i < CLIENTS; i++) {
            startClient(i);
        }
        Storm storm = new Storm(this);
        storm.start();
        scheduler.checkAfterEach(checks::check);
        scheduler.runUntil(STORM_NS);
        quiet = true;
        say("world", "all is quiet");
        storm.end();
        network.heal();
        scheduler.runUntil(STORM_NS + CALM_NS);
        new Settled(this, nameNodes[active]).check();
    }

    void startDataNode(Host host) {
        if (host.dataNode == null) {
            DataNode started = new DataNode(this, host);
            started.process().say("starts");
            host.dataNode = started;
        }
    }

    void startNameNode(int index) {
        nameNodes[index] = new NameNode(this, "nn" + index, settings);
    }

    void startClient(int index) {
        Client client = new Client(this, "client" + index, hosts.get(index % HOSTS));
        if (index < clients.size()) {
            clients.set(index, client);
        } else {
            clients.add(client);
        }
    }

    /** Another NameNode is active from now on; the earlier one notices at once or later. */
    void failOver(int index) {
        NameNode before = nameNodes[active];
        active = index;
        nameNodes[index].activate(++epoch);
        if (before != nameNodes[index]) {
            before.process().after(scheduler.oneIn(2) ? 0 : scheduler.between(0, 3_000 * MS), "poll", () -> {
                if (nameNodes[active] != before) {
                    before.standDown();
                }
            });
        }
    }

    Scheduler scheduler() {
        return scheduler;
    }

    Planted planted() {
        return planted;
    }

    Network network() {
        return network;
    }

    Contents contents() {
        return contents;
    }

    Namespace namespace() {
        return namespace;
    }

    Checks checks() {
        return checks;
    }

    Workload workload() {
        return workload;
    }

    List<Host> hosts() {
        return hosts;
    }

    List<Client> clients() {
        return clients;
    }

    NameNode nameNode(int index) {
        return nameNodes[index];
    }

    int activeIndex() {
        return active;
    }

    /** The NameNode that writes the edit log, if it can at the moment. */
    @Nullable
    NameNode active() {
        OsProcess process = nameNodes[active].process();
        return process.isAlive() && !process.isStopped() ? nameNodes[active] : null;
    }

    Operator operator() {
        return operator;
    }

    long capacityBytes() {
        return capacityBytes;
    }

    long leaseNs() {
        return leaseNs;
    }

    long deadlineNs() {
        return 200 * MS;
    }

    long nextSession() {
        return ++lastSession;
    }

    boolean isQuiet() {
        return quiet;
    }

    void readByGrant() {
        grantReads++;
    }

    void readByStock() {
        stockReads++;
    }

    long grantReads() {
        return grantReads;
    }

    long stockReads() {
        return stockReads;
    }

    /** A place for a new slot table: a real file, since the real table is one. */
    Path slotTablePath(Host host) {
        Path path = directory.resolve(host.name + "-" + ++lastTable);
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return path;
    }

    Host host(String name) {
        for (Host host : hosts) {
            if (host.name.equals(name)) {
                return host;
            }
        }
        throw new IllegalArgumentException("no host " + name);
    }

    /** A block, those written first more often than others. */
    @Nullable
    Block anyBlock() {
        List<Block> all = namespace.all();
        if (all.isEmpty()) {
            return null;
        }
        int bound = 1 + scheduler.random().nextInt(all.size());
        return all.get(scheduler.random().nextInt(bound));
    }

    /** The stamp that a client knows: mostly the present one, sometimes one from before. */
    long stampSeen(Block block) {
        List<Long> stamps = contents.stamps(block.id);
        return scheduler.oneIn(6) ? stamps.get(scheduler.random().nextInt(stamps.size())) : block.stamp;
    }

    /** DataNodes that run, in any order. */
    List<DataNode> someDataNodes(int most) {
        List<DataNode> running = new ArrayList<>();
        for (Host host : hosts) {
            if (host.dataNode != null) {
                running.add(host.dataNode);
            }
        }
        Collections.shuffle(running, scheduler.random());
        return running.subList(0, Math.min(most, running.size()));
    }

    /** A DataNode with a finalised replica of exactly that; the near one if it has one. */
    @Nullable
    DataNode holder(BlockKey key, Host near) {
        DataNode found = null;
        for (Host host : hosts) {
            if (host.dataNode != null && host.disks.finalised(key.blockId(), key.generationStamp()) != null) {
                if (host == near) {
                    return host.dataNode;
                }
                found = host.dataNode;
            }
        }
        return found;
    }

    /** One call of the heartbeat RPC, which may not arrive, or whose answer may not. */
    void callNameNode(
            DataNode from, int index, HeartbeatRequestProto heartbeat, Consumer<HeartbeatResponseProto> then) {
        NameNode to = nameNodes[index];
        network.send(from.process(), to.process(), "heartbeat", () -> {
            HeartbeatResponseProto answer =
                    to.heartbeat(planted.taken(heartbeat, to.placement().epoch()));
            network.send(to.process(), from.process(), "heartbeat answer", () -> then.accept(answer));
        });
    }

    void say(String who, String format, Object... arguments) {
        scheduler.log().say(scheduler.nowNs(), who, format, arguments);
    }
}
