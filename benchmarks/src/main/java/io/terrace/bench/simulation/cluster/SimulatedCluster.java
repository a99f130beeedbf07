package io.terrace.bench.simulation.cluster;

import io.terrace.bench.simulation.kernel.ContentOracle;
import io.terrace.bench.simulation.kernel.Network;
import io.terrace.bench.simulation.kernel.OsProcess;
import io.terrace.bench.simulation.kernel.Scheduler;
import io.terrace.bench.simulation.kernel.SeedMix;
import io.terrace.bench.simulation.service.SeedPolicy;
import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.PlacementSettings;
import io.terrace.placement.control.ControlSettings;
import io.terrace.placement.heartbeat.HeartbeatSettings;
import io.terrace.placement.journal.SteppedJournal;
import io.terrace.placement.move.FirstReadSettings;
import io.terrace.placement.policy.PolicyChoice;
import io.terrace.placement.state.HeatSettings;
import io.terrace.placement.state.MoveSettings;
import io.terrace.placement.state.VolumeMoveSettings;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatRequestProto;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatResponseProto;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The machines of one seed: hosts with DataNodes, NameNodes, clients, writers, and the network between them. */
public final class SimulatedCluster {

    public static final int NAMENODES = 2;
    public static final long MOVE_BYTES_PER_SECOND = 8_000;

    /** Of moves between volumes. */
    public static final long VOLUME_BYTES_PER_SECOND = 16_000;

    /** Half of the default: few bytes are copied in vain here, and the bound must be near. */
    private static final double VAIN_SHARE = 0.05;

    private static final long FIRST_READ_WITHIN_MS = 1_500;
    private static final int BLOCKS_AHEAD = 8;
    private static final int HOSTS = 3;
    private static final int CLIENTS = 5;
    private static final long MS = 1_000_000;
    /** When a run begins, on the wall clock. */
    private static final long WALL_MS = 1_700_000_000_000L;

    private final Scheduler scheduler;
    private final ClusterHooks hooks;
    private final ClusterObserver observer;
    private final Path directory;
    private final Network network;
    private final ContentOracle contentOracle;
    private final SimulatedNamespace namespace =
            new SimulatedNamespace(name -> host(name).simulatedVolumes.space());
    private final WriteLoad writeLoad;
    private final UnreadBlocks unreadBlocks;
    private final List<Host> hosts = new ArrayList<>();
    private final List<SimulatedClient> clients = new ArrayList<>();
    private final SimulatedNameNode[] nameNodes = new SimulatedNameNode[NAMENODES];
    private final Map<String, SteppedJournal> journals = new HashMap<>();
    private final SeedPolicy policy;
    private final FirstReadSettings firstReads;
    private final PlacementSettings settings;
    private final SimulatedOperator operator;
    private final long capacityBytes;
    private final long leaseNs;
    private int active;
    private long epoch;
    private long lastSession;
    private int lastTable;
    private boolean quiet;
    private long grantReads;
    private long stockReads;

    /** @param directory of the slot tables, which are real files */
    public SimulatedCluster(
            Scheduler scheduler, ClusterHooks hooks, ClusterObserver observer, Path directory, SeedMix mix) {
        this.scheduler = scheduler;
        this.hooks = hooks;
        this.observer = observer;
        this.directory = directory;
        this.network = new Network(scheduler, mix.messages());
        this.contentOracle = new ContentOracle(scheduler.random());
        this.writeLoad = new WriteLoad(this);
        this.unreadBlocks = new UnreadBlocks(this, scheduler);
        this.operator = new SimulatedOperator(this);
        this.capacityBytes = scheduler.between(mix.leastCapacityBytes(), mix.mostCapacityBytes());
        this.leaseNs = scheduler.between(mix.leastLeaseMs() * MS, mix.mostLeaseMs() * MS);
        this.policy = SeedPolicy.of(scheduler, mix.ownPolicy());
        Random random = scheduler.randomFor("copies before first reads");
        this.firstReads = random.nextBoolean()
                ? FirstReadSettings.OFF
                : new FirstReadSettings(VAIN_SHARE, WriteLoad.LARGEST_BYTES / 2, FIRST_READ_WITHIN_MS, BLOCKS_AHEAD);
        this.settings = new PlacementSettings(
                new PolicyChoice(hooks.policy(policy.spec()), PolicyChoice.Source.SETTINGS, 0),
                new MoveSettings(
                        hooks.moveBytesPerSecond(MOVE_BYTES_PER_SECOND),
                        0,
                        mix.movesInFlight(),
                        mix.movesWaiting(),
                        3_000,
                        4_000,
                        new VolumeMoveSettings(
                                hooks.volumeMoveBytesPerSecond(VOLUME_BYTES_PER_SECOND),
                                0,
                                2,
                                4,
                                32,
                                0.9,
                                3_000,
                                60_000)),
                new HeatSettings(1_000, 10_000),
                new HeartbeatSettings(250, 1_500, 60_000, 100),
                new ControlSettings(hooks.controlSample(policy.sample()), 3_600_000),
                hooks.firstReads(firstReads));
        for (int i = 0; i < HOSTS; i++) {
            hosts.add(new Host(
                    "dn" + i,
                    new SimulatedVolumes(scheduler, contentOracle),
                    new SimulatedTmpfs(scheduler, 2 * capacityBytes)));
        }
    }

    /** Starts all processes, writers and readers. */
    public void start() {
        unreadBlocks.place();
        for (Host host : hosts) {
            startDataNode(host);
        }
        for (int i = 0; i < NAMENODES; i++) {
            startNameNode(i);
        }
        failOver(0);
        writeLoad.start();
        operator.pinSome();
        if (policy.movesByHand()) {
            operator.moveSome();
        }
        if (policy.hasPools()) {
            operator.annotateSome();
        }
        for (int i = 0; i < CLIENTS; i++) {
            startClient(i);
        }
    }

    /** From now on nobody writes or reads. */
    public void beQuiet() {
        quiet = true;
        say("world", "all is quiet");
    }

    public void startDataNode(Host host) {
        if (host.dataNode == null) {
            SimulatedDataNode started = new SimulatedDataNode(this, host);
            started.process().say("starts");
            host.dataNode = started;
        }
    }

    /**
     * A DataNode's process dies, and starts again later.
     *
     * @param power whether its host loses power, with all that runs there
     */
    public void crash(Host host, boolean power) {
        SimulatedDataNode dataNode = host.dataNode;
        if (dataNode == null) {
            return;
        }
        dataNode.kill();
        if (power) {
            say("world", "%s loses power", host);
            host.simulatedTmpfs.powerCut();
            host.simulatedVolumes.powerCut();
            for (int i = 0; i < clients.size(); i++) {
                if (clients.get(i).host() == host) {
                    clients.get(i).process().kill();
                    startClient(i);
                }
            }
        }
        startLater(host);
    }

    /** The NameNode notices that the DataNode is dead, unless it starts again before. */
    public void startLater(Host host) {
        scheduler.after(800 * MS, "dead DataNode", () -> {
            if (host.dataNode == null) {
                namespace.lost(host.name);
            }
        });
        scheduler.after(scheduler.between(10 * MS, 2_000 * MS), "DataNode starts", () -> startDataNode(host));
    }

    public void startNameNode(int index) {
        nameNodes[index] = new SimulatedNameNode(this, "nn" + index, settings);
    }

    /** The journal of a NameNode, for another process of it. */
    SteppedJournal journal(String name, PlacementSettings itsSettings, MetricRegistry metricRegistry) {
        SteppedJournal known = journals.get(name);
        if (known != null) {
            known.restart(metricRegistry);
            return known;
        }
        // A pass in each second, since a run takes half a minute.
        SteppedJournal made =
                new SteppedJournal(this::wallMs, 1_000, itsSettings.heat().halfLifeMs(), metricRegistry);
        journals.put(name, made);
        return made;
    }

    /** Milliseconds since 1970. */
    long wallMs() {
        return WALL_MS + scheduler.nowNs() / MS;
    }

    public void startClient(int index) {
        SimulatedClient client = new SimulatedClient(this, "client" + index, hosts.get(index % HOSTS));
        if (index < clients.size()) {
            clients.set(index, client);
        } else {
            clients.add(client);
        }
    }

    /** Another NameNode becomes active; the earlier one notices at once or later. */
    public void failOver(int index) {
        SimulatedNameNode before = nameNodes[active];
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

    public Scheduler scheduler() {
        return scheduler;
    }

    public SeedPolicy policy() {
        return policy;
    }

    /** As the service is to keep them. */
    public FirstReadSettings firstReads() {
        return firstReads;
    }

    ClusterHooks hooks() {
        return hooks;
    }

    public Network network() {
        return network;
    }

    public ContentOracle contentOracle() {
        return contentOracle;
    }

    public SimulatedNamespace namespace() {
        return namespace;
    }

    ClusterObserver observer() {
        return observer;
    }

    public UnreadBlocks unreadBlocks() {
        return unreadBlocks;
    }

    WriteLoad writeLoad() {
        return writeLoad;
    }

    public List<Host> hosts() {
        return hosts;
    }

    public List<SimulatedClient> clients() {
        return clients;
    }

    public SimulatedNameNode nameNode(int index) {
        return nameNodes[index];
    }

    public int activeIndex() {
        return active;
    }

    /** The NameNode that writes the edit log, if it can at the moment. */
    @Nullable
    public SimulatedNameNode active() {
        OsProcess process = nameNodes[active].process();
        return process.isAlive() && !process.isStopped() ? nameNodes[active] : null;
    }

    public SimulatedOperator operator() {
        return operator;
    }

    public long capacityBytes() {
        return capacityBytes;
    }

    public long leaseNs() {
        return leaseNs;
    }

    public long deadlineNs() {
        return 200 * MS;
    }

    public long nextSession() {
        return ++lastSession;
    }

    public boolean isQuiet() {
        return quiet;
    }

    void readByGrant() {
        grantReads++;
    }

    void readByStock() {
        stockReads++;
    }

    public long grantReads() {
        return grantReads;
    }

    public long stockReads() {
        return stockReads;
    }

    /** The path of a new slot table: a real file, as the real table is one. */
    public Path slotTablePath(Host host) {
        Path path = directory.resolve(host.name + "-" + ++lastTable);
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return path;
    }

    public Host host(String name) {
        for (Host host : hosts) {
            if (host.name.equals(name)) {
                return host;
            }
        }
        throw new IllegalArgumentException("no host " + name);
    }

    /** DataNodes that run, in any order. */
    public List<SimulatedDataNode> someDataNodes(int most) {
        List<SimulatedDataNode> running = new ArrayList<>();
        for (Host host : hosts) {
            if (host.dataNode != null) {
                running.add(host.dataNode);
            }
        }
        Collections.shuffle(running, scheduler.random());
        return running.subList(0, Math.min(most, running.size()));
    }

    /** One call of the heartbeat RPC, which may not arrive, or whose answer may not. */
    public void callNameNode(
            SimulatedDataNode from, int index, HeartbeatRequestProto heartbeat, Consumer<HeartbeatResponseProto> then) {
        SimulatedNameNode to = nameNodes[index];
        network.send(from.process(), to.process(), "heartbeat", () -> {
            HeartbeatResponseProto answer =
                    to.heartbeat(hooks.taken(heartbeat, to.placement().epoch()));
            network.send(to.process(), from.process(), "heartbeat answer", () -> then.accept(answer));
        });
    }

    public void say(String who, String format, Object... arguments) {
        scheduler.log().say(scheduler.nowNs(), who, format, arguments);
    }
}
